// What happens to the node object, the overlay network and kube-proxy's address.
import type {World} from '../../../src/simulator/world.js'
import {type Drift, fileGone, inWorld} from './drift.js'

const STORE = String.raw`var\lib\cni\networks\vxlan0`
const ADDRESS = '10.244.3.2'

const withoutNetwork = (world: World, name: string): void => {
  const {hns} = world
  const gone = hns.networks.find((network) => network['Name'] === name)
  hns.networks = hns.networks.filter((network) => network !== gone)
  const id = String(gone?.['ID']).toLowerCase()
  hns.endpoints = hns.endpoints.filter((endpoint) => String(endpoint['VirtualNetwork']).toLowerCase() !== id)
  hns.policyLists = []
}

export const networkGone = (name: string): Drift =>
  inWorld(`the HNS network ${name} is gone`, (world) => withoutNetwork(world, name))

/** Another tool has a network with k8s-win's name by now, with an endpoint on it. */
export function bridgeInstead(hns: World['hns']): void {
  const theirs = {
    ID: 'BBBB',
    Subnets: [{AddressPrefix: '192.168.77.0/24', GatewayAddress: '192.168.77.1'}],
    Type: 'L2Bridge',
  }
  hns.networks = hns.networks.map((network) => (network['Name'] === 'vxlan0' ? {...network, ...theirs} : network))
  hns.endpoints = [{ID: 'CCCC', IPAddress: '192.168.77.5', State: 2, VirtualNetwork: theirs.ID}]
  hns.policyLists = []
}

const ownNode = (world: World): World['cluster']['nodes'][number] | undefined =>
  world.cluster.nodes.find((node) => node.name === 'win-1')

export const nodeGone: Drift = inWorld('the node object is gone', (world) => {
  world.cluster.nodes = world.cluster.nodes.filter((node) => node.name !== 'win-1')
})

const BACKEND_DATA = 'flannel.alpha.coreos.com/backend-data'

export const overlayNetworkDrifts: readonly Drift[] = [
  networkGone('vxlan0'),
  fileGone(String.raw`run\flannel\subnet.env`),
  inWorld('review W7: flanneld published no VtepMAC', (world) => {
    const node = ownNode(world)
    if (node) node.annotations[BACKEND_DATA] = '{"VNI":4096,"VtepMAC":""}'
  }),
  inWorld('review W7: the node has no annotation of flannel', (world) => {
    const node = ownNode(world)
    if (node) node.annotations = {}
  }),
]

/** The node was deleted and made again meanwhile: the cluster gave it another pod network. */
export const podNetworkChanged: Drift = inWorld('the node has another pod network', (world) => {
  const node = ownNode(world)
  if (node) node.podCIDR = '10.244.9.0/24'
})

export const sourceVipDrifts: readonly Drift[] = [
  {...fileGone(`${STORE}\\${ADDRESS}`), another: true},
  fileGone(String.raw`var\lib\cni`),
  {
    make(host) {
      host.remove(`${STORE}\\${ADDRESS}`)
      host.put(`${STORE}\\10.244.7.2`, 'kube-proxy\r\nsource-vip')
      host.put(`${STORE}\\last_reserved_ip.0`, '10.244.7.2')
    },
    another: true,
    name: 'the address is of another pod network',
  },
]

export const nodeReadyDrifts: readonly Drift[] = [
  inWorld('the node is not Ready', (world) => {
    const node = ownNode(world)
    if (node) Object.assign(node, {ready: false, readyReason: 'KubeletNotReady'})
  }),
]
