// Queries the cluster, with the kubelet's identity if nothing else is said, with retries: flanneld cuts the host off for a while, and an API
// server behind a load balancer may refuse connections for some seconds more.
import {openBootstrap} from '../../../components/bootstrap-kubeconfig.js'
import {kubeconfigOf} from '../../../components/identity.js'
import {type Decided, KUBELET} from '../../../config/model.js'
import {isNodeName} from '../../../config/options/parse-option.js'
import {
  clusterAnswer,
  clusterBusy,
  execPluginFailed,
  serverUnreachable,
  webhookFailed,
} from '../../../errors/cluster.js'
import {serverLost} from '../../../errors/health.js'
import {nodeNameInvalid} from '../../../errors/host.js'
import {K8sWinError} from '../../../errors/k8s-win-error.js'
import type {Cluster, ClusterNode} from '../../../host/cluster/cluster.js'
import {kubeconfigAt} from '../../../host/cluster/kubeconfig-file.js'
import type {Kubeconfig} from '../../../host/cluster/kubeconfig.js'
import type {Host} from '../../../host/host.js'
import {waitFor} from '../../../host/wait.js'
import type {StepContext} from '../../run/step.js'
import {nodeJoinState} from './join-state.js'
import {asKubelet} from './kubelet-store.js'

type Context = Pick<StepContext, 'config' | 'host' | 'signal'>

const ANSWERED_WITHIN_MS = 120_000
/** Each is a request to the API server, and many nodes may wait at once. */
const EVERY_MS = 2000
/** A starting server answers 5xx or no JSON; a plugin that fetches its token needs the network too. */
const TRANSIENT = [clusterAnswer, clusterBusy, execPluginFailed, serverUnreachable, webhookFailed]

interface NodeHost {
  readonly config: Decided & {readonly nodeName: string}
  readonly host: Host
}

/** The administrator's, where reset was given one. Otherwise as the kubelet uses it; of a node that has no certificate yet, the bootstrap token's. */
export async function nodeKubeconfig({config, host}: NodeHost): Promise<Kubeconfig> {
  if (config.administratorKubeconfig !== undefined) return kubeconfigAt(host, config.administratorKubeconfig)
  if (config.bootstrap) {
    const state = await nodeJoinState(host, config)
    return state.state === 'unjoined' ? openBootstrap(config.bootstrap) : state.kubeconfig
  }

  const kubeconfig = await kubeconfigAt(host, kubeconfigOf(config, 'kubelet'))
  return asKubelet(host, kubeconfig, () => config.nodeName)
}

export async function nodeCluster(node: NodeHost): Promise<Cluster> {
  return node.host.cluster(await nodeKubeconfig(node))
}

/** This host's node; undefined where the cluster has none. */
export async function askNode(context: Context): Promise<ClusterNode | undefined> {
  const cluster = await nodeCluster(context)
  const answer = await askCluster(context, cluster, async () => ({node: await cluster.node(context.config.nodeName)}))
  return answer?.node
}

/** What `ask` returns. Rejects where the cluster does not respond. */
export const askCluster = <T extends object>(
  context: Pick<Context, 'host' | 'signal'>,
  cluster: Cluster,
  ask: () => Promise<T>,
): Promise<T | undefined> => waitForCluster(context, cluster, ANSWERED_WITHIN_MS, ask)

/** What `find` returns for this host's node, or undefined when the deadline passes. An unreachable server is "not yet". */
export async function waitForNode<T>(
  context: Context,
  deadlineMs: number,
  find: (node: ClusterNode | undefined) => T | undefined,
): Promise<T | undefined> {
  const cluster = await nodeCluster(context)
  return waitForCluster(context, cluster, deadlineMs, async () => find(await cluster.node(context.config.nodeName)))
}

async function waitForCluster<T>(
  {host, signal}: Pick<Context, 'host' | 'signal'>,
  cluster: Cluster,
  deadlineMs: number,
  ask: () => Promise<T | undefined>,
): Promise<T | undefined> {
  let silence: K8sWinError | undefined
  const found = await waitFor(host.clock, {deadlineMs, everyMs: EVERY_MS, signal}, async () => {
    try {
      const answer = await ask()
      silence = undefined
      return answer
    } catch (error) {
      if (!isTransient(error)) throw error
      silence = error
      return undefined
    }
  })
  if (found === undefined && silence !== undefined) {
    throw serverLost(
      {limit: String(deadlineMs / 1000), reason: silence.reason, server: cluster.server},
      {cause: silence},
    )
  }

  return found
}

export function isTransient(error: unknown): error is K8sWinError {
  return error instanceof K8sWinError && TRANSIENT.some(({is}) => is(error))
}

/** As it was given; otherwise a node keeps its name if the computer is renamed. */
export async function nodeNameOf(
  {os, services}: Pick<Host, 'os' | 'services'>,
  {nodeName}: Pick<Decided, 'nodeName'>,
): Promise<string> {
  // A check reports services that cannot be queried.
  const kept = nodeName ?? (await keptName({services}).catch(() => undefined))
  if (kept !== undefined) return kept
  const computer = await os.computerName()
  const name = computer.toLowerCase()
  if (!isNodeName(name)) throw nodeNameInvalid({name: computer})
  return name
}

/**
 * The name under which k8s-win's kubelet has registered its node; undefined without one: another kubelet may have any
 * name.
 */
export async function keptName(host: Pick<Host, 'services'>): Promise<string | undefined> {
  const name = await keptFlag(host, 'hostname-override')
  return isNodeName(name) ? name : undefined
}

/** The address under which it has. */
export const keptAddress = (host: Pick<Host, 'services'>): Promise<string> => keptFlag(host, 'node-ip').catch(() => '')

export async function keptFlag({services}: Pick<Host, 'services'>, flag: string): Promise<string> {
  if (!(await services.isOurs(KUBELET))) return ''
  return new RegExp(`\\s--${flag}=(\\S+)`).exec((await services.imagePath(KUBELET)) ?? '')?.[1] ?? ''
}
