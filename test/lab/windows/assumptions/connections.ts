// How long Windows tries to connect, who serves a pipe, and how its Docker speaks of itself.
import type {Machine} from '../../../../src/machine/machine.js'
import {compared, notSettled, type Settler, type SocketAddress} from './settler.js'

const GIVE_UP_MS = 60_000
const DOCKER_PIPE = String.raw`\\.\pipe\docker_engine`

export const connectTimes: Settler = async ({machine, refusing, silent}) => {
  const closed = await refusing()
  if (!closed) return notSettled('no adapter has an address')
  const refusedMs = await triedFor(machine, closed)
  const seen = `refused after ${(refusedMs / 1000).toFixed(1)} s`
  const assumed = 'refused after 2 s, given up after 21 s'
  const isRefusedAsAssumed = refusedMs > 1500 && refusedMs < 3000
  if (!isRefusedAsAssumed) return compared(false, seen, assumed)
  if (!silent) return notSettled(`${seen}, as assumed; the other half would leave this machine`)
  const silentMs = await triedFor(machine, silent)
  return compared(
    silentMs > 20_000 && silentMs < 23_000,
    `${seen}, given up after ${(silentMs / 1000).toFixed(1)} s`,
    assumed,
  )
}

async function triedFor({clock, net}: Machine, {host, port}: SocketAddress): Promise<number> {
  const started = clock.now()
  await net.canConnect(host, port, GIVE_UP_MS)
  return clock.now() - started
}

/** The text for a program that is not in the image needs an image: the suite of Docker has it. */
export const dockerVersion: Settler = async ({machine: {http}}) => {
  const {body, status} = await http.request({
    deadlineMs: 30_000,
    effect: 'read',
    method: 'GET',
    pipe: DOCKER_PIPE,
    url: 'http://docker/version',
  })
  if (status !== 200) return notSettled(`Docker answers GET /version with ${status}`)
  const {BuildTime, GitCommit, GoVersion, Os} = JSON.parse(body.toString('utf8')) as Record<string, string | undefined>
  if (Os !== 'windows') return notSettled(`this engine is for ${Os}`)
  const isSame =
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(BuildTime ?? '') &&
    /^[0-9a-f]{7,40}$/.test(GitCommit ?? '') &&
    /^go\d/.test(GoVersion ?? '')
  return compared(isSame, `${BuildTime} ${GitCommit} ${GoVersion}`, 'a time, a commit in hex, go and a version')
}

/** That of Docker: dockerd is the process of its service. */
export const pipeServerProcess: Settler = async ({machine: {win32}}) => {
  const [server, service] = [await win32.pipeServer(DOCKER_PIPE), await win32.queryServiceStatus('docker')]
  if (!server || !service) return notSettled('no Docker is running as a service')
  const owner = /^O:(.+?)(?:G:|D:|$)/.exec(server.sddl)?.[1] ?? 'none'
  const isSame = server.processId === service.processId && ['BA', 'SY'].includes(owner)
  const seen = `process ${server.processId}, owner ${owner}`
  return compared(isSame, seen, `process ${service.processId}, owner BA or SY`)
}
