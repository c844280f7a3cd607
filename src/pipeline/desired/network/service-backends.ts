// Compares the backends of HNS' load balancers with the EndpointSlices of the cluster. kube-proxy can miss a change, and
// then sends connections to pods that are gone (kubernetes#131387, #130963; sig-windows-tools#380); a load balancer that
// something else removed it does not create again (kubernetes#135802).
import {kubeconfigOf} from '../../../components/identity.js'
import {isOutside, subnetOf} from '../../../components/overlay.js'
import {NETWORK_NAME} from '../../../config/model.js'
import {K8sWinError} from '../../../errors/k8s-win-error.js'
import type {EndpointSlice, ServiceEndpoint, ServicePort} from '../../../host/cluster/endpoints.js'
import {kubeconfigAt} from '../../../host/cluster/kubeconfig-file.js'
import {
  hasPolicy,
  type HnsEndpoint,
  type HnsNetwork,
  type HnsPolicyList,
  isBalancerOf,
  referredId,
  type Unreported,
} from '../../../host/hns/objects.js'
import {isAbsent} from '../../../config/shape.js'
import type {Host} from '../../../host/host.js'
import type {StepContext} from '../../run/step.js'
import {shortList} from '../../short-list.js'
import {momentAgo} from '../../../machine/clock.js'

/** More of them do not help to find the cause. */
const MOST_SHOWN = 5
/** kube-proxy has taken over a change by then, also where HNS is slow (kubernetes#109162). */
export const SETTLED_MS = 2 * 60_000
/** IANA's numbers, as HNS has them; kube-proxy creates no load balancer that works for other protocols. */
const PROTOCOLS: Readonly<Record<string, number>> = {TCP: 6, UDP: 17}

export interface Backends {
  readonly balancers: readonly HnsPolicyList[]
  /** Of HNS, all of them. */
  readonly endpoints: readonly HnsEndpoint[]
  readonly isOwnHost: (endpoint: ServiceEndpoint) => boolean
  /** A load balancer with some of its endpoints is accepted: kube-proxy may have chosen, or its turn has not come yet. */
  readonly isLenient?: true
  /** When a change is too new to be judged. */
  readonly newerThan: number
  readonly servicePorts: readonly ServicePort[]
  readonly slices: readonly EndpointSlice[]
}

/** What is wrong, in words, one for each port of a Service. What HNS left out is not wrong. */
export function wrongBackends(all: Backends): string[] {
  const {balancers, endpoints, isLenient, isOwnHost, newerThan, servicePorts, slices} = all
  const endpointOf = new Map(endpoints.map((one) => [one.ID.toLowerCase(), one]))
  const slicesOf = grouped(slices, ({namespace, service}) => [`${namespace}/${service}`])
  const balancersOf = grouped(balancers, ({Policies}) => Policies?.flatMap(({VIPs}) => VIPs ?? []) ?? [])
  const withoutAddress = balancers.filter((list) => hasPolicy(list, true, ({VIPs}) => isAbsent(VIPs)))
  return servicePorts.flatMap((service) => {
    const {clusterIP, isLocalOnly, name, namespace, port, portName, protocol} = service
    if (PROTOCOLS[protocol] === undefined) return []
    const its = slicesOf(`${namespace}/${name}`)
    if (its.some(({changedAt}) => changedAt > newerThan)) return []
    const wanted = its
      .filter(({ports}) => ports.some((one) => one.name === portName && one.protocol === protocol))
      .flatMap((slice) => slice.endpoints)
    const lists = balancersOf(clusterIP).filter((list) => balances(list, service, false))
    const possible = new Set(
      [...balancersOf(clusterIP), ...withoutAddress].filter((list) => balances(list, service, true)),
    )
    const backends = lists.flatMap(({References}) =>
      (References ?? []).map((reference) => endpointOf.get(referredId(reference).toLowerCase())),
    )
    const isUnreported =
      possible.size > lists.length ||
      lists.some(({References}) => isAbsent(References)) ||
      backends.some((one) => one && isAbsent(one.IPAddress))
    // A pod that is not ready may still be a backend: what is gone is none.
    const known = new Set(wanted.map(({address}) => address))
    const isStale = (one: HnsEndpoint | undefined): boolean =>
      one === undefined || (!isAbsent(one.IPAddress) && !known.has(one.IPAddress ?? ''))
    const stale = backends.filter(isStale).map((one) => one?.IPAddress)
    const there = new Set(backends.map((one) => one?.IPAddress))
    const isNeeded = (one: ServiceEndpoint): boolean => one.isReady && !isLocalOnly && !isOwnHost(one)
    const missing = isUnreported ? [] : wanted.filter((one) => isNeeded(one) && !there.has(one.address))
    const isMissed = missing.length > 0 && !(isLenient && lists.length > 0)
    if (stale.length === 0 && !isMissed) return []
    const title = `${namespace}/${name} (${clusterIP}:${port} ${protocol})`
    if (lists.length === 0) return [`${title} has no load balancer`]
    const wrong = [
      ...unique(stale.map((address) => address ?? 'an endpoint that no longer exists')).map(
        (address) => `sends to ${address}, which is not an endpoint of it`,
      ),
      ...unique(missing.map(({address}) => address)).map((address) => `does not send to ${address}`),
    ]
    return [`${title} ${wrong.join(' and ')}`]
  })
}

