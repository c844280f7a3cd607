// The load balancers kube-proxy makes of the cluster's services, as HNS endpoints and policy lists.
import {createEndpoint, createPolicyList} from '../windows/hns-endpoints.js'
import {endpointsOf, isOverlay, networkNamed, policyListsOf} from '../windows/hns-objects.js'
import {formatAddress, parseCidr} from '../windows/names.js'
import type {DaemonProcess} from './daemon.js'
import {nodeNameOf} from './kubelet-node.js'

export interface SyncProblem {
  /** The round ends here, and health with it. */
  readonly isFatal: boolean
  readonly message: string
}

/** Without a network name (userspace mode) there is nothing to make. */
export function syncRules(
  {stage}: DaemonProcess,
  flags: ReadonlyMap<string, string>,
  networkName: string | undefined,
): SyncProblem[] {
  const {world} = stage
  const network = networkName === undefined ? undefined : networkNamed(world, networkName)
  if (!network) return []
  const vip = flags.get('source-vip') ?? ''
  const isThere = endpointsOf(world).some(
    ({IPAddress, VirtualNetwork}) => IPAddress === vip && VirtualNetwork === network.ID,
  )
  if (isOverlay(network) && !isThere) {
    const made = createEndpoint(stage, {IPAddress: vip, VirtualNetwork: network.ID})
    // proxier.go, syncProxyRules: the round is given up, so that "updated" is never told to the health server.
    if (made.error) return [{isFatal: true, message: `Source Vip endpoint creation failed: ${made.error.text}`}]
  }

  for (const [index, {clusterIP}] of world.cluster.services.entries()) {
    if (policyListsOf(world).some(({Policies}) => JSON.stringify(Policies).includes(`"${clusterIP}"`))) continue
    // The backend is a pod on another node, known to HNS as a remote endpoint.
    const address = formatAddress((parseCidr(world.cluster.clusterCIDR)?.base ?? 0) + 10 + index)
    const known = endpointsOf(world).find(
      ({IPAddress, VirtualNetwork}) => IPAddress === address && VirtualNetwork === network.ID,
    )
    const backend = known
      ? {made: known}
      : createEndpoint(stage, {IPAddress: address, IsRemoteEndpoint: true, VirtualNetwork: network.ID})
    if ('made' in backend) {
      createPolicyList(stage, {
        Policies: [{SourceVIP: vip, Type: 'ELB', VIPs: [clusterIP]}],
        References: [`/endpoints/${backend.made.ID}`],
      })
    }
  }

  // facts d.2: with a name that is no node's, endpoints of this node are taken for remote ones and deleted.
  const name = nodeNameOf(flags.get('hostname-override'), world.os.computerName)
  if (world.cluster.nodes.some((node) => node.name === name)) return []
  return [{isFatal: false, message: `Failed to retrieve node info: nodes "${name}" not found`}]
}
