// The node as the cluster sees it: registered, Ready, of the version and address that were set up.
import {cordoned, isCordoned, uncordon} from '../components/cordon.js'
import {flanneldLogs} from '../components/flanneld.js'
import {hasNoVtepMac} from '../components/overlay.js'
import {serverUnreachable} from '../errors/cluster.js'
import {vtepMacMissing} from '../errors/health.js'
import {K8sWinError} from '../errors/k8s-win-error.js'
import {nodeAtOtherAddress, nodeDeleted, nodeOfOtherVersion, nodeUnready} from '../errors/unhealthy-node.js'
import type {ClusterNode} from '../host/cluster/objects.js'
import {orAborted} from '../host/wait.js'
import {DeadlineError} from '../machine/clock.js'
import {recogniseHere} from '../pipeline/run/known-failure.js'
import {nodeCluster} from '../pipeline/desired/node-cluster.js'
import type {NodeStatus} from '../pipeline/run/status-report.js'
import {byCommand, type FoundProblem, LOCAL_MS, type Probe, type ProbeContext, problemOf} from './probe.js'

/** What the cluster says of the node, or why it could not be asked. */
export type ClusterAnswer = {readonly node: ClusterNode | undefined} | {readonly silence: string}

export interface NodeReport {
  readonly answer: ClusterAnswer
  readonly status?: NodeStatus
}

/** Before the probe's own: packets that are dropped on the way are an answer of a kind. */
const ANSWER_MS = 4000
/** Without a node there is no pod network either. */
const STEPS = ['node-registered', 'node-ready', 'overlay-network'] as const

export const nodeProbe: Probe<NodeReport> = {
  check: 'node-condition',
  deadlineMs: LOCAL_MS,
  async look(context) {
    const {config, host} = context
    let server = 'the API server'
    const deadline = host.clock.deadline(ANSWER_MS)
    try {
      const cluster = await nodeCluster(context)
      server = cluster.server
      const node = await orAborted(cluster.node(config.nodeName), deadline.signal)
      const status = statusOf(context, server, node)
      return {
        ...(status.schedulable ? {} : {fix: uncordon(config.nodeName), warnings: [cordoned(config.nodeName)]}),
        problems: await wrongIn(context, node),
        report: {answer: {node}, status},
        summary: `${config.nodeName} is Ready`,
      }
    } catch (error) {
      const silence = whySilent(error, server)
      // A kubeconfig that cannot be used is the identities' story; here it only keeps the cluster from being asked.
      return {
        problems: isOfKubeconfig(error) ? [] : [silent(server, silence)],
        report: {answer: {silence: silence.seen}},
      }
    } finally {
      deadline.cancel()
    }
  },
  what: 'the node in the cluster',
}

export const isOfKubeconfig = (error: unknown): error is K8sWinError =>
  error instanceof K8sWinError && error.id.startsWith('KUBECONFIG_')

function statusOf({config}: ProbeContext, server: string, node: ClusterNode | undefined): NodeStatus {
  return {
    addresses: node?.addresses ?? [],
    name: config.nodeName,
    podCIDR: node?.podCIDR ?? '',
    ready: node?.ready ?? false,
    readyMessage: node?.readyMessage ?? '',
    registered: node !== undefined,
    schedulable: !isCordoned(node),
    server,
    version: node?.kubeletVersion ?? '',
  }
}

async function wrongIn(context: ProbeContext, node: ClusterNode | undefined): Promise<FoundProblem[]> {
  const {command, config} = context
  const subject = config.nodeName
  const about = {area: 'node', ...byCommand(command('setup')), subject} as const
  if (!node) {
    const cause = 'It was deleted; the kubelet registers the node only when it starts.'
    const told = {cause, seen: 'the cluster has no such node', wanted: 'a registered node that is Ready'}
    return [problemOf(nodeDeleted({node: subject}), {...about, ...told, restsOn: ['end of the run'], steps: STEPS})]
  }

  const found: FoundProblem[] = []
  if (!node.ready) {
    const known = await recogniseHere(context.host.files, config.baseDir, node.readyMessage, 'kubelet')
    const cause =
      'The kubelet reports it, or has stopped reporting. The other problems listed here are the likely cause.'
    found.push(
      problemOf(nodeUnready({node: subject, said: node.readyMessage}), {
        ...about,
        cause: known?.cause ?? cause,
        ...(known && {command: undefined, next: known.fix}),
        seen: `it is NotReady: ${node.readyMessage}`,
        ...(known && {signature: known.id}),
        steps: ['node-ready'],
        wanted: 'Ready',
      }),
    )
  }
  if (hasNoVtepMac(node)) {
    const logs = flanneldLogs(config)
    const {id} = vtepMacMissing({logs, node: subject, tail: ''})
    const cause = 'flanneld restarted on an existing network; other nodes do not send packets to the pods of this node.'
    const seen = 'its annotation flannel.alpha.coreos.com/backend-data has no VtepMAC'
    found.push({...about, cause, id, seen, steps: ['overlay-network'], wanted: 'the address of its VXLAN endpoint'})
  }
  const release = `v${config.release.text}`
  if (node.kubeletVersion !== undefined && node.kubeletVersion !== release) {
    const error = nodeOfOtherVersion({node: subject, seen: node.kubeletVersion, wanted: release})
    const told = {seen: `its kubelet is ${node.kubeletVersion}`, wanted: `a kubelet ${release}`}
    found.push(problemOf(error, {...about, ...told, restsOn: ['stored values']}))
  }
  if (node.addresses.length > 0 && !node.addresses.includes(config.nodeIP)) {
    const seen = node.addresses.join(', ')
    const error = nodeAtOtherAddress({node: subject, seen, wanted: config.nodeIP})
    const told = {seen: `its address is ${seen}`, wanted: config.nodeIP}
    found.push(problemOf(error, {...about, ...told, restsOn: ['stored values']}))
  }
  return found
}

interface Silence {
  readonly cause: string
  readonly id: string
  readonly next: string
  readonly seen: string
}

function whySilent(error: unknown, server: string): Silence {
  if (error instanceof K8sWinError) return {cause: error.reason, id: error.id, next: error.fix, seen: error.message}
  if (!(error instanceof DeadlineError)) throw error
  return {
    id: serverUnreachable({reason: '', server}).id,
    cause: 'Packets are dropped, or the server hangs. The host can be disconnected while flanneld creates its network.',
    next: 'Check that this host can reach the address (routes, firewall, DNS), then run the command again.',
    seen: `${server} did not respond within ${ANSWER_MS / 1000} s`,
  }
}

const silent = (server: string, silence: Silence): FoundProblem => ({
  ...silence,
  area: 'node',
  subject: server,
  wanted: 'a response of the API server',
})
