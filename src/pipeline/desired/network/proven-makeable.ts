// What flanneld needs to make the overlay network. Outside of reset a network is removed, and a flanneld that runs is
// restarted, only after all of it was found: what was there before would not come back otherwise.
import {layoutOf} from '../../../config/layout.js'
import {isInside} from '../../../config/cidr.js'
import {noPodCIDR, podCIDROutside} from '../../../errors/health.js'
import {nodeAddressLost, nodeDeleted, programMissing} from '../../../errors/unhealthy-node.js'
import type {StepContext} from '../../run/step.js'
import {askNode} from '../cluster/node-cluster.js'

/** Throws what is missing: an answer of the API server, the Node, its pod network, the adapter's address, the program. */
export async function demandMakeable(context: Pick<StepContext, 'config' | 'host' | 'signal'>): Promise<void> {
  const {config, host} = context
  const {baseDir, clusterCIDR, nodeIP, nodeName} = config
  const node = await askNode(context)
  if (!node) throw nodeDeleted({node: nodeName})
  if (node.podCIDR === '') throw noPodCIDR({cluster: clusterCIDR, node: nodeName})
  demandInside(clusterCIDR, nodeName, node.podCIDR)
  const adapters = await host.network.adapters()
  const isOn = adapters.some(({addresses, up}) => up && addresses.some(({address}) => address === nodeIP))
  if (!isOn) throw nodeAddressLost({adapters: shown(adapters), address: nodeIP, hint: ''})
  const {flanneld} = layoutOf(baseDir)
  const program = await host.files.status(flanneld)
  if (program?.kind !== 'file') throw programMissing({path: flanneld, wanted: 'the program of flanneld'})
}

export function demandInside(cluster: string, node: string, podCIDR: string): void {
  if (!isInside(cluster, String(podCIDR.split('/')[0]))) throw podCIDROutside({cluster, node, podCIDR})
}

type Adapters = Awaited<ReturnType<StepContext['host']['network']['adapters']>>

const shown = (adapters: Adapters): string =>
  adapters.flatMap(({addresses, name}) => addresses.map(({address}) => `"${name}" has ${address}`)).join(', ') || 'none'
