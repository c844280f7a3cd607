// The pods that the removal of this host's node would end, and that no DaemonSet creates: of them nobody has said that they may.
import {DOCKER_SERVICE} from '../../config/model.js'
import {dockerStopped} from '../../errors/host.js'
import {K8sWinError} from '../../errors/k8s-win-error.js'
import type {ClusterPod} from '../../host/cluster/pods.js'
import {RUNTIME_TITLES} from '../../host/runtime.js'
import {waitFor} from '../../host/wait.js'
import {nodeCluster} from '../desired/cluster/node-cluster.js'
import {hasNoShims} from '../desired/services/stop-service.js'
import type {StepContext} from '../run/step.js'
import {hasToLeave, nameOf} from './drain-node.js'
import {notThisMachine} from './leave-cluster.js'

type Context = Pick<StepContext, 'config' | 'host' | 'journal'>

export interface EndingPods {
  /** Draining the node would evict them; false where the cluster does not know them, or does not answer. */
  readonly areEvictable: boolean
  /** namespace/name, or in words what the kubelet did not create. */
  readonly names: readonly string[]
}

const NO_PODS: EndingPods = {areEvictable: true, names: []}

/** The runtime may know a pod for a moment longer than the cluster. */
const GONE = {deadlineMs: 30_000, everyMs: 1000}

/** `isDrained`: without those that a drain will evict, after which they are compared again. */
export async function endingPods(context: Context, isDrained: boolean): Promise<EndingPods> {
  if (context.journal.entries('kubelet-service', 'service').length === 0) return NO_PODS
  const [running, known] = await Promise.all([podsHere(context), unlessSilent(podsInCluster(context))])
  if (known === undefined) return {areEvictable: false, names: isDrained ? [] : running}
  const evicted = known.filter(hasToLeave).map(nameOf)
  const owned = new Set(known.map(nameOf))
  const unknown = running.filter((name) => !owned.has(name))
  return {areEvictable: unknown.length === 0, names: [...(isDrained ? [] : evicted), ...unknown].toSorted()}
}

/** What still ends after a drain, or is not known to have ended with it. */
export async function podsAfterDrain(context: Context & Pick<StepContext, 'signal'>): Promise<readonly string[]> {
  let left: readonly string[] = []
  await waitFor(context.host.clock, {...GONE, signal: context.signal}, async () => {
    left = (await endingPods(context, false)).names
    return left.length === 0 || undefined
  })
  return left
}

async function podsHere(context: Context): Promise<readonly string[]> {
  const {config, host} = context
  const {containerd, runtime} = host
  // They end with the containerd that they run in; one that k8s-win did not install runs on, as Docker does.
  const hasOthers = runtime.name === 'containerd' && config.containerd.isOurs
  const found: string[] = []
  try {
    found.push(...(await runtime.pods()).running)
    if (hasOthers) found.push(...(await containerd.runningOthers()))
    return found
  } catch (error) {
    if (!(error instanceof K8sWinError)) throw error
    const unnamed = `what else runs in ${RUNTIME_TITLES[runtime.name]}, which does not respond`
    return (await isKnownToRunNothing(context, error)) ? found : [...found, unnamed]
  }
}

/** A containerd that is silent may be restored or, with --purge, ended: with each shim something ends. */
async function isKnownToRunNothing({config, host}: Context, silence: K8sWinError): Promise<boolean> {
  if (host.runtime.name === 'containerd') return hasNoShims(host, config.containerd)
  const {state = 'stopped'} = (await host.services.status(DOCKER_SERVICE)) ?? {}
  return state === 'stopped' && dockerStopped.is(silence)
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
