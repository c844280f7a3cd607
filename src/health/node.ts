// The node as the cluster reports it: registered, Ready, with the version and address of setup.
import {cordoned, cordonedByUpgrade, isCordoned, uncordon} from '../components/cordon.js'
import {hasNoVtepMac, otherVni, podCIDROf} from '../components/overlay.js'
import {DAEMON, logsOf} from '../config/daemons.js'
import {FLANNELD, NETWORK_NAME, type Node, VXLAN_ID} from '../config/model.js'
import {serverUnreachable} from '../errors/cluster.js'
import {noPodCIDR, vtepMacMissing} from '../errors/health.js'
import {K8sWinError} from '../errors/k8s-win-error.js'
import {
  nodeAtOtherAddress,
  nodeDeleted,
  nodeOfOtherVersion,
  nodeUnready,
  overlayUnsound,
} from '../errors/unhealthy-node.js'
import type {ClusterNode} from '../host/cluster/objects.js'
import {within} from '../host/wait.js'
import {DeadlineError} from '../machine/clock.js'
import {recogniseHere} from '../pipeline/run/known-failure.js'
import {nodeCluster} from '../pipeline/desired/cluster/node-cluster.js'
import {upgradeOf} from '../pipeline/desired/cluster/unfinished-upgrade.js'
import type {NodeStatus} from '../pipeline/run/status-report.js'
import {check, type Finding, type FoundProblem} from '../preflight/check.js'
import type {Facts} from '../preflight/facts.js'
import {explainedBy, problemOf} from './run-reporting-check.js'

/** The node object, or why the cluster could not be queried. */
export type ClusterAnswer = {readonly node: ClusterNode | undefined} | {readonly silence: string}

export interface NodeReport {
  readonly answer: ClusterAnswer
  readonly status?: NodeStatus
}

/** Less than the check's own deadline, so that dropped packets are reported as a problem of the cluster. */
const ANSWER_MS = 4000
/** Without a node there is no pod network either. */
const STEPS = ['node-registered', 'node-ready', 'overlay-network'] as const

export const nodeCheck = check<NodeReport, Node>(
  'node-condition',
  {
    cost: 'cluster',
    healthy: 'registered and Ready',
    on: 'node',
    title: 'Node status in the cluster',
    what: 'the node in the cluster',
  },
  async (context) => {
    const {config, host, options} = context
    let server = 'the API server'
    const answerMs = ANSWER_MS * (options.patience ?? 1)
    try {
      const cluster = await nodeCluster(context)
      server = cluster.server
      const node = await within(host.clock, answerMs, cluster.node(config.nodeName))
      const status = statusOf(context, server, node)
      return {
        ...(status.schedulable ? {} : ofCordon(context)),
        problems: await wrongIn(context, node),
        report: {answer: {node}, status},
        message: `${config.nodeName} is Ready`,
      }
    } catch (error) {
      const silence = whySilent(error, server, answerMs)
      // The check of the identities reports an unusable kubeconfig; here it only prevents a query.
      const about = {area: 'node', subject: server, wanted: 'a response of the API server'} as const
      return {
        problems: isOfKubeconfig(error) ? [] : [problemOf(silence, about)],
        report: {answer: {silence: silence.message}},
      }
    }
  },
)

/** A run that finishes the upgrade also uncordons the node. */
function ofCordon({config: {nodeName}, journal}: Facts<Node>): Pick<Finding<NodeReport>, 'fix' | 'warnings'> {
  return upgradeOf(journal)?.cordoned
    ? {warnings: [cordonedByUpgrade(nodeName)]}
    : {fix: uncordon(nodeName), warnings: [cordoned(nodeName)]}
}

export const isOfKubeconfig = (error: unknown): error is K8sWinError =>
  error instanceof K8sWinError && error.id.startsWith('KUBECONFIG_')

function statusOf({config}: Facts<Node>, server: string, node: ClusterNode | undefined): NodeStatus {
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

async function wrongIn(context: Facts<Node>, node: ClusterNode | undefined): Promise<FoundProblem[]> {
  const {config, host} = context
  const subject = config.nodeName
  const about = {area: 'node', subject} as const
  if (!node) {
    return [problemOf(nodeDeleted({node: subject}), {...about, restsOn: ['end of the run'], steps: STEPS})]
  }

  const found: FoundProblem[] = []
  if (!node.ready) {
    const known = await recogniseHere(host.files, config, node.readyMessage, 'kubelet')
    const error = nodeUnready({node: subject, said: node.readyMessage})
    found.push(problemOf(error, {...about, ...explainedBy(known), restsOn: ['end of the run'], steps: ['node-ready']}))
  }
  if (podCIDROf(node) === undefined) {
    const cluster = config.clusterCIDR
    found.push(
      problemOf(noPodCIDR({cluster, node: subject}), {
        ...about,
        next: `Start kube-controller-manager with --allocate-node-cidrs=true --cluster-cidr=${cluster}, or free a pod network. The daemons of this node continue by themselves.`,
        restsOn: ['end of the run'],
        seen: 'its spec has no podCIDR',
        steps: ['node-registered', 'overlay-network'],
        wanted: `a pod network inside ${cluster}`,
      }),
    )
  } else if (hasNoVtepMac(node) && (await host.services.status(FLANNELD))) {
    found.push(
      problemOf(vtepMacMissing({logs: logsOf(config, DAEMON.flanneld), node: subject, tail: ''}), {
        ...about,
        cause: 'flanneld restarted on an existing network; other nodes do not send packets to the pods of this node.',
        next: 'Run "k8s-win recover": it restarts flanneld.',
        restsOn: ['end of the run'],
        seen: 'its annotation flannel.alpha.coreos.com/backend-data has no VtepMAC',
        steps: ['overlay-network'],
        wanted: 'the address of its VXLAN endpoint',
      }),
    )
  }
  const vni = otherVni(node)
  if (vni !== undefined && podCIDROf(node) !== undefined && (await host.services.status(FLANNELD))) {
    const error = overlayUnsound({
      cause:
        'flanneld was started with another net-conf.json, and publishes its VNI beside a network of the former one.',
      network: NETWORK_NAME,
      seen: `flanneld published VNI ${vni} for this node`,
      wanted: `VNI ${VXLAN_ID}`,
    })
    found.push(problemOf(error, {...about, restsOn: ['end of the run'], steps: ['overlay-network']}))
  }
  const ofStored = {...about, restsOn: ['stored values']} as const
  const release = `v${config.release.text}`
  if (node.kubeletVersion !== undefined && node.kubeletVersion !== release) {
    const error = nodeOfOtherVersion({node: subject, seen: node.kubeletVersion, wanted: release})
    found.push(problemOf(error, ofStored))
  }
  if (node.addresses.length > 0 && !node.addresses.includes(config.nodeIP)) {
    const error = nodeAtOtherAddress({node: subject, seen: node.addresses.join(', '), wanted: config.nodeIP})
    found.push(problemOf(error, ofStored))
  }
  return found
}

function whySilent(error: unknown, server: string, answerMs: number): K8sWinError {
  if (error instanceof K8sWinError) return error
  if (!(error instanceof DeadlineError)) throw error
  const reason =
    'Packets are dropped, or the server hangs. The host can be disconnected while flanneld creates its network.'
  return serverUnreachable({reason, server}).with({message: `${server} did not respond within ${answerMs / 1000} s`})
}
