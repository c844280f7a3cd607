// Whose a local server is, on a port or a named pipe. Any account may open one whose number or name is free and answer there in
// a daemon's place: so it is known by its process, not by what it says.
import type {Daemon} from '../config/daemons.js'
import {layoutOf} from '../config/layout.js'
import {portTaken} from '../errors/host.js'
import type {K8sWinError} from '../errors/k8s-win-error.js'
import {daemonUnwell, portOwnerUnknown} from '../errors/unhealthy-node.js'
import type {Files} from '../machine/files.js'
import {type Http, HttpError, type HttpRequest, type JudgePeer} from '../machine/http.js'
import type {Net} from '../machine/machine.js'
import {type Endpoint, type PortOwner, type Win32, Win32Error} from '../machine/win32.js'
import {at, parseJson, textAt} from './document.js'
import {processesAbove} from './launcher/detect.js'
import {processName} from './network.js'

type OfDaemon = Pick<Daemon, 'ports' | 'service'>

interface Unwell {
  readonly error: K8sWinError
  readonly said: string
  /** `taken`: another program has its port. `unknown`: whose port it is cannot be seen. Both say nothing about the daemon. */
  readonly state: 'refused' | 'sick' | 'taken' | 'unknown'
}

export type DaemonHealth = Unwell | {readonly said: string; readonly state: 'ok'}

type Whose = 'other' | 'ours' | 'unknown'

/** Why an answer says nothing about the daemon; undefined where it does. A restart of the daemon would not change it. */
export const notItsOwn = (health: DaemonHealth): K8sWinError | undefined =>
  health.state === 'taken' || health.state === 'unknown' ? health.error : undefined

export interface LocalServers {
  /** Whether a daemon accepts connections on a port of this host, if it is the daemon that does. */
  accepts(daemon: OfDaemon, end: Endpoint, deadlineMs: number): Promise<Unwell | boolean>
  /** What a daemon answers at its address on this host, if it is the daemon that answers. */
  health(
    daemon: OfDaemon,
    url: string,
    options: {readonly deadlineMs: number; readonly signal?: AbortSignal},
  ): Promise<DaemonHealth>
}

type Calls = Pick<Win32, 'peerProcess' | 'portOwners' | 'processes' | 'processStartedAt' | 'queryServiceStatus'>

interface LocalServerParts {
  readonly baseDir: string
  /** Of trusted folders only. */
  readonly files: Pick<Files, 'read'>
  readonly http: Pick<Http, 'request'>
  readonly net: Pick<Net, 'canConnect'>
  readonly win32: Calls
}

/** They return a word, or a few lines. */
const LARGEST_BYTES = 64 * 1024
const ANY = '0.0.0.0'
/** The number of no process that starts others. */
const NONE = 0
const ANY_V6 = '::'

/** The connection is another program's, or it cannot be seen whose. */
class NotTheDaemon extends Error {
  constructor(readonly unwell: Unwell) {
    super(unwell.said)
  }
}

export function openLocalServers({baseDir, files, http, net, win32: calls}: LocalServerParts): LocalServers {
  /** By its record, which only administrators can write. One that began later has only the number of the holder. */
  const lockHolder = async (): Promise<number> => {
    const written = await files.read(layoutOf(baseDir).lock).catch(() => undefined)
    const record = written && parseJson(written.toString('utf8'))
    const id = at(record, 'processId')
    if (typeof id !== 'number') return NONE
    const since = await calls.processStartedAt(id)
    return since !== undefined && since <= Date.parse(textAt(record, 'since')) ? id : NONE
  }

  /** Of the service, or of the run of k8s-win that holds the lock: "k8s-win run" starts the daemon in its place. */
  const whoseOf = async (service: string, id: number): Promise<Whose> => {
    const {processId = NONE} = (await calls.queryServiceStatus(service)) ?? {}
    const ofService = await whoseProcess(calls, id, processId)
    return ofService === 'ours' ? ofService : whoseProcess(calls, id, await lockHolder())
  }

  /** Undefined where it is the daemon's. */
  const judge = async (daemon: OfDaemon, port: number, id: number): Promise<Unwell | undefined> => {
    const whose = await whoseOf(daemon.service, id)
    if (whose === 'ours') return undefined
    const owner = await processName(calls, id)
    return whose === 'other' ? taken(daemon, port, owner) : unknown(daemon, `${owner} has port ${port}`)
  }

  /** While the connection is open: who listens before and after may be another. */
  const peerJudge =
    (daemon: OfDaemon): JudgePeer =>
    async (ends) => {
      const {port} = ends.remote
      const unwell = await unlessRefused(daemon, async () => {
        const id = await calls.peerProcess(ends)
        if (id === undefined)
          return unknown(daemon, `Windows does not show who has accepted a connection to port ${port}`)
        return judge(daemon, port, id)
      })
      if (unwell) throw new NotTheDaemon(unwell)
    }

  /**
   * Why there was no connection, or nobody's was judged: any account can refuse connections in a daemon's place. Undefined where
   * nothing listens.
   */
  const unconnected = (daemon: OfDaemon, {address, port}: Endpoint): Promise<Unwell | undefined> =>
    unlessRefused(daemon, async () => {
      const owners = chosen(await calls.portOwners('tcp', port), address)
      for (const id of owners) {
        const unwell = await judge(daemon, port, id)
        if (unwell) return unwell
      }
      if (owners.length === 0) return undefined
      return unknown(daemon, `${daemon.service} listens on port ${port}, but there was no connection to it`)
    })

  return {
    async accepts(daemon, end, deadlineMs) {
      try {
        if (await net.canConnect(end.address, end.port, deadlineMs, peerJudge(daemon))) return true
      } catch (error) {
        if (error instanceof NotTheDaemon) return error.unwell
        throw error
      }
      const unwell = await unconnected(daemon, end)
      return unwell?.state === 'taken' ? unwell : false
    },
    async health(daemon, address, options) {
      try {
        const {code, ...health} = await ask(http, daemon, address, {...options, judgePeer: peerJudge(daemon)})
        if (code !== REFUSED && code !== 'UNJUDGED') return health
        const {hostname, port} = new URL(address)
        const unwell = await unconnected(daemon, {address: hostname, port: Number(port)})
        // Windows and the port say the same: nothing listens.
        return unwell ?? (code === REFUSED ? health : unknown(daemon, health.said))
      } catch (error) {
        if (error instanceof NotTheDaemon) return error.unwell
        throw error
      }
    },
  }
}

