// Drains this host's node while all daemons still run, as "kubectl drain --ignore-daemonsets --delete-emptydir-data
// --force" does; upgrade and stop evict pods without a controller only with --yes.
import {isSmokePod} from '../../components/smoke-pod.js'
import {clusterForbids, drainForbidden} from '../../errors/cluster.js'
import {drainTimedOut} from '../../errors/health.js'
import {K8sWinError} from '../../errors/k8s-win-error.js'
import {podsWithoutController} from '../../errors/upgrade.js'
import type {Cluster} from '../../host/cluster/cluster.js'
import type {ClusterPod} from '../../host/cluster/pods.js'
import {waitFor} from '../../host/wait.js'
import {afterCut, notThisMachine} from './leave-cluster.js'
import {isTransient, nodeCluster} from '../desired/cluster/node-cluster.js'
import type {StepContext} from '../run/step.js'
import {shortList} from '../short-list.js'

const POLL_MS = 1000
/** As long as kubectl waits before it retries an eviction that a disruption budget refused. */
const ASK_AGAIN_MS = 5000
const AT_ONCE = 10
const MOST_NAMED = 10

/** Before the node is removed: an unreachable cluster must not prevent a reset. */
export async function drainForReset(context: StepContext, deadlineMs: number): Promise<void> {
  try {
    await drainNode(context, deadlineMs)
  } catch (error) {
    throw withWayOut(error)
  }
}

/** The pods that draining would evict. */
export async function evictablePods(context: Pick<StepContext, 'config' | 'host'>): Promise<ClusterPod[]> {
  const cluster = await nodeCluster(context)
  return (await cluster.podsOf(context.config.nodeName)).filter(hasToLeave)
}

/** kubectl refuses such pods without --force, too (kubectl pkg/drain/filters.go, unreplicatedFilter). */
export function demandController(losesPods: boolean, pods: readonly ClusterPod[]): void {
  const lost = pods.filter(isLost)
  if (!losesPods && lost.length > 0) throw podsWithoutController({pods: namesOf(lost)})
}

/** A reset evicts them all. */
export const losesPodsOf = ({upgrade}: StepContext['config']): boolean => !upgrade || upgrade.losesPods === true

/** Returns what draining would do, and warns of pods that would be lost. Nothing is evicted. */
export async function planDrain(context: Pick<StepContext, 'config' | 'host' | 'warn'>): Promise<string[]> {
  const {nodeName} = context.config
  try {
    const cluster = await nodeCluster(context)
    const node = await cluster.node(nodeName)
    if (!node || (await notThisMachine(context, node)) !== undefined) return []
    const pods = (await cluster.podsOf(nodeName)).filter(hasToLeave)
    warnOfLoss(context, pods)
    const count = pods.length === 1 ? '1 pod' : `${pods.length} pods`
    const leaving = pods.length === 0 ? [] : [`evict ${count}: ${namesOf(pods)}`]
    return [`cordon the node ${nodeName}`, ...leaving]
  } catch (error) {
    // A cluster that cannot be queried now may respond when the node is drained.
    const why = error instanceof K8sWinError ? `${error.message}: ${error.reason}` : String(error)
    context.warn(`the node ${nodeName} cannot be drained now (${why}): reset --drain fails`)
    return [`evict the pods on the node ${nodeName}`]
  }
}

/**
 * Cordons the node and evicts its pods; resolves when they are gone. Finished pods and those of DaemonSets and the
 * kubelet stay.
 */
export async function drainNode(
  context: StepContext,
  deadlineMs: number,
  losesPods = losesPodsOf(context.config),
): Promise<void> {
  const {config, host} = context
  const {nodeName} = config
  const cluster = await nodeCluster(context)
  const node = await afterCut(context, () => cluster.node(nodeName))
  const other = node && (await notThisMachine(context, node))
  if (!node) return context.warn(`nothing to drain: the cluster has no node ${nodeName}`)
  if (other !== undefined) {
    return context.warn(`the node ${nodeName} is not drained because it is another machine: ${other}`)
  }

  await asking(nodeName, cluster.cordonNode(nodeName))
  context.changed(`cordon the node ${nodeName}`)
  const end = host.clock.elapsed() + deadlineMs
  const drain = {asked: new Map<string, number>(), cluster, context, end, said: new Map<string, string>()}
  let left: readonly ClusterPod[] = []
  const options = {deadlineMs, everyMs: POLL_MS, signal: context.signal}
  const done = await waitFor(host.clock, options, async () => {
    try {
      // Listed every time, because pods may have been scheduled here just before the node was cordoned.
      left = (await cluster.podsOf(nodeName)).filter(hasToLeave)
      demandController(losesPods, left)
      if (left.length > 0) await askToLeave(drain, left)
    } catch (error) {
      if (!isTransient(error)) throw asForbidden(nodeName, error)
      context.progress({text: `draining: ${error.reason}`})
      return undefined
    }

    if (left.length > 0) context.progress({text: `waiting for ${namesOf(left)} to terminate`})
    return left.length === 0 ? true : undefined
  })
  if (done) return
  const pods = left.map((pod) => [nameOf(pod), drain.said.get(pod.uid) ?? heldBy(pod)].filter(Boolean).join(' - '))
  const limit = `${Math.round(deadlineMs / 1000)} s`
  throw drainTimedOut({limit, node: nodeName, pods: named(pods) || 'the cluster no longer reported it'})
}

