// The neighbours of the node, as the cluster sees them, and the ports between them that can be tried.
import {FLANNELD} from '../components/flanneld.js'
import {KUBELET_PORT, VXLAN_ID, VXLAN_PORT} from '../config/model.js'
import {kubeletPortClosed} from '../errors/unhealthy-node.js'
import {FEW_NODES} from '../host/cluster/cluster.js'
import type {ClusterNode} from '../host/cluster/objects.js'
import {type Check, notLookedAt, pass, warn} from '../preflight/check.js'
import {type HostFacts, unlessForbidden} from '../preflight/facts.js'
import {ofCluster} from '../preflight/server-checks.js'

const TCP_MS = 3000
const UDP_MS = 1000
/** Some stand for all: a cluster may have hundreds. */
const TRIED_NODES = 20

export const peers: Check = ofCluster({
  id: 'peers',
  async run(facts) {
    const [own, nodes] = await Promise.all([facts.nodeName(), unlessForbidden(facts.nodes())])
    if (!nodes) return notLookedAt('this identity may not see the nodes')
    // Of this node its own probes tell more.
    const wrong = nodes.flatMap((node) => (node.name === own ? [] : oddityOf(node, nodes, own)))
    const which = nodes.length < FEW_NODES ? `${nodes.length} nodes` : `the first ${FEW_NODES} nodes`
    if (wrong.length === 0) return pass(`flannel of ${which} tells one backend, and an address each`)
    const more = wrong.length > 5 ? ` and ${wrong.length - 5} more` : ''
    return warn(
      `pods here do not reach those of all nodes: ${wrong.slice(0, 5).join('; ')}${more}`,
      'Look at flannel there: "kubectl -n kube-flannel get pods -o wide", "kubectl describe node <node>" (annotations flannel.alpha.coreos.com).',
    )
  },
  title: 'flannel on the other nodes',
})

/** What its annotations say that keeps packets from it. */
function oddityOf(
  {addresses, backendType, name, publicIP, vni}: ClusterNode,
  all: readonly ClusterNode[],
  own: string,
): string[] {
  if (backendType === undefined && publicIP === undefined) return [`flannel does not run on ${name}`]
  if (backendType !== 'vxlan') return [`${name} has the backend ${backendType ?? 'none'}`]
  if (vni !== VXLAN_ID) return [`${name} has VNI ${vni ?? 'none'}`]
  if (publicIP === undefined) return [`${name} tells no address`]
  const twin = all.find((other) => other.publicIP === publicIP && (other.name < name || other.name === own))
  if (twin) return [`${name} and ${twin.name} both tell ${publicIP}`]
  const isElsewhere = addresses.length > 0 && !addresses.includes(publicIP)
  return isElsewhere ? [`${name} tells ${publicIP}, and the cluster knows it by ${addresses.join(', ')}`] : []
}

export const kubeletPort: Check = {
  id: 'kubelet-port',
  async run(facts) {
    const {address} = await facts.interface()
    if (await facts.host.net.canConnect(address, KUBELET_PORT, TCP_MS)) {
      return pass(`${address}:${KUBELET_PORT} answers, as seen from this host`)
    }
    throw kubeletPortClosed({address, port: String(KUBELET_PORT)})
  },
  title: "The kubelet's port",
}

/** UDP gives no receipt. What can be seen is that a packet leaves; the other end is seen by its annotations only. */
export const vxlanPort: Check = ofCluster({
  id: 'vxlan-port',
  async run(facts) {
    const targets = await otherNodes(facts)
    if (!targets) return notLookedAt('this identity may not see the nodes')
    if (targets.length === 0) return notLookedAt('the cluster has no other node with flannel')
    if ((await facts.host.services.status(FLANNELD))?.state !== 'running')
      return notLookedAt('not tried, for flanneld does not run')
    const sent = await Promise.all(targets.map(({address}) => facts.host.net.canSend(address, VXLAN_PORT, UDP_MS)))
    const unsent = targets.filter((_, index) => !sent[index]).map(({address, name}) => `${name} (${address})`)
    if (unsent.length > 0) {
      return warn(
        `no packet can be sent to ${unsent.join(', ')}: there is no route, or a filter of this host is in the way`,
        'Look at "route print" and at outgoing rules of the firewall.',
      )
    }
    return pass(
      `packets to UDP ${VXLAN_PORT} of ${targets.length} nodes leave this host; whether they arrive cannot be tested, for nothing answers on UDP`,
    )
  },
  title: 'VXLAN to the other nodes',
})

async function otherNodes(facts: HostFacts): Promise<readonly {address: string; name: string}[] | undefined> {
  const [own, nodes] = await Promise.all([facts.nodeName(), unlessForbidden(facts.nodes())])
  return nodes
    ?.flatMap(({addresses, name, publicIP}) => {
      const address = publicIP ?? addresses[0]
      return name === own || address === undefined ? [] : [{address, name}]
    })
    .slice(0, TRIED_NODES)
}
