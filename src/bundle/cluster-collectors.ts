// What the cluster says of this node, asked as the kubelet.
import type {Cluster} from '../host/cluster/cluster.js'
import {nodeCluster} from '../pipeline/desired/node-cluster.js'
import type {Collector, CollectorContext} from './collector.js'
import {documentCollector} from './collector.js'

const FLANNEL = [
  ['kube-flannel', 'kube-flannel-cfg'],
  ['kube-system', 'kube-flannel-cfg'],
] as const

export const CLUSTER_COLLECTORS: readonly Collector[] = [
  documentCollector('cluster-server', 'cluster/server.json', async (context) => {
    const cluster = await open(context)
    return {...(await cluster.about()), server: cluster.server}
  }),
  documentCollector('cluster-node', 'cluster/node.json', async (context) => {
    const name = await nameOf(context)
    return (await (await open(context)).node(name)) ?? `the cluster has no node ${name}`
  }),
  documentCollector('cluster-flannel', 'cluster/flannel.json', async (context) => {
    const cluster = await open(context)
    for (const [namespace, name] of FLANNEL) {
      const data = await cluster.configMap(namespace, name)
      if (data) return {data, name, namespace}
    }

    return `there is no ${FLANNEL[0][1]} in ${FLANNEL.map(([namespace]) => namespace).join(' or ')}`
  }),
]

async function open(context: CollectorContext): Promise<Cluster> {
  return nodeCluster({...context, config: {...context.config, nodeName: await nameOf(context)}})
}

const nameOf = async ({config, host}: CollectorContext): Promise<string> =>
  config.nodeName ?? (await host.os.computerName()).toLowerCase()
