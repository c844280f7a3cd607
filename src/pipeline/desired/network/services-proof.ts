// Do Services work on this node? /healthz of kube-proxy answers 200 as soon as it listens, even if HNS rejects its
// source VIP or the cluster its requests (pkg/proxy/healthcheck/proxier_health.go, winkernel/proxier.go). Load
// balancers alone prove nothing either, because they outlive kube-proxy. So both are checked, and the source VIP.
import {kubeconfigOf} from '../../../components/identity.js'
import {firstAddress} from '../../../config/cidr.js'
import {DAEMON} from '../../../config/daemons.js'
import {NETWORK_NAME, type Node} from '../../../config/model.js'
import {serverLost} from '../../../errors/health.js'
import {K8sWinError} from '../../../errors/k8s-win-error.js'
import type {Cluster} from '../../../host/cluster/cluster.js'
import {kubeconfigAt} from '../../../host/cluster/kubeconfig-file.js'
import {
  type Balanced,
  hasAddress,
  type HnsEndpoint,
  type HnsNetwork,
  type HnsPolicyList,
  isBalanced,
  isOn,
  type Unreported,
} from '../../../host/hns/objects.js'
import type {Host} from '../../../host/host.js'
import {notItsOwn} from '../../../host/local-server.js'
import {orAborted} from '../../../host/wait.js'
import {DeadlineError} from '../../../machine/clock.js'

/**
 * What is missing: kube-proxy's health, the endpoint of its source VIP, a load balancer, or only the list of Services.
 */
export type ServicesFault = 'balancer' | 'health' | 'source-vip' | 'unproven'

export interface ServicesProof {
  /** Why kube-proxy's health says nothing about it: no restart helps. */
  readonly error?: K8sWinError
  /** Undefined where Services work, and where HNS left out what would show that they do not. */
  readonly fault?: ServicesFault
  /** HNS left out what would prove that Services work. */
  readonly isUnreported?: true
  /** The number of objects that HNS has of kube-proxy: it grows while kube-proxy is working. */
  readonly made: number
  readonly seen: string
  /** Why kube-proxy's identity could not query the cluster, which stops kube-proxy too. */
  readonly silence?: K8sWinError
}

interface WantedBalancers {
  readonly services: readonly (Balanced & {readonly title: string})[]
  readonly silence?: K8sWinError
}

const HEALTH_MS = 5000
/** Less than a health check has, so that dropped packets are reported as such. */
const ANSWER_MS = 4000

type Context = {readonly config: Node; readonly host: Host}

/** Whoever waits asks every second for what HNS has: what the cluster has changes seldom, and many nodes may wait at once. */
const RECENT_MS = 30_000
const recent = new WeakMap<Host, {readonly until: number; readonly wanted: WantedBalancers}>()

export async function proveServices({config, host}: Context): Promise<ServicesProof> {
  const {until = 0, wanted: known} = recent.get(host) ?? {}
  const [health, vip, network, endpoints, lists, wanted] = await Promise.all([
    host.servers.health(DAEMON.kubeproxy, DAEMON.kubeproxy.health(config), {deadlineMs: HEALTH_MS}),
    host.ipam.find(NETWORK_NAME),
    host.hns.network(NETWORK_NAME),
    host.hns.endpoints(),
    host.hns.policyLists(),
    known && host.clock.elapsed() < until ? known : wantedBalancers({config, host}),
  ])
  if (wanted !== known && !wanted.silence) recent.set(host, {until: host.clock.elapsed() + RECENT_MS, wanted})
  const rest = {made: endpoints.length + lists.length, ...(wanted.silence && {silence: wanted.silence})}
  if (health.state !== 'ok') {
    const error = notItsOwn(health)
    return {fault: 'health', seen: health.said, ...(error && {error}), ...rest}
  }
  const inHns = {endpoints, lists, network, services: wanted.services, vip}
  const missing = missingInHns(inHns, true)
  if (missing) return {...missing, ...rest}
  const unproven = missingInHns(inHns, false)
  const seen = unproven
    ? `HNS left out fields of its objects, without which this is unknown: ${unproven.seen}`
    : `HNS has load balancers for ${wanted.services.map(({title}) => title).join(', ')}`
  // They may be left from a time when it was allowed to list, and DNS is not among them.
  return wanted.silence
    ? {fault: 'unproven', seen: `${seen}; which others are required is unknown`, ...rest}
    : {...(unproven && {isUnreported: true}), seen, ...rest}
}

