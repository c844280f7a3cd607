// The network of a node: what a simulated host has after a setup, and the ways that packets take.
import {cniConflist} from '../../../src/components/cni.js'
import {KUBE_PROXY_PORT, KUBELET_PORT, NETWORK_NAME, VXLAN_ID, VXLAN_PORT} from '../../../src/config/model.js'
import {type HnsNetwork, isNetwork} from '../../../src/host/hns/objects.js'
import type {World} from '../../../src/simulator/world.js'
import {setupConfig} from '../../fixtures/setup-config.js'
import {arrow, card, rectangle, svg, WIDTH, words} from './svg.js'

const [LEFT, RIGHT, MARGIN] = [16, 580, 16]
const HEIGHT = 584

interface Network {
  readonly adapter: string
  readonly address: string
  readonly gateway: string
  readonly name: string
  readonly peer: {readonly address: string; readonly name: string; readonly pods: string}
  readonly pods: string
  readonly podsOfAll: string
  readonly services: string
  readonly sourceVip: string
}

export function networkPicture(world: World): string {
  const network = networkOf(world)
  const ways = waysOf(network)
  return svg({
    body: [...windowsNode(network), ...linuxNode(network), ...tunnel(), ...ways.flatMap(way)],
    description:
      `On the Windows node ${network.name}, pods are attached to the overlay network ${NETWORK_NAME} (VNI ${VXLAN_ID}), ` +
      `which flanneld creates and kube-proxy uses. It reaches other nodes through the adapter ${network.adapter}, ` +
      `in UDP ${VXLAN_PORT}. ${ways.map((parts) => parts.join(': ')).join('. ')}.`,
    height: HEIGHT,
    title: 'The network of a Windows node',
  })
}

function windowsNode({adapter, address, gateway, name, pods, services, sourceVip}: Network): string[] {
  const [first, second] = [LEFT + MARGIN, 254]
  return [
    rectangle({height: 390, width: 490, x: LEFT, y: 16}, 'panel'),
    words(first, 42, `Windows node ${name}`, {look: 'text bold big', room: 400}),
    ...card([first, 58, 204], ['pod', `address in ${pods}`, 'attached by win-overlay']),
    ...arrow([134, 130, 134, 184], {both: true}),
    ...card(
      [first, 184, 204],
      [NETWORK_NAME, `overlay, VNI ${VXLAN_ID}`, `pods ${pods}`, `gateway ${gateway}`],
      'soft',
    ),
    ...arrow([134, 275, 134, 334], {both: true}),
    ...card([second, 58, 236], ['kubelet', `TCP ${KUBELET_PORT} for the API server`, 'starts the pods']),
    ...card([second, 142, 236], ['flanneld', `creates ${NETWORK_NAME}, and routes`, 'to the pods of other nodes']),
    ...card(
      [second, 226, 236],
      ['kube-proxy', `Services ${services}`, `source VIP ${sourceVip}`, `TCP ${KUBE_PROXY_PORT} for load balancers`],
    ),
    ...arrow([second, 200, 236, 200]),
    ...arrow([second, 258, 236, 258]),
    ...card([first, 334, 458], [adapter, address]),
  ]
}

function linuxNode({peer: {address, name, pods}}: Network): string[] {
  const first = RIGHT + MARGIN
  return [
    rectangle({height: 390, width: WIDTH - RIGHT - LEFT, x: RIGHT, y: 16}, 'panel'),
    words(first, 42, `Linux node ${name}`, {look: 'text bold big', room: 188}),
    ...card([first, 58, 172], ['pod', `in ${pods}`]),
    ...arrow([682, 111, 682, 184], {both: true}),
    ...card([first, 184, 172], [`flannel.${VXLAN_ID}`, 'same VNI and port', `pods ${pods}`], 'soft'),
    ...arrow([682, 256, 682, 334], {both: true}),
    ...card([first, 334, 172], ['network adapter', address]),
  ]
}

const tunnel = (): string[] => [
  ...arrow([490, 372, 596, 372], {both: true, look: 'tunnel'}),
  words(543, 340, 'VXLAN', {anchor: 'middle', look: 'accent bold small', room: 72}),
  words(543, 358, `UDP ${VXLAN_PORT}`, {anchor: 'middle', look: 'accent bold small', room: 72}),
]

type Way = readonly [to: string, how: string, more: string]

const waysOf = ({address, podsOfAll, services, sourceVip}: Network): readonly Way[] => [
  [
    'To a pod of another node',
    `in VXLAN with VNI ${VXLAN_ID}, from ${address} to the address of that node,`,
    `UDP ${VXLAN_PORT}, which must be open between all nodes`,
  ],
  [
    `To a Service (${services})`,
    'a load balancer of kube-proxy, in HNS, chooses a pod, and sends',
    `from the source VIP ${sourceVip}, which is reserved: no pod gets it`,
  ],
  [
    'To any other address',
    `with the address of the node, ${address} (OutBoundNAT);`,
    `not used for ${podsOfAll} and ${services}`,
  ],
]

const way = ([to, how, more]: Way, index: number): string[] => {
  const y = 434 + index * 50
  return [
    words(LEFT + MARGIN, y, to, {look: 'text bold', room: 240}),
    words(262, y, how, {look: 'dim', room: WIDTH - 262 - LEFT}),
    words(262, y + 19, more, {look: 'dim', room: WIDTH - 262 - LEFT}),
  ]
}

/** As it is on the host, and in the cluster, after setup. */
function networkOf({adapters, cluster, hns, services}: World): Network {
  const overlay: HnsNetwork | undefined = hns.networks
    .filter((one) => isNetwork(one))
    .find((one) => one.Name === NETWORK_NAME)
  const subnet = found(overlay?.Subnets?.[0])
  const adapter = found(adapters[0])
  const peer = found(cluster.nodes.find(({name}) => name.startsWith('linux')))
  const config = setupConfig()
  const policies = [...cniConflist(config).matchAll(/"Type": "(\w+)"/g)].map(([, type = '']) => type)
  if (policies.join(' ') !== 'OutBoundNAT SDNRoute') throw new Error('The ways of packets are not as in the picture.')
  return {
    adapter: adapter.name,
    address: found(adapter.addresses[0]).address,
    gateway: found(subnet.GatewayAddress),
    name: found(cluster.nodes.find(({podCIDR}) => podCIDR === subnet.AddressPrefix)).name,
    peer: {address: found(found(peer).addresses[0]).address, name: peer.name, pods: peer.podCIDR},
    pods: found(subnet.AddressPrefix),
    podsOfAll: config.clusterCIDR,
    services: config.serviceCIDR,
    sourceVip: found(/--source-vip=(\S+)/.exec(found(services.kubeproxy).config.imagePath)?.[1]),
  }
}

function found<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('The simulated host lacks something after setup.')
  return value
}
