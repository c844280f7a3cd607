// What the daemons answer on the machine's own ports.
import type {ModelResponse, Stage} from '../model.js'
import type {World} from '../world.js'
import {isHealthy} from './kube-proxy.js'

const JSON_TYPE = {'content-type': 'application/json'}
const TEXT_TYPE = {'content-type': 'text/plain; charset=utf-8'}

/** Ports in use, as "tcp/10250": the daemons' and those machine.json says something foreign has. */
export function listeningPorts({os, services}: World): string[] {
  return [
    ...os.listening,
    ...Object.values(services).flatMap(({listening, state}) => (state === 'stopped' ? [] : (listening ?? []))),
  ]
}

/** Undefined where nobody listens: the connection is refused. */
export async function answerLocalPort(stage: Stage, port: number, path: string): Promise<ModelResponse | undefined> {
  const entry = Object.values(stage.world.services).find(({listening}) => listening?.includes(`tcp/${port}`))
  if (!entry) return undefined
  const isHealthz = path === '/healthz' || path.startsWith('/healthz?')
  // The kubelet's own server is the first port it opens; it speaks HTTPS and asks who is calling.
  if (entry.listening?.[0] === `tcp/${port}` && entry.process?.standIn?.name === 'kubelet') {
    return {body: 'Unauthorized', headers: TEXT_TYPE, status: 401}
  }

  if (!isHealthz) return {body: '404 page not found\n', headers: TEXT_TYPE, status: 404}
  if (entry.listening?.[0] === `tcp/${port}`) {
    const now = new Date(stage.now()).toISOString()
    const healthy = isHealthy(entry, stage.now())
    const body = JSON.stringify({currentTime: now, lastUpdated: healthy ? now : '0001-01-01 00:00:00 +0000 UTC'})
    return {body, headers: JSON_TYPE, status: healthy ? 200 : 503}
  }

  return {body: 'ok', headers: TEXT_TYPE, status: 200}
}