interface InHns extends Pick<WantedBalancers, 'services'> {
  readonly endpoints: readonly HnsEndpoint[]
  readonly lists: readonly HnsPolicyList[]
  readonly network: HnsNetwork | undefined
  readonly vip: string | undefined
}

/** What is missing of kube-proxy's objects for these Services. */
function missingInHns(
  {endpoints, lists, network, services, vip}: InHns,
  unreported: Unreported,
): {readonly fault: ServicesFault; readonly seen: string} | undefined {
  const onNetwork = endpoints.filter((one) => network && isOn(one, network, unreported))
  if (vip === undefined || !onNetwork.some((one) => hasAddress(one, vip, unreported))) {
    const seen = `HNS has no endpoint with the source VIP ${vip ?? '(none is reserved)'} on ${NETWORK_NAME}`
    return {fault: 'source-vip', seen}
  }

  const missing = services.filter((one) => !isBalanced(one, lists, onNetwork, unreported)).map(({title}) => title)
  if (missing.length === 0) return undefined
  return {fault: 'balancer', seen: `HNS has no load balancer for ${missing.join(', ')}; it has ${lists.length} others`}
}

/** With kube-proxy's own identity: kube-proxy cannot balance what that may not list. */
async function wantedBalancers({config, host}: Context): Promise<WantedBalancers> {
  const deadline = host.clock.deadline(ANSWER_MS)
  let cluster: Cluster | undefined
  try {
    cluster = host.cluster(await kubeconfigAt(host, kubeconfigOf(config, 'kube-proxy')))
    return {services: await orAborted(askBalancers(config, cluster), deadline.signal)}
  } catch (error) {
    const services = [titled('default/kubernetes', kubernetesAddress(config), [KUBERNETES_PORT])]
    if (error instanceof K8sWinError) return {services, silence: error}
    if (!(error instanceof DeadlineError)) throw error
    const details = {
      limit: String(ANSWER_MS / 1000),
      reason: 'no response.',
      server: cluster?.server ?? 'the API server',
    }
    return {services, silence: cluster?.doubt() ?? serverLost(details, {cause: error})}
  } finally {
    deadline.cancel()
  }
}

async function askBalancers(config: Node, cluster: Cluster): Promise<WantedBalancers['services']> {
  const [[kubernetes], inSystem] = await Promise.all([
    cluster.services('default', 'kubernetes'),
    cluster.services('kube-system'),
  ])
  const dns = inSystem.find(({clusterIP}) => clusterIP === config.clusterDNS)
  const hasDns = dns !== undefined && (await cluster.hasReadyEndpoints(dns))
  return [
    titled(
      'default/kubernetes',
      kubernetes?.clusterIP || kubernetesAddress(config),
      kubernetes?.ports ?? [KUBERNETES_PORT],
    ),
    ...(hasDns ? [titled(`kube-system/${dns.name}`, dns.clusterIP, dns.ports)] : []),
  ]
}

const titled = (name: string, address: string, ports: readonly number[]): WantedBalancers['services'][number] => ({
  address,
  ports,
  title: `${name} (${address})`,
})

/** The port of the Service "kubernetes" is fixed (pkg/controlplane, APIServerServicePort). */
const KUBERNETES_PORT = 443

/** The API server gives "kubernetes" the first address of the service network (pkg/controlplane, ServiceIPRange). */
export const kubernetesAddress = ({serviceCIDR}: Pick<Node, 'serviceCIDR'>): string => firstAddress(serviceCIDR)
