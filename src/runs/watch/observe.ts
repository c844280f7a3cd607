// What watch sees of a node every few seconds. Cheap reads only: no program is started, no digest is read, and the cluster is
// not asked. A part that hangs or fails is missing in what was seen, and is not asked again before it has answered.
import {win32} from 'node:path'
import {programPaths} from '../../artifacts/programs.js'
import {daemonsOf} from '../../config/daemons.js'
import {layoutOf, NET_CONF} from '../../config/layout.js'
import {type Decided, DOCKER_SERVICE, NETWORK_NAME} from '../../config/model.js'
import type {HnsPolicyList} from '../../host/hns/objects.js'
import type {Host} from '../../host/host.js'
import {type DaemonHealth, daemonHealth} from '../../host/local-health.js'
import {orGivenUp} from '../../host/wait.js'
import {usedAddress} from '../../health/node-checks.js'
import type {ServiceConfig, ServiceStatus} from '../../machine/win32.js'
import type {Journal} from '../../pipeline/ledger/journal.js'
import type {Trouble} from './model.js'
import {certificateTrouble} from './node-identity.js'
import {lostSince} from '../../pipeline/desired/network/network-guard.js'

export interface WatchedNode {
  readonly config: Decided
  readonly host: Host
  readonly journal: Journal
}

/** One life of a daemon's program: under shawl that of shawl's child. */
export interface Life {
  readonly id: number
  readonly since: number
}

export type SeenStates = Readonly<Record<string, ServiceStatus | undefined>>

/** Undefined: not known. */
export interface Seen {
  /** By the clock of the host. */
  readonly at?: number
  /** The address that the daemons use, where no adapter has it. */
  readonly addressLost?: {readonly adapters: string; readonly address: string} | undefined
  /** That it was not renewed. */
  readonly certificate?: Trouble | undefined
  readonly configs?: Readonly<Record<string, ServiceConfig | undefined>> | undefined
  readonly health?: Readonly<Record<string, DaemonHealth>> | undefined
  readonly hns?: SeenHns | undefined
  readonly lives?: Readonly<Record<string, Life | undefined>> | undefined
  /** Of the host's own network, in words. */
  readonly lost?: readonly string[] | undefined
  /** Of programs and configuration: another one where something was changed. */
  readonly stamp?: string | undefined
  readonly states?: SeenStates | undefined
}

export interface SeenHns {
  /** The address and port of each load balancer. */
  readonly balancers: readonly string[]
  /** Of the overlay network, where it exists. */
  readonly subnet?: string | undefined
  /** The address that is reserved for kube-proxy. */
  readonly vip?: string | undefined
}

export const HNS = 'hns'
const PART_MS = 10_000
const HEALTH_MS = 2000

/** The service of a runtime that k8s-win did not install. */
export const othersRuntime = ({containerd, runtime}: Pick<Decided, 'containerd' | 'runtime'>): string | undefined => {
  if (runtime === 'docker') return DOCKER_SERVICE
  return containerd.isOurs ? undefined : containerd.service
}

export interface Observer {
  /** Everything. */
  observe(): Promise<Seen>
  /** Only the states of the services, between two of those. */
  poll(): Promise<SeenStates | undefined>
}

export function openObserver(node: WatchedNode, signal: AbortSignal): Observer {
  const {config, host} = node
  const daemons = daemonsOf(config)
  const runtime = othersRuntime(config) ?? []
  const names = [...daemons.map(({service}) => service as string), HNS].concat(runtime)
  const {clock, files, hns, services} = host
  const part = <T>(read: () => Promise<T>): (() => Promise<T | undefined>) => {
    let reading: Promise<T> | undefined
    // What hangs would keep a thread for each time that it is asked.
    return async () => {
      if (reading) return undefined
      reading = read()
      const forget = (): void => void (reading = undefined)
      reading.then(forget, forget)
      return orGivenUp(clock, PART_MS, reading)
    }
  }

  const states = part(async () => byName(names, (name) => services.status(name)))
  const configs = part(async () => byName(names, (name) => services.config(name)))
  const network = part(async (): Promise<SeenHns> => {
    const [overlay, lists, vip] = await Promise.all([
      hns.network(NETWORK_NAME),
      hns.policyLists(),
      host.ipam.find(NETWORK_NAME),
    ])
    const subnet = overlay && (overlay.Subnets?.[0]?.AddressPrefix ?? '')
    return {balancers: lists.flatMap(balancedBy), subnet, vip}
  })
  const lost = part(() => lostSince(node))
  const address = part(() => lostAddress(host))
  const certificate = part(() => certificateTrouble(node))
  const stamp = part(async () => {
    const {containerd, kubeletConfig, nodeConfig} = layoutOf(config.baseDir)
    const programs = programPaths(config).filter((path) =>
      daemons.some(({program}) => win32.basename(path) === `${program}.exe`),
    )
    const all = [nodeConfig, kubeletConfig, NET_CONF, containerd.config, ...programs]
    return JSON.stringify(await Promise.all(all.map((path) => files.status(path))))
  })
  const livesOf = part(async () => {
    const [all, now] = await Promise.all([services.processes(), byName(names, (name) => services.status(name))])
    return byName(
      daemons.map(({service}) => service),
      async (service): Promise<Life | undefined> => {
        const own = now[service]?.processId ?? 0
        const daemon = daemons.find((one) => one.service === service)
        const isChild = daemon?.wrapper === 'shawl'
        const id = isChild ? all.find(({parentId}) => own !== 0 && parentId === own)?.id : own
        const since = id ? await services.startedAt(id) : undefined
        return id && since !== undefined ? {id, since} : undefined
      },
    )
  })
  const health = part(async () => {
    const asked = daemons.flatMap(({health: url, service}) => (url ? [{service, url: url(config)}] : []))
    const said = asked.map(async ({service, url}) => {
      const answer = await daemonHealth(host.http, url, {deadlineMs: HEALTH_MS, signal})
      return [service, answer] as const
    })
    return Object.fromEntries(await Promise.all(said))
  })
  return {
    async observe() {
      const [ofHost, identity] = [Promise.all([lost(), address(), stamp()]), certificate()]
      const all = await Promise.all([states(), configs(), livesOf(), health(), network(), ofHost])
      const [seenStates, seenConfigs, lives, said, seenHns, [losses, addressLost, stamped]] = all
      return {
        addressLost,
        at: clock.now(),
        certificate: await identity,
        configs: seenConfigs,
        health: said,
        hns: seenHns,
        lives,
        lost: losses,
        stamp: stamped && stamped + JSON.stringify(seenConfigs),
        states: seenStates,
      }
    },
    poll: states,
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
