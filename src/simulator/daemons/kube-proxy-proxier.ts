// The proxier of kube-proxy.exe (pkg/proxy/winkernel/proxier.go; 1.21, 1.22 and 1.23 do the same here): what it needs, and
// the HNS endpoints and load balancers that it creates from the cluster's Services.
import {portsOf, readyAddresses} from '../cluster/objects.js'
import {adapterWithAddress} from '../windows/adapters.js'
import {createEndpoint, createPolicyList, deleteEndpoint, deletePolicyList, frontOf} from '../windows/hns-endpoints.js'
import {
  endpointsOf,
  HNS_ERRORS,
  type HnsEndpoint,
  type HnsPolicyList,
  isHnsRunning,
  isOverlay,
  knowsDsr,
  networkNamed,
  policyListsOf,
  shownError,
} from '../windows/hns-objects.js'
import {sameName} from '../windows/names.js'
import type {Stage} from '../model.js'
import {parseBool} from './flags.js'
import type {KlogProcess} from './klog.js'
import {type ClusterClient, openKubeconfig} from './kubeconfig.js'
import {nodeNameOf} from './kubelet/kubelet-node.js'
import {parseFeatureGates} from './releases.js'

/** The first minor that does not mistake an HNS that is down for one without its objects (kubernetes#139503). */
const SEES_HNS = 37

/** The HNS network that it proxies for. */
export const networkNameOf = ({env, flags}: KlogProcess): string =>
  flags.get('network-name') || env('KUBE_NETWORK') || ''

/** cmd/kube-proxy/app/server.go, createClients: --master has priority over the kubeconfig. */
export const clusterOf = (self: KlogProcess): Promise<ClusterClient> =>
  openKubeconfig(self, self.flags.get('kubeconfig') ?? '', {master: self.flags.get('master')})

/** Why NewProxier fails in an overlay, or undefined. */
export async function proxierProblem(self: KlogProcess): Promise<string | undefined> {
  const {flags, stage, version} = self
  const name = networkNameOf(self)
  const gates = parseFeatureGates(flags.get('feature-gates') ?? '', version.minor)
  if (gates.error !== undefined) return gates.error
  if (!networkNamed(stage.world, name)) return `could not find HNS network ${name}`
  if (parseBool(flags.get('enable-dsr') ?? 'false')) {
    if (!gates.enabled('WinDSR')) return 'WinDSR feature gate not enabled'
    if (!knowsDsr(stage.world)) return 'platform does not support feature DSR'
  }

  if (!gates.enabled('WinOverlay')) return 'WinOverlay feature gate not enabled'
  if (!flags.get('source-vip')) return 'source-vip flag not set'
  const address = await nodeAddress(self)
  return adapterWithAddress(stage.world, address) ? undefined : `could not find host mac address for ${address}`
}

/**
 * server_windows.go: 1.21 asks the cluster for the address of its node, and has none if there is no node with its name;
 * since 1.22 (detectNodeIP) --bind-address comes first, so that a wrong name goes unnoticed.
 */
async function nodeAddress(self: KlogProcess): Promise<string> {
  const {flags, stage, version} = self
  const bind = flags.get('bind-address') ?? '0.0.0.0'
  if (version.minor >= 22 && bind !== '0.0.0.0') return bind
  const isHeard = (await clusterOf(self)).problem('get', 'nodes') === undefined
  const name = nodeNameOf(flags.get('hostname-override'), stage.world.os.computerName)
  const node = isHeard ? stage.world.cluster.nodes.find((one) => one.name === name) : undefined
  return (
    node?.addresses.find(({type}) => type === 'InternalIP')?.address ?? (version.minor >= 22 ? '127.0.0.1' : '<nil>')
  )
}

/** What one round of syncProxyRules leaves for the next. */
export interface Synced {
  /** The backends of each ClusterIP whose rules were created (policyApplied): they are checked again when backends change. */
  readonly applied: Readonly<Record<string, string>>
  /** Of an unfinished round. */
  readonly busy?: {readonly nextAt: number; readonly since: number}
  /** The addresses of its Node when it began to serve. */
  readonly node?: string
  /** The ID of the HNS network, as of the last round. */
  readonly network: string
  /** What was logged last. */
  readonly problems: readonly string[]
}