const REFUSED = 'ECONNREFUSED'

async function unlessRefused(daemon: OfDaemon, look: () => Promise<Unwell | undefined>): Promise<Unwell | undefined> {
  try {
    return await look()
  } catch (error) {
    if (error instanceof Win32Error) return unknown(daemon, error.message)
    throw error
  }
}

function taken({ports, service}: OfDaemon, port: number, owner: string): Unwell {
  const user = ports.find((one) => one.port === port)?.user ?? service
  const error = portTaken({owner, port: String(port), protocol: 'tcp', user})
  return {error, said: `${owner} listens on port ${port}`, state: 'taken'}
}

const unknown = ({service}: OfDaemon, said: string): Unwell => ({
  error: portOwnerUnknown({said, service}),
  said,
  state: 'unknown',
})

/**
 * The listeners that Windows chooses for a connection to an address: the nearest (assumed). Go listens on :: for both families
 * (net/ipsock_posix.go, favoriteAddrFamily), of which the table of IPv4 may have no row.
 */
function chosen(owners: readonly PortOwner[], address: string): readonly number[] {
  const on = [address, ANY, ANY_V6].find((one) => owners.some((owner) => owner.address === one))
  return [...new Set(owners.flatMap((owner) => (owner.address === on ? [owner.processId] : [])))]
}

async function ask(
  http: LocalServerParts['http'],
  {service}: OfDaemon,
  url: string,
  options: Pick<HttpRequest, 'deadlineMs' | 'judgePeer' | 'signal'>,
): Promise<DaemonHealth & {readonly code?: string}> {
  try {
    // The port may be another program's by now: nothing leads k8s-win from there to another address.
    const limits = {followRedirects: false, maxBytes: LARGEST_BYTES}
    const {status} = await http.request({...options, ...limits, effect: 'read', isProbe: true, method: 'GET', url})
    const said = `${url} returned ${status}`
    return status === 200 ? {said, state: 'ok'} : {error: daemonUnwell({said, service}), said, state: 'sick'}
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    const said = `${url} does not respond (${error.code})`
    return {code: error.code, error: daemonUnwell({said, service}), said, state: 'refused'}
  }
}

/**
 * Whether this process is it, or is above it. Unknown where it has ended meanwhile, or Windows denies when it or one
 * above it began.
 */
export async function whoseProcess(
  calls: Pick<Win32, 'processes' | 'processStartedAt'>,
  id: number,
  top: number,
): Promise<Whose> {
  if (top !== NONE && id === top) return 'ours'
  const above = await processesAbove(calls, id)
  if (top !== NONE && above.some((one) => one.id === top)) return 'ours'
  const running = await calls.processes()
  const last = above.at(-1) ?? running.find((one) => one.id === id)
  if (!last || (await calls.processStartedAt(last.id)) === undefined) return 'unknown'
  const isHidden = last.parentId !== NONE && running.some((one) => one.id === last.parentId)
  return isHidden && (await calls.processStartedAt(last.parentId)) === undefined ? 'unknown' : 'other'
}
