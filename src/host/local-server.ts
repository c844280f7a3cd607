// Whose a local server is, on a port or a named pipe. Any account may open one whose number or name is free and answer there in
// a daemon's place: so it is known by its process, not by what it says.
import type {Daemon} from '../config/daemons.js'
import {layoutOf} from '../config/layout.js'
import {portTaken} from '../errors/host.js'
import type {K8sWinError} from '../errors/k8s-win-error.js'
import {daemonUnwell, portOwnerUnknown} from '../errors/unhealthy-node.js'
import type {Files} from '../machine/files.js'
import {type Http, HttpError} from '../machine/http.js'
import {type PortOwner, type Win32, Win32Error} from '../machine/win32.js'
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

type Listener = 'none' | 'ours' | Unwell

/** Why an answer says nothing about the daemon; undefined where it does. A restart of the daemon would not change it. */
export const notItsOwn = (health: DaemonHealth): K8sWinError | undefined =>
  health.state === 'taken' || health.state === 'unknown' ? health.error : undefined

export interface LocalServers {
  /** What a daemon answers at its address on this host, if it is the daemon that answers. */
  health(
    daemon: OfDaemon,
    url: string,
    options: {readonly deadlineMs: number; readonly signal?: AbortSignal},
  ): Promise<DaemonHealth>
  /** Undefined where the daemon has the port, or nothing listens there. */
  problem(daemon: OfDaemon, address: string, port: number): Promise<K8sWinError | undefined>
}

type Calls = Pick<Win32, 'portOwners' | 'processes' | 'processStartedAt' | 'queryServiceStatus'>

interface LocalServerParts {
  readonly baseDir: string
  /** Of trusted folders only. */
  readonly files: Pick<Files, 'read'>
  readonly http: Pick<Http, 'request'>
  readonly win32: Calls
}

/** They return a word, or a few lines. */
const LARGEST_BYTES = 64 * 1024
const ANY = '0.0.0.0'
/** The number of no process that starts others. */
const NONE = 0
const ANY_V6 = '::'

export function openLocalServers({baseDir, files, http, win32: calls}: LocalServerParts): LocalServers {
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

  const judge = async (daemon: OfDaemon, port: number, owners: readonly number[]): Promise<Listener> => {
    for (const id of owners) {
      const whose = await whoseOf(daemon.service, id)
      if (whose === 'ours') continue
      const owner = await processName(calls, id)
      return whose === 'other' ? taken(daemon, port, owner) : unknown(daemon, `${owner} listens on port ${port}`)
    }
    return owners.length === 0 ? 'none' : 'ours'
  }

  const look = async (daemon: OfDaemon, {hostname, port}: URL, before?: Looked): Promise<Looked> => {
    try {
      const owners = chosen(await calls.portOwners('tcp', Number(port)), hostname)
      const isSame = before !== undefined && String(before.owners) === String(owners)
      return {listener: isSame ? before.listener : await judge(daemon, Number(port), owners), owners}
    } catch (error) {
      if (!(error instanceof Win32Error)) throw error
      return {listener: unknown(daemon, error.message), owners: []}
    }
  }

  return {
    async health(daemon, address, options) {
      const url = new URL(address)
      const before = await look(daemon, url)
      if (typeof before.listener === 'object') return before.listener
      const {code, ...health} = await ask(http, daemon, address, options)
      const {listener} = await look(daemon, url, before)
      if (typeof listener === 'object') return listener
      const isOurs = before.listener === 'ours' && listener === 'ours'
      // Windows and the port say the same: nothing listens.
      if (isOurs || code === 'ECONNREFUSED') return health
      return unknown(daemon, `no process was seen to listen on port ${url.port}`)
    },
    async problem(daemon, address, port) {
      const {listener} = await look(daemon, new URL(`http://${address}:${port}`))
      return typeof listener === 'object' ? listener.error : undefined
    },
  }
}

interface Looked {
  readonly listener: Listener
  readonly owners: readonly number[]
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
  options: {readonly deadlineMs: number; readonly signal?: AbortSignal},
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
