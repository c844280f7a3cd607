// The node object: registered by the kubelet, with a pod network from the controller manager.
import {registrationMarks} from '../components/kubelet.js'
import {DAEMON} from '../config/daemons.js'
import {KUBELET} from '../config/model.js'
import {nodeNotRegistered, noPodCIDR} from '../errors/health.js'
import {pasted} from '../errors/define.js'
import type {ClusterNode} from '../host/cluster/objects.js'
import {askNode, nodeCluster, waitForNode} from '../pipeline/desired/cluster/node-cluster.js'
import {demandInside} from '../pipeline/desired/network/proven-makeable.js'
import {restartService, stopWaitingFlanneld} from '../pipeline/desired/services/stop-service.js'
import {readDaemonWords, withKnown} from '../pipeline/run/known-failure.js'
import {drifted, inPlace, missing, type Step, type StepContext} from '../pipeline/run/step.js'
import {ageOf} from '../machine/clock.js'

const ID = 'node-registered'
const FIRST_WAIT_MS = 60_000
const SECOND_WAIT_MS = 120_000

export const nodeRegistered: Step = {
  async apply(context) {
    const {config, host} = context
    context.progress({text: `waiting for the node ${config.nodeName}`})
    const appears = (ms: number) => waitForNode(context, ms, (seen) => seen)
    // One that has run for longer registers no more: there is nothing to wait for.
    const isThere = (await hasRunFor(host, FIRST_WAIT_MS)) ? await askNode(context) : await appears(FIRST_WAIT_MS)
    if (!isThere) await startKubeletAgain(context)
    if (!(await appears(SECOND_WAIT_MS))) {
      const {server} = await nodeCluster(context)
      const {known, logs, tail} = await readDaemonWords(context, DAEMON.kubelet)
      throw withKnown(nodeNotRegistered({logs, node: config.nodeName, server, tail}), known)
    }

    const given = await waitForNode(context, 60_000, (seen) => seen?.podCIDR || undefined)
    if (given === undefined) throw noPodCIDR({cluster: config.clusterCIDR, node: config.nodeName})
    demandInside(config.clusterCIDR, config.nodeName, given)
    context.changed(`the node ${config.nodeName} registered with the pod network ${given}`)
  },
  deadlineMs: 10 * 60_000,
  driftCause: 'The cluster assigned no pod network to the node, or not the one that flannel was configured with.',
  id: ID,
  async inspect(context) {
    const {clusterCIDR, nodeName} = context.config
    const node = await askNode(context)
    if (!node) return missing(`the cluster has no node ${nodeName}`)
    if (node.podCIDR === '') return drifted(`${nodeName} has no pod network`)
    demandInside(clusterCIDR, nodeName, node.podCIDR)
    tellMissingMarks(context, node)
    return inPlace(`${nodeName} has the pod network ${node.podCIDR}`)
  },
  needs: ['kubelet-service', 'node-certificate'],
  removal: 'Remove the node from the cluster',
  title: 'Register node',
}

/** The kubelet registers its node when it starts, and never again: a deleted node does not return. */
async function startKubeletAgain(context: StepContext): Promise<void> {
  const {config, journal, warn} = context
  warn(`the kubelet runs, but the cluster has no node ${config.nodeName}; restarting it`)
  await journal.record(ID, {kind: 'node', name: config.nodeName})
  await stopWaitingFlanneld(context)
  await restartService(context, KUBELET)
}

async function hasRunFor({clock, services}: StepContext['host'], ms: number): Promise<boolean> {
  const processId = (await services.status(KUBELET))?.processId ?? 0
  const since = processId === 0 ? undefined : await services.startedAt(processId)
  return since !== undefined && ageOf(clock, since) > ms
}

/** A node may not taint itself, and its labels may have been changed on purpose: they are reported, not set. */
function tellMissingMarks({config, warn}: StepContext, node: ClusterNode): void {
  const wanted = registrationMarks(config)
  const labels = wanted.labels.filter((label) => {
    const [key = '', value = ''] = label.split('=')
    return node.labels[key] !== value
  })
  const taints = wanted.taints.filter((taint) => !node.taints.includes(taint))
  const commands = [
    ...(labels.length === 0 ? [] : [`kubectl label --overwrite node ${pasted(node.name)} ${labels.join(' ')}`]),
    ...(taints.length === 0 ? [] : [`kubectl taint --overwrite node ${pasted(node.name)} ${taints.join(' ')}`]),
  ]
  if (commands.length === 0) return
  warn(`${node.name} existed before, and the kubelet labels and taints only new nodes. Run: ${commands.join('; ')}`)
}
