// Checks of the other nodes as the cluster reports them, and of the ports between the nodes.
import {DAEMON} from '../config/daemons.js'
import {FLANNELD, KUBELET_PORT, VXLAN_ID, VXLAN_PORT} from '../config/model.js'
import {kubeletPortClosed} from '../errors/unhealthy-node.js'
import {FEW_NODES} from '../host/cluster/cluster.js'
import type {NodeMetadata} from '../host/cluster/objects.js'
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
    const [own, nodes] = await Promise.all([facts.nodeName(), unlessForbidden(facts.nodeMetadata())])
    if (!nodes) return nodesNotListed()
    // The check of this node reports more about it.
    const wrong = nodes.flatMap((node) => (node.name === own ? [] : oddityOf(node, nodes, own)))
    if (wrong.length === 0) return pass(`flannel of ${howMany(nodes)} reports one backend, and one address per node`)
    return warn(`${UNREACHABLE}: ${shortList(wrong, 5, '; ')}`, CHECK_FLANNEL)
  },
)

/** Whole Nodes are many bytes: status reads their metadata only. */
export const peerAddresses = check(
  'peer-addresses',
  {needs: ['cluster'], on: 'node', only: 'doctor', title: 'Addresses of other nodes'},
  async (facts) => {
    const [own, nodes] = await Promise.all([facts.nodeName(), unlessForbidden(facts.nodes())])
    if (!nodes) return nodesNotListed()
    const wrong = nodes.flatMap(({addresses, isPublicIPGiven, name, publicIP}) =>
      name === own ||
      publicIP === undefined ||
      isPublicIPGiven ||
      addresses.length === 0 ||
      addresses.includes(publicIP)
        ? []
        : [`${name} reports ${publicIP}, but its addresses in the cluster are ${addresses.join(', ')}`],
    )
    if (wrong.length === 0) return pass(`flannel of ${howMany(nodes)} reports an address of its node`)
    return warn(`${UNREACHABLE}: ${shortList(wrong, 5, '; ')}`, CHECK_FLANNEL)
  },
)

const UNREACHABLE = 'pods on this node cannot reach pods on all other nodes'
const CHECK_FLANNEL =
  'Check flannel on those nodes: "kubectl -n kube-flannel get pods -o wide", "kubectl describe node <node>" (annotations flannel.alpha.coreos.com).'

const howMany = ({length}: readonly NodeMetadata[]): string =>
  length < FEW_NODES ? `${length} nodes` : `the first ${FEW_NODES} nodes`

/** What in its annotations prevents packets from reaching the node. */
function oddityOf(
  {backendType, name, publicIP, vni}: NodeMetadata,
  all: readonly NodeMetadata[],
  own: string,
): string[] {
  if (backendType === undefined && publicIP === undefined) return [`flannel is not running on ${name}`]
  if (backendType !== 'vxlan') return [`${name} has the backend ${backendType ?? 'none'}`]
  if (vni !== VXLAN_ID) return [`${name} has VNI ${vni ?? 'none'}`]
  if (publicIP === undefined) return [`${name} reports no address`]
  const twin = all.find((other) => other.publicIP === publicIP && (other.name < name || other.name === own))
  return twin ? [`${name} and ${twin.name} both report ${publicIP}`] : []
}

export const kubeletPort = check('kubelet-port', {on: 'node', title: 'Kubelet port'}, async (facts) => {
  const {address} = await facts.interface()
  const accepted = await facts.host.servers.accepts(DAEMON.kubelet, {address, port: KUBELET_PORT}, TCP_MS)
  if (accepted === false) throw kubeletPortClosed({address, port: String(KUBELET_PORT)})
  if (accepted === true) return pass(`${address}:${KUBELET_PORT} accepts connections from this host`)
  if (accepted.state === 'unknown') return notChecked(accepted.error.message)
  throw accepted.error
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

/** Those that have flannel. */
async function otherNodes(facts: Facts): Promise<readonly {address: string; name: string}[] | undefined> {
  const [own, nodes] = await Promise.all([facts.nodeName(), unlessForbidden(facts.nodeMetadata())])
  return nodes
    ?.flatMap(({name, publicIP}) => (name === own || publicIP === undefined ? [] : [{address: publicIP, name}]))
    .slice(0, TRIED_NODES)
}