interface Drain {
  /** When an eviction was last requested, by uid. */
  readonly asked: Map<string, number>
  readonly cluster: Cluster
  readonly context: StepContext
  /** No pod is evicted after this time. */
  readonly end: number
  /** Why an eviction was refused, by uid. */
  readonly said: Map<string, string>
}

async function askToLeave({asked, cluster, context, end, said}: Drain, pods: readonly ClusterPod[]): Promise<void> {
  const now = context.host.clock.elapsed()
  const due = pods.filter(({isLeaving, uid}) => !isLeaving && now - (asked.get(uid) ?? -Infinity) >= ASK_AGAIN_MS)
  warnOfLoss(
    context,
    due.filter(({uid}) => !asked.has(uid)),
  )
  const ask = async (pod: ClusterPod): Promise<void> => {
    asked.set(pod.uid, now)
    const eviction = await cluster.evictPod(pod)
    if (eviction.result === 'forbidden') throw drainForbidden({node: context.config.nodeName, said: eviction.said})
    if (eviction.result === 'refused') said.set(pod.uid, eviction.said)
    else said.delete(pod.uid)
    if (eviction.result === 'taken') context.changed(`evict the pod ${nameOf(pod)}`)
  }

  for (let start = 0; start < due.length && context.host.clock.elapsed() < end; start += AT_ONCE) {
    await Promise.all(due.slice(start, start + AT_ONCE).map(ask))
  }
}

/**
 * kubectl deletes finished pods too, but nothing of them runs, and the cluster removes them with their node. The pod of a
 * smoke test that was killed ends by itself.
 */
export function hasToLeave(pod: ClusterPod): boolean {
  return !pod.isFinished && !pod.isMirror && pod.controller !== 'DaemonSet' && !isSmokePod(pod)
}

async function asking(node: string, request: Promise<void>): Promise<void> {
  try {
    await request
  } catch (error) {
    throw asForbidden(node, error)
  }
}

function asForbidden(node: string, error: unknown): unknown {
  const isForbidden = error instanceof K8sWinError && clusterForbids.is(error)
  return isForbidden ? drainForbidden({node, said: error.reason.replace(/^It said: /, '')}, {cause: error}) : error
}

function withWayOut(error: unknown): unknown {
  if (!(error instanceof K8sWinError) || error.exitCode !== 3 || drainForbidden.is(error)) return error
  return error.with({
    fix: `${error.fix} Or run the same command with --yes instead of --drain: then its pods are deleted with the node.`,
  })
}

function warnOfLoss({warn}: Pick<StepContext, 'warn'>, pods: readonly ClusterPod[]): void {
  for (const pod of pods.filter(isLost)) {
    warn(`the pod ${nameOf(pod)} has no controller: nothing recreates it after its eviction`)
  }

  const withData = pods.filter(({hasEmptyDir, isLeaving}) => hasEmptyDir && !isLeaving)
  if (withData.length > 0) warn(`the data in the emptyDir volumes of these pods is deleted: ${namesOf(withData)}`)
}

/** One that is terminating already is not lost by draining. */
const isLost = ({controller, isLeaving}: ClusterPod): boolean => controller === '' && !isLeaving

/** A pod that has ended stays in the cluster as long as it has a finalizer. */
const heldBy = ({finalizers, isLeaving}: ClusterPod): string =>
  isLeaving && finalizers.length > 0 ? `held by the finalizer ${finalizers.join(', ')}` : ''

export const nameOf = ({name, namespace}: ClusterPod): string => `${namespace}/${name}`

/** For a sentence. */
export const namesOf = (pods: readonly ClusterPod[]): string => named(pods.map(nameOf))

const named = (names: readonly string[]): string => shortList(names, MOST_NAMED)
