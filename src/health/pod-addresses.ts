// Finds addresses that are used twice: a remote endpoint that HNS kept when its address went to a pod of this node
// (kubernetes#130963, #137381; microsoft/Windows-Containers#631), and pods that share one address.
import {NO_SUBNET, subnetOf} from '../components/overlay.js'
import {isInside} from '../config/cidr.js'
import {NETWORK_NAME} from '../config/model.js'
import {ProblemsError} from '../errors/k8s-win-error.js'
import {podAddressTwice} from '../errors/unhealthy-node.js'
import {pasted} from '../errors/define.js'
import type {EndpointSlice} from '../host/cluster/endpoints.js'
import {type HnsEndpoint, sameId} from '../host/hns/objects.js'
import {check, notChecked, pass, warn} from '../preflight/check.js'
import type {Facts} from '../preflight/facts.js'
import {RESTART_KUBE_PROXY} from '../signatures/remedies.js'

/** What is wrong about an address, and what to do. */
export interface AddressTwice {
  readonly fix: string
  readonly seen: string
}

/** Of the endpoints of one network. */
export function twiceInHns(endpoints: readonly HnsEndpoint[]): AddressTwice[] {
  return endpoints.flatMap((one, index) => {
    const address = one.IPAddress ?? ''
    const twin = endpoints.find(({IPAddress}, other) => other > index && address !== '' && IPAddress === address)
    if (!twin) return []
    const [remote, other] = [one, twin].filter(({IsRemoteEndpoint}) => IsRemoteEndpoint === true)
    // Two remote ones are kube-proxy's, which uses the first of them (pkg/proxy/winkernel/hns.go): no pod is affected.
    if (other) return []
    if (!remote) {
      const seen = `${address} is the address of the endpoints ${one.ID} and ${twin.ID} of HNS`
      return [{fix: 'Delete the pods with this address: their controllers create them again.', seen}]
    }
    const seen = `${address} is the address of a pod of this node, and of the remote endpoint ${remote.ID} of HNS`
    const fix = `Remove the remote endpoint ("hnsdiag delete endpoints ${pasted(remote.ID)}"), then ${RESTART_KUBE_PROXY}, and delete the pod.`
    return [{fix, seen}]
  })
}

/** Pods that use the network of their host share its address, which is not in the pod network. */
export function twiceInCluster(slices: readonly EndpointSlice[], podNetwork: string): AddressTwice[] {
  const pods = new Map<string, Set<string>>()
  for (const {endpoints, namespace} of slices) {
    for (const {address, isReady, pod} of endpoints) {
      if (!isReady || pod === '' || !isInside(podNetwork, address)) continue
      pods.set(address, (pods.get(address) ?? new Set()).add(`${namespace}/${pod}`))
    }
  }
  return [...pods]
    .filter(([, names]) => names.size > 1)
    .map(([address, names]) => ({
      fix: 'Delete one of the pods: its controller creates it again with another address.',
      seen: `${address} is the address of the pods ${[...names].join(' and ')}`,
    }))
}

export const podAddresses = check(
  'pod-addresses',
  {cost: 'cluster', failsOnNode: true, needs: ['hns'], on: 'node', only: 'doctor', title: 'Addresses of pods'},
  async (facts) => {
    const {host} = facts
    const [network, all, slices] = await Promise.all([
      host.hns.network(NETWORK_NAME),
      host.hns.endpoints(),
      slicesOf(facts),
    ])
    const endpoints = all.filter(({VirtualNetwork}) => network && sameId(VirtualNetwork ?? '', network.ID))
    const twice = [...twiceInHns(endpoints), ...twiceInCluster(slices ?? [], facts.config.clusterCIDR)]
    if (twice.length > 0) throw new ProblemsError(twice.map((one) => podAddressTwice(one)))
    // An address of this node's own pod network is never on another node.
    const subnet = network && subnetOf(network)
    const stale = endpoints.filter(
      ({IPAddress, IsRemoteEndpoint}) =>
        IsRemoteEndpoint === true && subnet !== undefined && isInside(subnet, IPAddress ?? ''),
    )
    if (stale.length > 0) {
      return warn(
        `HNS has remote endpoints for addresses of this node: ${stale.map(({ID, IPAddress}) => `${IPAddress ?? ''} (${ID})`).join(', ')}. A pod that gets such an address has no network`,
        `Remove them: "hnsdiag delete endpoints <id>". Then ${RESTART_KUBE_PROXY}.`,
      )
    }
    const seen = slices
      ? `${endpoints.length} endpoints of HNS, and those of Services: no address twice`
      : `${endpoints.length} endpoints of HNS: no address twice; those of Services could not be listed`
    if (network && subnet === undefined)
      return notChecked(`${seen}. Whether a remote one has an address of this node is unknown: ${NO_SUBNET}`)
    return pass(seen)
  },
)

/** Undefined where the cluster does not respond or forbids it, which other checks report. */
async function slicesOf(facts: Facts): Promise<readonly EndpointSlice[] | undefined> {
  try {
    return await (await facts.cluster('kube-proxy')).endpointSlices()
  } catch {
    return undefined
  }
}