/** One round of syncProxyRules. */
export function syncRules(self: KlogProcess, before: Synced | undefined): Synced {
  const {flags, stage, version} = self
  const {world} = stage
  const networkName = networkNameOf(self)
  if (version.minor >= SEES_HNS && before && !isHnsRunning(world)) {
    return {...before, problems: ['HNS is not running. Unable to read network. Skipping sync']}
  }
  const network = isHnsRunning(world) ? networkNamed(world, networkName) : undefined
  if (!network || (before && !sameName(before.network, network.ID))) {
    // Where HNS is down it forgets them all the same, up to 1.36 (kubernetes#139503).
    const forgotten = isHnsRunning(world) ? Object.keys(before?.applied ?? {}) : []
    for (const clusterIP of forgotten) dropBalancers(stage, clusterIP)
    const problem = `The HNS network ${networkName} is not present or has changed since the last sync. Please check the CNI deployment`
    return {applied: {}, network: network?.ID ?? before?.network ?? '', problems: [problem]}
  }

  const applied = {...before?.applied}
  const round = (...problems: readonly string[]): Synced => ({applied, network: network.ID, problems})
  const vip = flags.get('source-vip') ?? ''
  // The second version of HNS' interface, which kube-proxy uses, has identifiers in small letters (calico#8465).
  const VirtualNetwork = network.ID.toLowerCase()
  const known = (address: string): HnsEndpoint | undefined =>
    endpointsOf(world).find((one) => one.IPAddress === address && sameName(one.VirtualNetwork, network.ID))
  if (isOverlay(network) && !known(vip)) {
    const made = createEndpoint(stage, {IPAddress: vip, VirtualNetwork})
    // The round ends here, and the health server does not notice.
    if (made.error) return round(`Source Vip endpoint creation failed: ${made.error.text}`)
  }

  const remote = (IPAddress: string): HnsEndpoint | undefined => {
    const there = known(IPAddress)
    if (there) return there
    const made = createEndpoint(stage, {IPAddress, IsRemoteEndpoint: true, VirtualNetwork})
    return made.error ? undefined : made.made
  }

  const refused = new Set<string>()
  const balancerMs = world.hns.balancerMs ?? 0
  for (const service of world.cluster.services) {
    const {clusterIP} = service
    const addresses = readyAddresses(world.cluster, service)
    const wanted = addresses.join(' ')
    const had = applied[clusterIP]
    // kubernetes#131387: it misses the change.
    if (had === wanted || (had !== undefined && world.hns.keepsBackends)) continue
    if (had !== undefined) {
      dropBalancers(stage, clusterIP)
      dropRemote(stage, network.ID, had.split(' '))
      delete applied[clusterIP]
    }
    if (balancerMs > 0 && Object.keys(applied).length > Object.keys(before?.applied ?? {}).length) {
      return {...round(), busy: {nextAt: stage.now() + balancerMs, since: before?.busy?.since ?? stage.now()}}
    }

    // In an overlay the address of the Service is an endpoint, too.
    if (isOverlay(network)) remote(clusterIP)
    const backends = addresses.flatMap((address) => remote(address) ?? [])
    // "Endpoint information not available for service …. Not applying any policy"
    if (backends.length === 0) continue
    // Where a backend is a node or outside of the cluster, the balancer's source is this node's own address.
    const isNodes = backends.some(({IPAddress}) => world.cluster.nodes.some((node) => hasAddress(node, IPAddress)))
    // One per port of the Service, in the fields that "Get-HnsPolicyList" shows (calico#8465).
    const outcomes = portsOf(service).map(({port, protocol, targetPort}) =>
      createBalancer(self, {
        Policies: [
          {
            ExternalPort: port,
            InternalPort: targetPort,
            Protocol: protocol === 'UDP' ? 17 : 6,
            SourceVIP: isNodes ? network.ManagementIP : vip,
            Type: 'ELB',
            VIPs: [clusterIP],
          },
        ],
        References: backends.map(({ID}) => `/endpoints/${ID.toLowerCase()}`),
      }),
    )
    const errors = outcomes.flatMap(({error = []}) => error)
    if (errors.length === 0) applied[clusterIP] = wanted
    const what = version.minor >= 31 ? 'ClusterIP policy creation failed' : 'Policy creation failed'
    for (const error of errors) refused.add(`${what}: hcnCreateLoadBalancer failed in Win32: ${shownError(error)}`)
  }

  // docs/facts.md#kube-proxy: without a node of its name, it takes this node's endpoints for remote ones and deletes them.
  const name = nodeNameOf(flags.get('hostname-override'), world.os.computerName)
  if (world.cluster.nodes.some((node) => node.name === name)) return round(...refused)
  // pkg/proxy/node.go: 1.34 and 1.35 print the verb as it is.
  if (version.minor >= 34)
    return round(...refused, `Timed out waiting for node ${version.minor < 36 ? '%q ' : ''}to exist`)
  return round(...refused, `Failed to retrieve node info: nodes "${name}" not found`)
}

/** winkernel/hns.go of v1.37.0-rc.1, createOrReplaceLoadbalancer: of one that answers for the same, it is replaced. */
function createBalancer({stage, version}: KlogProcess, request: Omit<HnsPolicyList, 'ID'>) {
  const made = createPolicyList(stage, request)
  if (made.error !== HNS_ERRORS.ruleExists || version.minor < SEES_HNS) return made
  const fronts = (request.Policies ?? []).map(frontOf)
  const same = policyListsOf(stage.world).filter(({Policies = []}) =>
    Policies.some((policy) => fronts.includes(frontOf(policy))),
  )
  if (same.length !== 1 || same[0] === undefined) return made
  deletePolicyList(stage, same[0].ID)
  return createPolicyList(stage, request)
}

/** cleanupAllPolicies. */
function dropBalancers(stage: Stage, clusterIP: string): void {
  const isOurs = (policy: Record<string, unknown>): boolean =>
    (policy['VIPs'] as string[] | undefined)?.includes(clusterIP) ?? false
  for (const {ID, Policies} of policyListsOf(stage.world)) if (Policies?.some(isOurs)) deletePolicyList(stage, ID)
}

/** Remote endpoints that no load balancer refers to any more (endPointsRefCount). */
function dropRemote(stage: Stage, network: string, addresses: readonly string[]): void {
  const referenced = policyListsOf(stage.world).flatMap(({References = []}) => References)
  const unused = endpointsOf(stage.world).filter(
    ({ID, IPAddress, IsRemoteEndpoint, VirtualNetwork}) =>
      IsRemoteEndpoint === true &&
      sameName(VirtualNetwork, network) &&
      addresses.includes(IPAddress ?? '') &&
      !referenced.some((path) => sameName(path, `/endpoints/${ID}`)),
  )
  for (const {ID} of unused) deleteEndpoint(stage, ID)
}

const hasAddress = ({addresses}: {addresses: readonly {address: string}[]}, wanted: string | undefined): boolean =>
  addresses.some(({address}) => address === wanted)