/** A cluster may have thousands of them. */
function grouped<T>(all: readonly T[], keysOf: (one: T) => readonly string[]): (key: string) => readonly T[] {
  const groups = new Map<string, T[]>()
  for (const one of all) {
    for (const key of keysOf(one)) {
      const group = groups.get(key)
      if (group) group.push(one)
      else groups.set(key, [one])
    }
  }
  return (key) => groups.get(key) ?? []
}

export const unique = (texts: readonly string[]): string[] => [...new Set(texts)]

const balances = (list: HnsPolicyList, {clusterIP, port, protocol}: ServicePort, unreported: Unreported): boolean =>
  hasPolicy(
    list,
    unreported,
    (policy) =>
      isBalancerOf(policy, {address: clusterIP, ports: [port]}, unreported) &&
      (typeof policy.Protocol !== 'number' || policy.Protocol === PROTOCOLS[protocol]),
  )

export const shownWrong = (wrong: readonly string[]): string => shortList(wrong, MOST_SHOWN, '; ')

/**
 * A pod of this node whose address is not in its pod network shares that of the host: kube-proxy does not find it. Where HNS
 * does not report the pod network, every pod of this node may be one.
 */
export function isOfHost(network: HnsNetwork, own: string): (endpoint: ServiceEndpoint) => boolean {
  const subnet = subnetOf(network)
  return ({address, node}) => node === own && (subnet === undefined || isOutside(subnet, address))
}

type Asked = Pick<Backends, 'servicePorts' | 'slices'>

/** Both lists may be long, and they change seldom: who waits for HNS asks for them once in this time. */
const RECENT_MS = 60_000
const recent = new WeakMap<Host, {readonly asked: Promise<Asked>; readonly until: number}>()

/** With kube-proxy's identity, which is not allowed to list them all in every cluster: then nothing is found. */
export async function findWrongBackends({config, host}: Pick<StepContext, 'config' | 'host'>): Promise<string[]> {
  const now = host.clock.elapsed()
  const known = recent.get(host)
  const asked = known && now < known.until ? known.asked : ask(host, kubeconfigOf(config, 'kube-proxy'))
  if (asked !== known?.asked) recent.set(host, {asked, until: now + RECENT_MS})
  const [lists, network, balancers, endpoints] = await Promise.all([
    asked,
    host.hns.network(NETWORK_NAME),
    host.hns.policyLists(),
    host.hns.endpoints(),
  ])
  if (!network) return []
  const isOwnHost = isOfHost(network, config.nodeName)
  return wrongBackends({
    ...lists,
    balancers,
    endpoints,
    isLenient: true,
    isOwnHost,
    newerThan: momentAgo(host.clock, SETTLED_MS),
  })
}

async function ask(host: Host, kubeconfig: string): Promise<Asked> {
  try {
    const cluster = host.cluster(await kubeconfigAt(host, kubeconfig))
    const [servicePorts, slices] = await Promise.all([cluster.servicePorts(), cluster.endpointSlices()])
    // Every cluster has those of the API server.
    return slices.length === 0 ? {servicePorts: [], slices} : {servicePorts, slices}
  } catch (error) {
    if (error instanceof K8sWinError) return {servicePorts: [], slices: []}
    throw error
  }
}
