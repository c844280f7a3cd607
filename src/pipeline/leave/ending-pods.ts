// The pods that the removal of this host's node would end, and that no DaemonSet creates: of them nobody has said that they may.
import {K8sWinError} from '../../errors/k8s-win-error.js'
import type {ClusterPod} from '../../host/cluster/pods.js'
import {nodeCluster} from '../desired/cluster/node-cluster.js'
import {hasNoShims} from '../desired/services/stop-service.js'
import type {StepContext} from '../run/step.js'
import {hasToLeave, nameOf} from './drain-node.js'
import {notThisMachine} from './leave-cluster.js'

type Context = Pick<StepContext, 'config' | 'host' | 'journal'>

export interface EndingPods {
  /** Draining the node would evict them; false where the cluster does not know them, or does not answer. */
  readonly areEvictable: boolean
  /** namespace/name */
  readonly names: readonly string[]
}

export const NO_PODS: EndingPods = {areEvictable: true, names: []}

/** `isDrained`: without those that are evicted before. A drain that cannot query the cluster fails by itself. */
export async function endingPods(context: Context, isDrained: boolean): Promise<EndingPods> {
  if (context.journal.entries('kubelet-service', 'service').length === 0) return NO_PODS
  const [running, known] = await Promise.all([podsHere(context), unlessSilent(podsInCluster(context))])
  if (known === undefined) return {areEvictable: false, names: isDrained ? [] : running}
  const evicted = known.filter(hasToLeave).map(nameOf)
  const owned = new Set(known.map(nameOf))
  const unknown = running.filter((name) => !owned.has(name))
  return {areEvictable: unknown.length === 0, names: [...(isDrained ? [] : evicted), ...unknown].toSorted()}
}

/** A containerd that does not respond may be restored or, with --purge, ended: with each shim a pod ends. */
const UNNAMED = ['those of containerd, which does not respond']

async function podsHere({config, host}: Context): Promise<readonly string[]> {
  const pods = await unlessSilent(host.runtime.pods())
  if (pods) return pods.running
  return host.runtime.name === 'docker' || (await hasNoShims(host, config.containerd)) ? [] : UNNAMED
}

/** None where the node is that of another machine. */
async function podsInCluster(context: Context): Promise<readonly ClusterPod[]> {
  const {nodeName} = context.config
  const cluster = await nodeCluster(context)
  const node = await cluster.node(nodeName)
  return !node || (await notThisMachine(context, node)) !== undefined ? [] : cluster.podsOf(nodeName)
}

async function unlessSilent<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof K8sWinError) return undefined
    throw error
  }
}
