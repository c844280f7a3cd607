// Checks of the other nodes as the cluster reports them, and of the ports between the nodes.
import {FLANNELD, KUBELET_PORT, VXLAN_ID, VXLAN_PORT} from '../config/model.js'
import {kubeletPortClosed} from '../errors/unhealthy-node.js'
import {FEW_NODES} from '../host/cluster/cluster.js'
import type {ClusterNode} from '../host/cluster/objects.js'
import {shortList} from '../pipeline/short-list.js'
import {check, notChecked, pass, warn} from '../preflight/check.js'
import {type Facts, unlessForbidden} from '../preflight/facts.js'
import {nodesNotListed} from '../preflight/not-allowed.js'

const TCP_MS = 3000
const UDP_MS = 1000
/** A cluster may have hundreds. */
const TRIED_NODES = 20

export const peers = check(
  'peers',
  {needs: ['cluster'], on: 'node', title: 'flannel on other nodes'},
  async (facts) => {
    const [own, nodes] = await Promise.all([facts.nodeName(), unlessForbidden(facts.nodes())])
    if (!nodes) return nodesNotListed()
    // The check of this node reports more about it.
    const wrong = nodes.flatMap((node) => (node.name === own ? [] : oddityOf(node, nodes, own)))
    const which = nodes.length < FEW_NODES ? `${nodes.length} nodes` : `the first ${FEW_NODES} nodes`
    if (wrong.length === 0) return pass(`flannel of ${which} reports one backend, and one address per node`)
    return warn(
      `pods on this node cannot reach pods on all other nodes: ${shortList(wrong, 5, '; ')}`,
      'Check flannel on those nodes: "kubectl -n kube-flannel get pods -o wide", "kubectl describe node <node>" (annotations flannel.alpha.coreos.com).',
    )
  },
)

/** What in its annotations prevents packets from reaching the node. */
function oddityOf(
  {addresses, backendType, isPublicIPGiven, name, publicIP, vni}: ClusterNode,
  all: readonly ClusterNode[],
  own: string,
): string[] {
  if (backendType === undefined && publicIP === undefined) return [`flannel is not running on ${name}`]
  if (backendType !== 'vxlan') return [`${name} has the backend ${backendType ?? 'none'}`]
  if (vni !== VXLAN_ID) return [`${name} has VNI ${vni ?? 'none'}`]
  if (publicIP === undefined) return [`${name} reports no address`]
  const twin = all.find((other) => other.publicIP === publicIP && (other.name < name || other.name === own))
  if (twin) return [`${name} and ${twin.name} both report ${publicIP}`]
  const isElsewhere = !isPublicIPGiven && addresses.length > 0 && !addresses.includes(publicIP)
  return isElsewhere
    ? [`${name} reports ${publicIP}, but its addresses in the cluster are ${addresses.join(', ')}`]
    : []
}

export const kubeletPort = check('kubelet-port', {on: 'node', title: 'Kubelet port'}, async (facts) => {
  const {address} = await facts.interface()
  if (await facts.host.net.canConnect(address, KUBELET_PORT, TCP_MS)) {
    return pass(`${address}:${KUBELET_PORT} accepts connections from this host`)
  }
  throw kubeletPortClosed({address, port: String(KUBELET_PORT)})
})

/** UDP is not acknowledged: only that a packet leaves can be checked. */
export const vxlanPort = check(
  'vxlan-port',
  {needs: ['cluster'], on: 'node', only: 'doctor', title: 'VXLAN to other nodes'},
  async (facts) => {
    const targets = await otherNodes(facts)
    if (!targets) return nodesNotListed()
    if (targets.length === 0) return notChecked('the cluster has no other node with flannel')
    if ((await facts.host.services.status(FLANNELD))?.state !== 'running') return notChecked('flanneld is not running')
    const sent = await Promise.all(targets.map(({address}) => facts.host.net.canSend(address, VXLAN_PORT, UDP_MS)))
    const unsent = targets.filter((_, index) => !sent[index]).map(({address, name}) => `${name} (${address})`)
    if (unsent.length > 0) {
      return warn(
        `cannot send packets to ${unsent.join(', ')}: there is no route, or a filter of this host blocks them`,
        'Check "route print" and the outbound firewall rules.',
      )
    }
    return pass(
      `packets to UDP ${VXLAN_PORT} of ${targets.length} nodes leave this host; whether they arrive cannot be checked because nothing responds on UDP`,
    )
  },
)

async function otherNodes(facts: Facts): Promise<readonly {address: string; name: string}[] | undefined> {
  const [own, nodes] = await Promise.all([facts.nodeName(), unlessForbidden(facts.nodes())])
  return nodes
    ?.flatMap(({addresses, name, publicIP}) => {
      const address = publicIP ?? addresses[0]
      return name === own || address === undefined ? [] : [{address, name}]
    })
    .slice(0, TRIED_NODES)
}
