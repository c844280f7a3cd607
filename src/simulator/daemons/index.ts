// The daemons: they advance as simulated time passes, and answer on local ports.
import {JSON_TYPE, type ModelResponse, type Stage} from '../model.js'
import type {ClusterNode, ServiceEntry, World} from '../world.js'
import {cleanTokens} from '../cluster/bootstrap-tokens.js'
import {advanceRequests} from '../cluster/signing-requests.js'
import {forgetContainerd} from '../containerd/lifetime.js'
import {startDocker} from '../docker/networks.js'
import {settleAdapters} from '../windows/adapters.js'
import {launchProcess, processDied, reportStopped, serviceSpecific} from '../windows/service-process.js'
import {beginProcess, daemonOf} from './begin.js'
import {serviceDaemon} from './daemon.js'
import {isHealthy} from './kube-proxy.js'
import {markLostNodes} from './kubelet/kubelet-node.js'

const TEXT_TYPE = {'content-type': 'text/plain; charset=utf-8'}
/** A service that has connected is Running after this time. */
const RUNNING_AFTER_MS = 300
/** A crash loop in one long jump of time must end. */
const MAX_ROUNDS = 500

/** True if anything changed. */
export async function advanceDaemons(stage: Stage): Promise<boolean> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    let changed = settleAdapters(stage)
    for (const entry of Object.values(stage.world.services)) changed = (await advanceService(stage, entry)) || changed
    changed = markLostNodes(stage) || changed
    changed = advanceControllers(stage) || changed
    changed = (await forgetContainerd(stage)) || changed
    if (!changed) return round > 0
  }

  return true
}

/** Of the cluster's controller manager, by the cluster's clock. */
export function advanceControllers({now, world: {cluster}}: Stage): boolean {
  const time = now() + (cluster.clockAheadMs ?? 0)
  const isCleaned = cleanTokens(cluster, time)
  return advanceRequests(cluster, time) || isCleaned
}

async function advanceService(stage: Stage, entry: ServiceEntry): Promise<boolean> {
  const now = stage.now()
  if (entry.state === 'stop-pending') {
    if (entry.stopAt === undefined || now < entry.stopAt) return false
    const daemon = daemonOf(entry)
    if (daemon?.diesOfStop?.(entry)) processDied(stage, entry, entry.stopAt)
    else reportStopped(stage, entry, entry.stopAt, serviceSpecific(daemon?.stopCode?.(entry) ?? 0))
    return true
  }

  if (entry.state === 'stopped')
    return entry.restartAt !== undefined && now >= entry.restartAt && restart(stage, entry, entry.restartAt)
  if (entry.state === 'start-pending') {
    if (entry.stage !== 'starting' || now < entry.startedAt + RUNNING_AFTER_MS) return false
    entry.state = 'running'
    if (entry.name.toLowerCase() === 'docker') startDocker(stage.world)
    return true
  }

  const daemon = daemonOf(entry)
  return entry.state === 'running' && daemon && entry.process
    ? daemon.advance(serviceDaemon(stage, entry, entry.process))
    : false
}

/** The service manager's failure action. */
async function restart(stage: Stage, entry: ServiceEntry, at: number): Promise<boolean> {
  delete entry.restartAt
  if (entry.config.startType === 'disabled') return true
  entry.restarts++
  if ((await launchProcess(stage, entry, at)) !== 0) return true
  const beginning = await beginProcess(stage, entry)
  // A program that does not connect is ended and tried again.
  if (beginning !== 'connected') processDied(stage, entry, at)
  return true
}

/** Ports in use, as "tcp/10250": those of daemons, and those of other programs in machine.json. */
export function listeningPorts({os, services}: World): string[] {
  return [
    ...os.listening,
    ...Object.values(services).flatMap(({listening, state}) => (state === 'stopped' ? [] : (listening ?? []))),
  ]
}

/** NodeEligible of pkg/proxy/healthcheck: the taint of a cluster autoscaler that removes the node. */
const isToBeDeleted = ({taints}: ClusterNode): boolean =>
  taints.some(({key}) => key === 'ToBeDeletedByClusterAutoscaler')

/** Undefined if nothing listens: the connection is refused. */
export async function answerLocalPort(stage: Stage, port: number, path: string): Promise<ModelResponse | undefined> {
  const entry = Object.values(stage.world.services).find(({listening}) => listening?.includes(`tcp/${port}`))
  if (!entry) return undefined
  const [, endpoint] = /^\/(healthz|livez)(?:\?|$)/.exec(path) ?? []
  const isFirst = entry.listening?.[0] === `tcp/${port}`
  // The first port of the kubelet is its HTTPS server, which requires credentials.
  if (isFirst && entry.process?.standIn?.name === 'kubelet') {
    return {body: 'Unauthorized', headers: TEXT_TYPE, status: 401}
  }

  // pkg/proxy/healthcheck of kube-proxy; kube-log-runner is of the same release.
  const hasLivez = isFirst && Number(entry.process?.standIn?.version.split('.')[1]) >= 28
  if (!endpoint || (endpoint === 'livez' && !hasLivez))
    return {body: '404 page not found\n', headers: TEXT_TYPE, status: 404}
  if (isFirst) {
    const now = new Date(stage.now()).toISOString()
    const isEligible = endpoint === 'livez' || !hasLivez || !stage.world.cluster.nodes.some(isToBeDeleted)
    const healthy = isEligible && isHealthy(entry, stage.now())
    const body = JSON.stringify({currentTime: now, lastUpdated: healthy ? now : '0001-01-01 00:00:00 +0000 UTC'})
    return {body, headers: JSON_TYPE, status: healthy ? 200 : 503}
  }

  return {body: 'ok', headers: TEXT_TYPE, status: 200}
}
