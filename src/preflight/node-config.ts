// From what was asked for and what the host and the cluster say to all that a step needs to know.
import {tagsOf} from '../components/images.js'
import {certificateRotation} from '../components/kubelet.js'
import type {NodeConfig} from '../config/model.js'
import {readClientCA} from './cluster-checks.js'
import type {HostFacts} from './facts.js'

/** To be called when the checks have passed: what they demand is taken for granted here. */
export async function resolveNode(facts: HostFacts): Promise<NodeConfig> {
  const {config} = facts
  const [version, chosen, nodeName, clusterDNS, kubeconfig, clientCA] = await Promise.all([
    facts.version(),
    facts.interface(),
    facts.nodeName(),
    facts.clusterDNS(),
    facts.kubeconfig('kubelet'),
    readClientCA(facts),
  ])
  const hostBuild = version?.build ?? 0
  const tags = tagsOf(hostBuild)
  return Object.freeze({
    ...config,
    adapterName: chosen.name,
    clientCA: clientCA.pem,
    clusterDNS: clusterDNS ?? '',
    hostBuild,
    ...certificateRotation(kubeconfig),
    nanoserverTag: config.nanoserverTag ?? tags?.nanoserver ?? '',
    nodeIP: chosen.address,
    nodeName,
    servercoreTag: config.servercoreTag ?? tags?.servercore ?? '',
  })
}
