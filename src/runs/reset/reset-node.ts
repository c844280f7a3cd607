// What is known of a node that is to be taken apart: also of one whose cluster, adapter or configuration is gone.
import type {NodeConfig, SetupConfig} from '../../config/model.js'
import type {Host} from '../../host/host.js'
import type {Journal} from '../../pipeline/ledger/journal.js'

const NOTING = ['overlay-network', 'flanneld-service', 'external-network'] as const

export async function nodeToReset(config: SetupConfig, host: Host, journal: Journal): Promise<NodeConfig> {
  const [computer, version] = await Promise.all([
    host.os.computerName().catch(() => ''),
    host.os.version().catch(() => undefined),
  ])
  const [noted] = NOTING.flatMap((step) => journal.entries(step, 'network-before'))
  const [node] = journal.entries('node-registered', 'node')
  return Object.freeze({
    ...config,
    adapterName: noted?.adapter ?? config.interfaceName ?? '',
    clientCA: '',
    clusterDNS: config.clusterDNS ?? '',
    hostBuild: version?.build ?? 0,
    kubeletRotates: false,
    nanoserverTag: config.nanoserverTag ?? '',
    nodeIP: config.nodeIP ?? '',
    nodeName: config.nodeName ?? node?.name ?? computer.toLowerCase(),
    servercoreTag: config.servercoreTag ?? '',
  })
}
