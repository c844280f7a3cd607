// Removes the node object from the cluster. Only this machine's node is touched, and a cluster that does not respond or
// does not allow it never prevents a reset.
import {otherMachine, refusedCopy} from '../../components/node-machine.js'
import {isSmokePod} from '../../components/smoke-pod.js'
import {KUBELET} from '../../config/model.js'
import {clusterForbids} from '../../errors/cluster.js'
import {K8sWinError} from '../../errors/k8s-win-error.js'
import {pasted} from '../../errors/define.js'
import type {Access, Cluster, ClusterNode} from '../../host/cluster/cluster.js'
import {CONDITION} from '../../host/cluster/node-condition.js'
import {waitFor} from '../../host/wait.js'
import type {StepContext} from '../run/step.js'
import {isRecordOpen} from '../desired/network/network-records.js'
import {isTransient, keptName, nodeCluster} from '../desired/cluster/node-cluster.js'
import type {Kind, Search} from '../ledger/kind.js'

type Context = Pick<StepContext, 'changed' | 'config' | 'host' | 'journal' | 'progress' | 'signal' | 'warn'>

const POLL_MS = 1000

/** As long as setup waits for the host's network to recover. */
const CUT_MS = 120_000
const NAME = /^[\da-z](?:[\d.a-z-]{0,251}[\da-z])?$/

export const node: Kind = {
  accepts: ({name}) => typeof name === 'string' && NAME.test(name),
  async remove(context, step, isLast) {
    if (step === 'node-registered') await removeNode(context, isLast)
  },
  steps: ['node-registered'],
}

/** The name under which k8s-win's kubelet has registered it. */
export async function findNode({claim, host}: Search): Promise<void> {
  const name = await keptName(host)
  if (name !== undefined) claim('node-registered', {kind: 'node', name})
}

/**
 * Removes the nodes that the journal names, or reports why not and what an administrator can do: a node's own identity
 * may register its node, but not delete it. `isLast`: no later reset tries again.
 */
export async function removeNode(context: Context, isLast = false): Promise<void> {
  const {journal} = context
  for (const name of new Set(journal.entries('node-registered', 'node').map((entry) => entry.name))) {
    try {
      await removeOwn(context, name)
    } catch (error) {
      // It stays recorded: the next reset tries again, perhaps with other permissions.
      context.warn(leftFor(name, error))
      if (!(isLast && clusterForbids.is(error))) continue
    }

    await journal.forget(({entry}) => entry.kind === 'node' && entry.name === name)
  }
}

/** --keep-node: it stays without the condition of k8s-win, which is not updated any more. */
export async function keepNode(context: Context): Promise<void> {
  for (const {name} of context.journal.entries('node-registered', 'node')) {
    await removeOwn(context, name, true).catch((error: unknown) => {
      if (!(error instanceof K8sWinError)) throw error
      context.warn(`the condition ${CONDITION} of the node ${name} may stay in the cluster (${error.message})`)
    })
  }
}

async function removeOwn(context: Context, name: string, isKept = false): Promise<void> {
  const cluster = await nodeCluster(context)
  const node = await afterCut(context, () => cluster.node(name))
  if (!node) return
  const why = await whyNotOurs(context, node)
  if (why !== undefined) return context.warn(`the node ${name} is kept in the cluster because ${why}`)
  if (!isKept) await removeSmokePods(context, cluster, name)
  // A node's own identity may not, and the request would be in the audit log of every reset.
  const isStaying = isKept || !(await cluster.may(deletion(name)))
  if (isStaying && node.isPublished && (await cluster.setCondition(name)))
    context.changed(`remove the condition ${CONDITION} of the node ${name}`)
  if (isKept) return
  if (isStaying) throw clusterForbids({request: `DELETE /api/v1/nodes/${name}`, said: MAY_NOT})
  await cluster.deleteNode(name)
  context.changed(`remove the node ${name} from the cluster`)
}

/** A run of verify that was killed leaves its pod. A node may delete pods that are on it (NodeRestriction). */
async function removeSmokePods({changed, warn}: Context, cluster: Cluster, node: string): Promise<void> {
  const pods = await cluster.podsOf(node).catch((error: unknown) => {
    if (clusterForbids.is(error)) return []
    throw error
  })
  for (const {name, namespace, uid} of pods.filter(isSmokePod)) {
    try {
      await cluster.deletePod(namespace, name, uid)
      changed(`delete the pod ${namespace}/${name} of an interrupted verify`)
    } catch (error) {
      if (!(error instanceof K8sWinError)) throw error
      const command = `kubectl delete pod -n ${pasted(namespace)} ${pasted(name)}`
      warn(
        `the pod ${namespace}/${name} of an interrupted verify stays in the cluster. An administrator deletes it: ${command}`,
      )
    }
  }
}

const deletion = (name: string): Access => ({group: '', name, resource: 'nodes', verb: 'delete'})

const MAY_NOT = 'this identity is not allowed to delete it'

function leftFor(name: string, error: unknown): string {
  if (!(error instanceof K8sWinError)) throw error
  const why = clusterForbids.is(error) ? MAY_NOT : `${error.message}: ${error.reason}`
  return `the node ${name} stays in the cluster (${why}). An administrator removes it: kubectl delete node ${pasted(name)}`
}

/** A node that an earlier reset left may belong to another installation now. */
async function whyNotOurs(
  context: Pick<StepContext, 'config' | 'host'>,
  node: ClusterNode,
): Promise<string | undefined> {
  const {services} = context.host
  if ((await services.status(KUBELET)) && !(await services.isOurs(KUBELET))) {
    return 'the service kubelet of this host was not created by k8s-win'
  }

  const other = await notThisMachine(context, node)
  return other === undefined ? undefined : `it is another machine: ${other}`
}

/** A run that was killed while the virtual switch was created leaves a host that is cut off for a while. */
export async function afterCut<T>(
  context: Pick<StepContext, 'host' | 'journal' | 'signal'>,
  ask: () => Promise<T>,
): Promise<T> {
  const deadlineMs = isRecordOpen(context) ? CUT_MS : 0
  let last: unknown
  const options = {deadlineMs, everyMs: POLL_MS, signal: context.signal}
  const answer = await waitFor(context.host.clock, options, async () => {
    try {
      return {value: await ask()}
    } catch (error) {
      if (!isTransient(error)) throw error
      last = error
      return undefined
    }
  })
  if (answer) return answer.value
  throw last
}

/** Describes the node where it is another machine. */
export async function notThisMachine(
  {config, host}: Pick<StepContext, 'config' | 'host'>,
  node: ClusterNode,
): Promise<string | undefined> {
  const original = refusedCopy(config, await host.os.systemUuid())
  if (original !== undefined) return `${original}, not its copy`
  const [adapters, computerName, kubelet] = await Promise.all([
    host.network.adapters(),
    host.os.computerName(),
    host.services.status(KUBELET),
  ])
  const addresses = adapters.flatMap((adapter) => adapter.addresses.map(({address}) => address))
  return otherMachine(node, {addresses, computerName, kubeletRuns: kubelet?.state === 'running'})
}
