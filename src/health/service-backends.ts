// Compares the backends of HNS' load balancers with the EndpointSlices of the cluster. kube-proxy can miss a change, and
// then sends connections to pods that are gone (kubernetes#131387, #130963; sig-windows-tools#380).
import {isInside} from '../config/cidr.js'
import {DAEMON} from '../config/daemons.js'
import {KUBE_PROXY, NETWORK_NAME} from '../config/model.js'
import {backendsWrong} from '../errors/unhealthy-node.js'
import type {EndpointSlice, ServiceEndpoint, ServicePort} from '../host/cluster/endpoints.js'
import type {HnsEndpoint, HnsPolicyList} from '../host/hns/objects.js'
import {readDaemonWords, withKnown} from '../pipeline/run/known-failure.js'
import {shortList} from '../pipeline/short-list.js'
import {check, type Finding, notChecked, pass, warn} from '../preflight/check.js'
import {type Facts, unlessForbidden} from '../preflight/facts.js'

/** kube-proxy has taken over a change by then, also where HNS is slow (kubernetes#109162). */
const SETTLED_MS = 2 * 60_000
/** More of them do not help to find the cause. */
const MOST_SHOWN = 5
/** IANA's numbers, as HNS has them; kube-proxy creates no load balancer that works for other protocols. */
const PROTOCOLS: Readonly<Record<string, number>> = {TCP: 6, UDP: 17}

export interface Backends {
  readonly balancers: readonly HnsPolicyList[]
  /** Of HNS, all of them. */
  readonly endpoints: readonly HnsEndpoint[]
  /** A pod of this node whose address is not in its pod network shares that of the host: kube-proxy does not find it. */
  readonly isOwnHost: (endpoint: ServiceEndpoint) => boolean
  /** When a change is too new to be judged. */
  readonly newerThan: number
  readonly servicePorts: readonly ServicePort[]
  readonly slices: readonly EndpointSlice[]
}

/** What is wrong, in words, one for each port of a Service. */
export function wrongBackends({balancers, endpoints, isOwnHost, newerThan, servicePorts, slices}: Backends): string[] {
  const addresses = new Map(endpoints.map(({ID, IPAddress}) => [ID.toLowerCase(), IPAddress ?? '']))
  const slicesOf = grouped(slices, ({namespace, service}) => [`${namespace}/${service}`])
  const balancersOf = grouped(balancers, ({Policies}) => Policies?.flatMap(({VIPs}) => VIPs ?? []) ?? [])
  return servicePorts.flatMap((service) => {
    const {clusterIP, isLocalOnly, name, namespace, port, portName, protocol} = service
    if (PROTOCOLS[protocol] === undefined) return []
    const its = slicesOf(`${namespace}/${name}`)
    if (its.some(({changedAt}) => changedAt > newerThan)) return []
    const wanted = its
      .filter(({ports}) => ports.some((one) => one.name === portName && one.protocol === protocol))
      .flatMap((slice) => slice.endpoints)
    const lists = balancersOf(clusterIP).filter((list) => isBalancerOf(list, service))
    const backends = lists.flatMap(({References}) =>
      (References ?? []).map((path) => addresses.get(path.slice(path.lastIndexOf('/') + 1).toLowerCase())),
    )
    // A pod that is not ready may still be a backend: what is gone is none.
    const known = new Set<string | undefined>(wanted.map(({address}) => address))
    const stale = backends.filter((address) => !known.has(address))
    const there = new Set(backends)
    const missing = wanted.filter((one) => one.isReady && !isLocalOnly && !isOwnHost(one) && !there.has(one.address))
    if (stale.length === 0 && missing.length === 0) return []
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

const unique = (texts: readonly string[]): string[] => [...new Set(texts)]

const isBalancerOf = ({Policies}: HnsPolicyList, {clusterIP, port, protocol}: ServicePort): boolean =>
  Policies?.some(
    ({ExternalPort, Protocol, Type, VIPs}) =>
      Type?.toUpperCase() === 'ELB' &&
      ExternalPort === port &&
      (typeof Protocol !== 'number' || Protocol === PROTOCOLS[protocol]) &&
      VIPs?.includes(clusterIP) === true,
  ) === true

/** Only what kube-proxy's identity may list can be compared, and kube-proxy itself knows no more. */
async function judge(facts: Facts, namespace?: string, address?: string): Promise<Finding> {
  const {config, host} = facts
  const network = await host.hns.network(NETWORK_NAME)
  if (!network) return notChecked(`the network ${NETWORK_NAME} does not exist`)
  const subnet = network.Subnets?.[0]?.AddressPrefix ?? ''
  const status = await host.services.status(KUBE_PROXY)
  if (status?.state !== 'running') return notChecked('kube-proxy is not running')
  const cluster = await facts.cluster('kube-proxy')
  const [all, slices, own, {clockAheadMs = 0}] = await Promise.all([
    unlessForbidden(cluster.servicePorts(namespace)),
    unlessForbidden(cluster.endpointSlices(namespace)),
    facts.nodeName(),
    facts.server(),
  ])
  if (!all || !slices) return notChecked('the identity of kube-proxy is not allowed to list Services')
  // Every cluster has those of the API server.
  if (slices.length === 0) return notChecked('the cluster lists no EndpointSlices')
  const servicePorts = address === undefined ? all : all.filter(({clusterIP}) => clusterIP === address)
  const [balancers, endpoints] = await Promise.all([host.hns.policyLists(), host.hns.endpoints()])
  const isOwnHost = ({address: its, node}: ServiceEndpoint): boolean => node === own && !isInside(subnet, its)
  const newerThan = host.clock.now() - clockAheadMs - SETTLED_MS
  const wrong = wrongBackends({balancers, endpoints, isOwnHost, newerThan, servicePorts, slices})
  if (wrong.length === 0) {
    const outside = servicePorts.filter(({clusterIP}) => !isInside(config.serviceCIDR, clusterIP))
    return outside.length === 0
      ? pass(`the load balancers of ${servicePorts.length} ports have their endpoints`)
      : warn(
          `pods on this node reach these Services with a translated address or not at all, because they are outside --service-cidr ${config.serviceCIDR}: ${shown(unique(outside.map(({clusterIP, name, namespace: its}) => `${its}/${name} (${clusterIP})`)))}`,
          'Pass all service networks of the cluster ("kubectl get servicecidrs"), separated by commas, to setup: --service-cidr.',
        )
  }

  const since = await host.services.startedAt(status.processId)
  if (since !== undefined && host.clock.now() - since < SETTLED_MS) {
    return notChecked(`kube-proxy has just started, and has not created all load balancers yet: ${shown(wrong)}`)
  }
  const {known} = await readDaemonWords({config, host}, DAEMON.kubeproxy)
  throw withKnown(backendsWrong({seen: shown(wrong)}), known)
}

const shown = (wrong: readonly string[]): string => shortList(wrong, MOST_SHOWN, '; ')

export const serviceBackends = check(
  'service-backends',
  {failsOnNode: true, needs: ['hns', 'cluster'], on: 'node', only: 'doctor', title: 'Backends of Services'},
  (facts) => judge(facts),
)

/** Without DNS nothing works in pods, so it is compared by status too: it is in one namespace, and few. */
export const dnsBackends = check(
  'dns-backends',
  {needs: ['hns', 'cluster'], on: 'node', title: 'Backends of cluster DNS'},
  async (facts) => {
    const address = await facts.clusterDNS()
    if (address === undefined) return notChecked('the address of the cluster DNS is unknown')
    return judge(facts, 'kube-system', address)
  },
)
