// What a node is to be, for who only looks: from what is stored and the host itself. What cannot be told is taken from what
// setup left on the node, so that one thing that is gone does not keep the rest from being looked at.
import type {FoundProblem} from '../../health/probe.js'
import {parse} from 'yaml'
import {tagsOf} from '../../components/images.js'
import {certificateRotation, KUBELET} from '../../components/kubelet.js'
import type {NodeConfig} from '../../config/model.js'
import {K8sWinError} from '../../errors/k8s-win-error.js'
import {at, listAt} from '../../host/document.js'
import type {Host} from '../../host/host.js'
import {within} from '../../host/wait.js'
import type {Unseen} from '../../pipeline/run/status-report.js'
import {readClientCA} from '../../preflight/cluster-checks.js'
import type {HostFacts} from '../../preflight/facts.js'
import {whyUnseen} from '../../health/probe.js'

const FACT_MS = 3000

export interface SettledNode {
  readonly config: NodeConfig
  readonly problems: readonly FoundProblem[]
  readonly unseen: readonly Unseen[]
}

/** Asks nothing of the cluster. */
export async function settleNode(facts: HostFacts): Promise<SettledNode> {
  const {config, host, layout} = facts
  const unseen: Unseen[] = []
  const problems: FoundProblem[] = []
  const told = async <T>(what: string, ask: Promise<T>): Promise<T | undefined> => {
    try {
      return await within(host.clock, FACT_MS, ask)
    } catch (error) {
      // What is wrong with a kubeconfig its own probe tells.
      if (!(error instanceof K8sWinError)) unseen.push({what, why: whyUnseen(error, {deadlineMs: FACT_MS})})
      else if (what === ADAPTER) problems.push(lostAdapter(error))
      return undefined
    }
  }

  const [version, chosen, nodeName, kubeconfig, clientCA, onNode, service, caFile] = await Promise.all([
    told('the version of Windows', facts.version()),
    told(ADAPTER, facts.interface()),
    told("the computer's name", facts.nodeName()),
    told('the kubeconfig of the kubelet', facts.kubeconfig('kubelet')),
    told('who may call the kubelet', readClientCA(facts)),
    told('the kubelet configuration', readKubeletConfig(host, layout.kubeletConfig)),
    told(`the service ${KUBELET}`, host.services.imagePath(KUBELET)),
    told('who may call the kubelet', host.files.read(layout.clientCA)),
  ])
  const hostBuild = version?.build ?? 0
  const tags = tagsOf(hostBuild)
  const flag = (name: string): string => new RegExp(` --${name}=(\\S+)`).exec(service ?? '')?.[1] ?? ''
  const [dns] = listAt(onNode, 'clusterDNS')
  return {
    config: {
      ...config,
      adapterName: chosen?.name ?? config.interfaceName ?? '',
      clientCA: clientCA?.pem ?? caFile?.toString('utf8') ?? '',
      clusterDNS: config.clusterDNS ?? (typeof dns === 'string' ? dns : ''),
      hostBuild,
      ...(kubeconfig ? certificateRotation(kubeconfig) : {kubeletRotates: at(onNode, 'rotateCertificates') === true}),
      nanoserverTag: config.nanoserverTag ?? tags?.nanoserver ?? '',
      nodeIP: chosen?.address ?? config.nodeIP ?? flag('node-ip'),
      nodeName: nodeName ?? flag('hostname-override'),
      servercoreTag: config.servercoreTag ?? tags?.servercore ?? '',
    },
    problems,
    unseen,
  }
}

const ADAPTER = 'the network adapter'

const lostAdapter = ({fix, id, message, reason}: K8sWinError): FoundProblem => ({
  area: 'host',
  cause: reason,
  id,
  next: fix,
  seen: message,
  subject: ADAPTER,
  wanted: 'the adapter and the address the node was set up with',
})

/** Undefined where it is not there or no YAML: its own step says so. */
async function readKubeletConfig({files}: Pick<Host, 'files'>, path: string): Promise<unknown> {
  const text = (await files.read(path))?.toString('utf8') ?? ''
  try {
    return parse(text, {logLevel: 'silent'}) as unknown
  } catch {
    return undefined
  }
}
