// What flanneld needs to make the overlay network. Outside of reset a network is removed, and a flanneld that runs is
// restarted, only after all of it was found: what was there before would not come back otherwise. The cluster is asked with
// flanneld's own identity: what the kubelet may, or gets an answer to, says nothing about flanneld.
import {kubeconfigOf} from '../../../components/identity.js'
import {refusal} from '../../../components/permission-advice.js'
import {missingOf, NEEDS} from '../../../components/permissions.js'
import {layoutOf} from '../../../config/layout.js'
import {isInside} from '../../../config/cidr.js'
import {noPodCIDR, podCIDROutside} from '../../../errors/health.js'
import {nodeAddressLost, nodeDeleted, programMissing} from '../../../errors/unhealthy-node.js'
import type {ClusterNode} from '../../../host/cluster/objects.js'
import {kubeconfigAt} from '../../../host/cluster/kubeconfig-file.js'
import type {StepContext} from '../../run/step.js'
import {askCluster} from '../cluster/node-cluster.js'

type Context = Pick<StepContext, 'config' | 'host' | 'signal'>

/** Throws what is missing: an answer of the API server, permissions, the Node, its pod network, the adapter's address, the program. */
export async function demandMakeable(context: Context): Promise<void> {
  const {config, host} = context
  const {baseDir, clusterCIDR, nodeIP, nodeName} = config
  const node = await askAsFlanneld(context)
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

async function askAsFlanneld(context: Context): Promise<ClusterNode | undefined> {
  const {config, host} = context
  const {nodeName, release} = config
  const kubeconfig = await kubeconfigAt(host, kubeconfigOf(config, 'flanneld'))
  const cluster = host.cluster(kubeconfig)
  const answer = await askCluster(context, cluster, async () => {
    const needs = {minor: release.minor, node: nodeName}
    const lacking = await missingOf(NEEDS.flanneld.required, needs, (access) => cluster.may(access))
    if (lacking.length > 0) throw refusal('flanneld', kubeconfig, nodeName, lacking).with({exitCode: 6})
    return {node: await cluster.node(nodeName)}
  })
  return answer?.node
}

export function demandInside(cluster: string, node: string, podCIDR: string): void {
  if (!isInside(cluster, String(podCIDR.split('/')[0]))) throw podCIDROutside({cluster, node, podCIDR})
}

type Adapters = Awaited<ReturnType<StepContext['host']['network']['adapters']>>

const shown = (adapters: Adapters): string =>
  adapters.flatMap(({addresses, name}) => addresses.map(({address}) => `"${name}" has ${address}`)).join(', ') || 'none'
