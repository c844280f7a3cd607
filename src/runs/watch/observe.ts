// What watch sees of a node every few seconds. Cheap reads only: no program is started, no digest is read, and the cluster is
// not asked. A part that hangs or fails is missing in what was seen, and is not asked again before it has answered.
import {win32} from 'node:path'
import {programPaths} from '../../artifacts/programs.js'
import {daemonsOf, runtimeService} from '../../config/daemons.js'
import {subnetOf} from '../../components/overlay.js'
import {layoutOf, NET_CONF} from '../../config/layout.js'
import {type Decided, NETWORK_NAME} from '../../config/model.js'
import type {HnsPolicyList} from '../../host/hns/objects.js'
import type {Host} from '../../host/host.js'
import type {DaemonHealth} from '../../host/local-server.js'
import type {withinOnce} from '../../host/wait.js'
import {usedAddress} from '../../health/node-checks.js'
import type {ServiceConfig, ServiceStatus} from '../../machine/win32.js'
import type {Life} from '../../host/services/services.js'
import type {Journal} from '../../pipeline/ledger/journal.js'
import {stoppedBy, stoppedOn} from '../daemons/stopped.js'
import type {Trouble} from './model.js'
import {certificateTrouble} from './node-identity.js'
import {lostSince} from '../../pipeline/desired/network/network-guard.js'
import {isRecordOpen} from '../../pipeline/desired/network/network-records.js'

export interface WatchedNode {
  readonly config: Decided
  readonly host: Host
  readonly journal: Journal
}

export type SeenStates = Readonly<Record<string, ServiceStatus | undefined>>

/** Undefined: not known. */
export interface Seen {
  /** By the clock of the host. */
  readonly at?: number
  /** The address that the daemons use, where no adapter has it. */
  readonly addressLost?: {readonly adapters: string; readonly address: string} | undefined
  /** One of the kubelet's that was not renewed. */
  readonly certificate?: Trouble | undefined
  readonly configs?: Readonly<Record<string, ServiceConfig | undefined>> | undefined
  readonly health?: Readonly<Record<string, DaemonHealth>> | undefined
  readonly hns?: SeenHns | undefined
  /** Services that a restart or run has stopped, to start them again: where none holds the lock, it was killed. */
  readonly interrupted?: readonly string[] | undefined
  /** A run that ended early has recorded the host's network before a switch, and has not compared it after. */
  readonly isUncompared?: boolean | undefined
  readonly lives?: Readonly<Record<string, Life | undefined>> | undefined
  /** Of the host's own network, in words. */
  readonly lost?: readonly string[] | undefined
  /** Of programs and configuration: another one where something was changed. */
  readonly stamp?: string | undefined
  readonly states?: SeenStates | undefined
}

export interface SeenHns {
  /** What kube-proxy has created: the address and port of each load balancer, and the endpoint of its source VIP. */
  readonly balancers: readonly string[]
  /** The overlay network, where it exists. Its subnet, where HNS reports it. */
  readonly overlay?: {readonly subnet?: string | undefined} | undefined
  /** The address that is reserved for kube-proxy. */
  readonly vip?: string | undefined
}

export const HNS = 'hns'
const HEALTH_MS = 2000

/** The service of a runtime that k8s-win did not install. */
export const othersRuntime = (config: Pick<Decided, 'containerd' | 'runtime'>): string | undefined => {
  const {isOurs, service} = runtimeService(config)
  return isOurs ? undefined : service
}

export type Observer = ReturnType<typeof openObserver>

/** `read`: one for all observers of this process, so that a part that hangs for one is not asked again by the next. */
export function openObserver(node: WatchedNode, read: ReturnType<typeof withinOnce>) {
  const {config, host} = node
  const {clock, files, hns, ipam, services} = host
  const daemons = daemonsOf(config)
  const names = [...daemons.map(({service}) => service as string), HNS].concat(othersRuntime(config) ?? [])
  const {containerd, kubeletConfig, nodeConfig} = layoutOf(config.baseDir)
  const isDaemons = (path: string): boolean => daemons.some(({program}) => win32.basename(path) === `${program}.exe`)
  const stamped = [nodeConfig, kubeletConfig, NET_CONF, containerd.config, ...programPaths(config).filter(isDaemons)]
  const parts: {readonly [Part in keyof Omit<Seen, 'at'>]-?: () => Promise<Seen[Part]>} = {
    addressLost: () => lostAddress(host),
    certificate: () => certificateTrouble(node),
    configs: () => byName(names, (name) => services.config(name)),
    async health() {
      const answers = daemons.flatMap((daemon) => {
        const url = daemon.health?.(config)
        if (url === undefined) return []
        return [host.servers.health(daemon, url, {deadlineMs: HEALTH_MS}).then((one) => [daemon.service, one] as const)]
      })
      return Object.fromEntries(await Promise.all(answers))
    },
    async hns() {
      // One after the other: each that hangs keeps one of the four threads that files and services need, too.
      const network = await hns.network(NETWORK_NAME)
      const [lists, endpoints, vip] = [await hns.policyLists(), await hns.endpoints(), await ipam.find(NETWORK_NAME)]
      const overlay = network && {subnet: subnetOf(network)}
      const ofVip = endpoints.filter(({IPAddress}) => vip && IPAddress === vip).map(() => `the endpoint of ${vip}`)
      return {balancers: [...lists.flatMap(balancedBy), ...ofVip], overlay, vip}
    },
    interrupted: async () => stoppedBy(await stoppedOn(node), 'restart', 'run'),
    isUncompared: async () => isRecordOpen(node),
    lives: () =>
      byName(names, (name) => {
        const wrapped = daemons.find(({service, wrapper}) => service === name && wrapper === 'shawl')
        return services.life(name, wrapped && `${wrapped.program}.exe`)
      }),
    lost: () => lostSince(node),
    stamp: async () =>
      JSON.stringify([
        await Promise.all(stamped.map((path) => files.status(path))),
        await byName(names, (name) => services.config(name)),
      ]),
    states: () => byName(names, (name) => services.status(name)),
  }
  const ask = (name: keyof typeof parts): Promise<unknown> => read<unknown>(name, parts[name]).catch(() => undefined)
  return {
    /** Everything. */
    observe: async (): Promise<Seen> => ({
      at: clock.now(),
      ...(await byName(Object.keys(parts), (name) => ask(name as keyof typeof parts))),
    }),
    /** Only the states of the services, between two of those. */
    poll: async () => (await ask('states')) as SeenStates | undefined,
  }
}

async function byName<T>(
  names: readonly string[],
  read: (name: string) => Promise<T>,
): Promise<Readonly<Record<string, T>>> {
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await read(name)] as const)))
}

const balancedBy = ({Policies}: HnsPolicyList): string[] =>
  (Policies ?? []).flatMap(({ExternalPort, Protocol, Type, VIPs}) =>
    Type?.toUpperCase() === 'ELB'
      ? (VIPs ?? []).map((vip) => `${vip}:${String(ExternalPort)}/${String(Protocol)}`)
      : [],
  )

async function lostAddress(host: Host): Promise<Seen['addressLost']> {
  const [address, adapters] = await Promise.all([usedAddress({host}), host.network.adapters()])
  const all = adapters.flatMap(({addresses, name}) => addresses.map((own) => ({address: own.address, name})))
  if (address === undefined || all.some((own) => own.address === address)) return undefined
  return {adapters: all.map((own) => `"${own.name}" has ${own.address}`).join(', ') || 'none', address}
}
