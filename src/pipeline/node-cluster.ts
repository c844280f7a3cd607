// The cluster, asked with the kubelet's identity as it stands on the node.
import {kubeconfigOf} from '../components/identity.js'
import {kubeconfigMissing} from '../errors/host.js'
import type {Cluster} from '../host/cluster.js'
import {readKubeconfig} from '../host/kubeconfig.js'
import type {StepContext} from './step.js'

export async function nodeCluster({config, host}: Pick<StepContext, 'config' | 'host'>): Promise<Cluster> {
  const path = kubeconfigOf(config, 'kubelet')
  const content = await host.files.read(path)
  if (!content) throw kubeconfigMissing({flag: 'kubeconfig', path})
  return host.cluster(await readKubeconfig(path, content, (file) => host.files.read(file)))
}
