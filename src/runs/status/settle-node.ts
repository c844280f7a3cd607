// The configuration of a node for commands that only read: what the host cannot report is taken from the files that setup
// left, so that one missing fact does not prevent the other checks.
import {parse} from 'yaml'
import {KUBELET, type Node} from '../../config/model.js'
import {clusterForbids, clusterRefused} from '../../errors/cluster.js'
import {K8sWinError} from '../../errors/k8s-win-error.js'
import {problemOf, whyNotChecked} from '../../health/run-reporting-check.js'
import {at, listAt} from '../../host/document.js'
import type {Host} from '../../host/host.js'
import {within} from '../../host/wait.js'
import type {NotChecked} from '../../pipeline/run/status-report.js'
import type {FoundProblem} from '../../preflight/check.js'
import type {Facts} from '../../preflight/facts.js'
import {ADAPTER, completeNode, knownOfHost} from '../../preflight/node-config.js'

const FACT_MS = 3000

export interface SettledNode {
  readonly config: Node
  readonly problems: readonly FoundProblem[]
  readonly notChecked: readonly NotChecked[]
}

/** Queries the cluster only where the kubeconfig says something else than the files that were made from it. */
export async function settleNode(facts: Facts): Promise<SettledNode> {
  const {config, host, layout} = facts
  const notChecked: NotChecked[] = []
  const problems: FoundProblem[] = []
  const ask = async <T>(what: string, fact: Promise<T>): Promise<T | undefined> => {
    try {
      return await within(host.clock, FACT_MS, fact)
    } catch (error) {
      // The identities check reports what is wrong with a kubeconfig.
      if (!(error instanceof K8sWinError)) notChecked.push({what, why: whyNotChecked(error, {deadlineMs: FACT_MS})})
      else if (what === ADAPTER) problems.push(problemOf(error, {area: 'host', subject: ADAPTER, wanted: WANTED}))
      return undefined
    }
  }

  const [known, onNode, service, clientCA] = await Promise.all([
    knownOfHost(facts, ask),
    ask('the kubelet configuration', readKubeletConfig(host, layout.kubeletConfig)),
    ask(`the service ${KUBELET}`, host.services.imagePath(KUBELET)),
    ask('the client CA of the kubelet', host.files.read(layout.clientCA)),
  ])
  const flag = (name: string): string => new RegExp(` --${name}=(\\S+)`).exec(service ?? '')?.[1] ?? ''
  const [dns] = listAt(onNode, 'clusterDNS')
  const made = {
    clientCA: clientCA?.toString('utf8'),
    // As the service has it.
    kubeletProxy: undefined,
    kubeletRotates: at(onNode, 'rotateCertificates') === true,
  }
  const isSame = known.clientCA === made.clientCA && known.kubeletRotates === made.kubeletRotates
  const derived = isSame || (await hasProvenServer(facts)) ? known : made
  return {
    config: completeNode(config, {
      ...known,
      clientCA: config.clientCAFile === undefined ? derived.clientCA : (known.clientCA ?? made.clientCA),
      clusterDNS: config.clusterDNS ?? (typeof dns === 'string' ? dns : ''),
      kubeletProxy: derived.kubeletProxy,
      kubeletRotates: derived.kubeletRotates ?? made.kubeletRotates,
      nodeIP: known.nodeIP ?? config.nodeIP ?? flag('node-ip'),
      nodeName: known.nodeName ?? flag('hostname-override'),
    }),
    problems,
    notChecked,
  }
}

/**
 * Nothing is derived from a kubeconfig whose server has not proven itself with the authority in it: it may be of another
 * cluster, or have lost its authority. A server that refuses its client has proven itself.
 */
export async function hasProvenServer(facts: Facts): Promise<boolean> {
  const ask = async (): Promise<unknown> => (await facts.cluster()).about()
  return within(facts.host.clock, FACT_MS, ask()).then(
    () => true,
    (error: unknown) => clusterForbids.is(error) || clusterRefused.is(error),
  )
}

const WANTED = 'the adapter and the address the node was set up with'

/** Undefined if it is missing or not YAML, which its step reports. */
async function readKubeletConfig({files}: Pick<Host, 'files'>, path: string): Promise<unknown> {
  const text = (await files.read(path))?.toString('utf8') ?? ''
  try {
    return parse(text, {logLevel: 'silent'}) as unknown
  } catch {
    return undefined
  }
}
