// From the options and what the host and the cluster report to everything that a step needs to know.
import {tagsOf} from '../components/images.js'
import {certificateRotation} from '../components/kubelet.js'
import {PROXY_VARIABLES} from '../components/machine-proxy.js'
import type {Decided, Node} from '../config/model.js'
import type {Host} from '../host/host.js'
import {readClientCA} from './checks/kubeconfig-checks.js'
import type {Facts} from './facts.js'

/** As much of it as is known. */
type PartOfNode = {readonly [Key in keyof Node]?: Node[Key] | undefined}

/** How a fact is asked for: setup requires each of them, status continues without. */
export type AskFact = <T>(what: string, fact: Promise<T>) => Promise<T | undefined>

export const ADAPTER = 'the network adapter'

/** The options with what is known of the node; what is neither given nor known is empty, and proxies are undefined. */
export function completeNode(config: Decided, known: PartOfNode): Node {
  return Object.freeze({
    ...config,
    adapterName: known.adapterName ?? config.interfaceName ?? '',
    clientCA: known.clientCA ?? '',
    clusterDNS: known.clusterDNS ?? config.clusterDNS ?? '',
    hostBuild: known.hostBuild ?? 0,
    kubeletProxy: known.kubeletProxy,
    kubeletRotates: known.kubeletRotates ?? false,
    nanoserverTag: config.nanoserverTag ?? known.nanoserverTag ?? '',
    nodeIP: known.nodeIP ?? config.nodeIP ?? '',
    nodeName: known.nodeName ?? config.nodeName ?? '',
    proxy: known.proxy,
    servercoreTag: config.servercoreTag ?? known.servercoreTag ?? '',
  })
}

/** What the host reports, without the cluster. */
export async function knownOfHost(facts: Facts, ask: AskFact): Promise<PartOfNode> {
  const [version, chosen, nodeName, kubeconfig, clientCA, proxy] = await Promise.all([
    ask('the version of Windows', facts.version()),
    ask(ADAPTER, facts.interface()),
    ask("the computer's name", facts.nodeName()),
    ask('the kubeconfig of the kubelet', facts.kubeconfig('kubelet')),
    ask('the client CA of the kubelet', readClientCA(facts)),
    ask('the proxy of this host', proxyOf(facts.host)),
  ])
  const tags = version && tagsOf(version.build)
  return {
    adapterName: chosen?.name,
    clientCA: clientCA?.pem,
    hostBuild: version?.build,
    ...(kubeconfig &&
      (facts.config.bootstrap ? {kubeletProxy: '', kubeletRotates: true} : certificateRotation(kubeconfig))),
    nanoserverTag: tags?.nanoserver,
    nodeIP: chosen?.address,
    nodeName,
    proxy,
    servercoreTag: tags?.servercore,
  }
}

/** Services have the variables of the last start of Windows, so the daemons are given the present ones. */
export async function proxyOf({environment}: Pick<Host, 'environment'>): Promise<Record<string, string>> {
  const values = await Promise.all(
    PROXY_VARIABLES.map(async (name) => [name, (await environment.get(name)) ?? ''] as const),
  )
  return Object.fromEntries(values.filter(([, value]) => value !== ''))
}

/** Call it when the checks have passed: rejects with the first fact that is missing. */
export async function resolveNode(facts: Facts): Promise<Node> {
  const [known, clusterDNS] = await Promise.all([knownOfHost(facts, (_, fact) => fact), facts.clusterDNS()])
  return completeNode(facts.config, {...known, clusterDNS})
}
