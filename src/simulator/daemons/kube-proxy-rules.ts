// One round of kube-proxy's syncProxyRules: the HNS endpoints and load balancers it makes of the cluster's services
// (pkg/proxy/winkernel/proxier.go; 1.21, 1.22 and 1.23 do the same here).
import {endpointAddresses, portsOf} from '../cluster/objects.js'
import {createEndpoint, createPolicyList, deletePolicyList} from '../windows/hns-endpoints.js'
import {
  endpointsOf,
  type HnsEndpoint,
  isHnsRunning,
  isOverlay,
  networkNamed,
  policyListsOf,
} from '../windows/hns-objects.js'
import {sameName} from '../windows/names.js'
import type {DaemonProcess} from './daemon.js'
import {nodeNameOf} from './kubelet-node.js'

/** What one round leaves for the next. */
export interface Synced {
  /** ClusterIPs whose rules were made (policyApplied): they are never looked at again, whatever becomes of them. */
  readonly applied: readonly string[]
  /** Of a round that is not done yet. */
  readonly busy?: {readonly nextAt: number; readonly since: number}
  /** The ID of the HNS network, as of the last round. */
  readonly network: string
  /** What was logged last. */
  readonly problems: readonly string[]
}

export function syncRules(
  {stage}: DaemonProcess,
  flags: ReadonlyMap<string, string>,
  networkName: string,
  before: Synced | undefined,
): Synced {
  const {world} = stage
  const network = isHnsRunning(world) ? networkNamed(world, networkName) : undefined
  if (!network || (before && !sameName(before.network, network.ID))) {
    dropBalancers(stage, before?.applied ?? [])
    const problem = `The HNS network ${networkName} is not present or has changed since the last sync. Please check the CNI deployment`
    return {applied: [], network: network?.ID ?? before?.network ?? '', problems: [problem]}
  }

  const applied = [...(before?.applied ?? [])]
  const round = (...problems: readonly string[]): Synced => ({applied, network: network.ID, problems})
  const vip = flags.get('source-vip') ?? ''
  // The second version of HNS' interface, which kube-proxy uses, has identifiers in small letters (calico#8465).
  const VirtualNetwork = network.ID.toLowerCase()
  const known = (address: string): HnsEndpoint | undefined =>
    endpointsOf(world).find((one) => one.IPAddress === address && sameName(one.VirtualNetwork, network.ID))
  if (isOverlay(network) && !known(vip)) {
    const made = createEndpoint(stage, {IPAddress: vip, VirtualNetwork})
    // The round ends here, and nothing tells the health server of it.
    if (made.error) return round(`Source Vip endpoint creation failed: ${made.error.text}`)
  }

  const balancerMs = world.hns.balancerMs ?? 0
  for (const service of world.cluster.services) {
    if (applied.includes(service.clusterIP)) continue
    if (balancerMs > 0 && applied.length > (before?.applied.length ?? 0)) {
      return {...round(), busy: {nextAt: stage.now() + balancerMs, since: before?.busy?.since ?? stage.now()}}
    }

    const backends = endpointAddresses(world.cluster, service).flatMap((address) => {
      const there = known(address)
      if (there) return [there]
      const made = createEndpoint(stage, {IPAddress: address, IsRemoteEndpoint: true, VirtualNetwork})
      return made.error ? [] : [made.made]
    })
    // "Endpoint information not available for service …. Not applying any policy"
    if (backends.length === 0) continue
    // Where a backend is a node or outside of the cluster, the balancer's source is this node's own address.
    const isNodes = backends.some(({IPAddress}) => world.cluster.nodes.some((node) => hasAddress(node, IPAddress)))
    // One for each port of the Service, in the fields that "Get-HnsPolicyList" shows (calico#8465).
    const outcomes = portsOf(service).map(({port, protocol, targetPort}) =>
      createPolicyList(stage, {
        Policies: [
          {
            ExternalPort: port,
            InternalPort: targetPort,
            Protocol: protocol === 'UDP' ? 17 : 6,
            SourceVIP: isNodes ? network.ManagementIP : vip,
            Type: 'ELB',
            VIPs: [service.clusterIP],
          },
        ],
        References: backends.map(({ID}) => `/endpoints/${ID.toLowerCase()}`),
      }),
    )
    if (outcomes.every(({error}) => error === undefined)) applied.push(service.clusterIP)
  }

  // facts d.2: with a name that is no node's, endpoints of this node are taken for remote ones and deleted.
  const name = nodeNameOf(flags.get('hostname-override'), world.os.computerName)
  if (world.cluster.nodes.some((node) => node.name === name)) return round()
  return round(`Failed to retrieve node info: nodes "${name}" not found`)
}

/** cleanupAllPolicies. */
function dropBalancers(stage: DaemonProcess['stage'], clusterIPs: readonly string[]): void {
  const isOurs = (policy: Record<string, unknown>): boolean =>
    (policy['VIPs'] as string[] | undefined)?.some((vip) => clusterIPs.includes(vip)) ?? false
  for (const {ID, Policies} of policyListsOf(stage.world)) if (Policies?.some(isOurs)) deletePolicyList(stage, ID)
}

const hasAddress = ({addresses}: {addresses: readonly {address: string}[]}, wanted: string | undefined): boolean =>
  addresses.some(({address}) => address === wanted)
