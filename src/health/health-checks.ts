// The checks of a node that is set up: those of setup that also apply to a running node, and those of the node itself.
import type {CheckId, NodeCheckId} from '../config/check-ids.js'
import type {StatusArea} from '../pipeline/run/status-report.js'
import type {Check} from '../preflight/check.js'
import {GROUP_OF, type GroupId} from '../config/check-ids.js'
import {CHECKS} from '../preflight/index.js'
import {kubeletPort, peers, vxlanPort} from './cluster-checks.js'
import {podAddresses} from './pod-addresses.js'
import {dnsBackends, serviceBackends} from './service-backends.js'
import {
  cniDuplicates,
  csiProxy,
  logFolders,
  metadataRoutes,
  nodeAddress,
  reservedPorts,
  serviceWrapper,
  staleEndpoints,
} from './node-checks.js'

/**
 * Required by setup but not by a running node: on a node that is set up, doctor shows their failure as a warning.
 * "administrator" is about the account, not the node.
 */
const BEFORE_SETUP: ReadonlySet<CheckId | NodeCheckId> = new Set([
  'administrator',
  'antivirus',
  'architecture',
  'cluster-administrator',
  'containerd-folder',
  'containerd-proxy',
  'docker-logs',
  'docker-proxy',
  'flannel-daemonset',
  'host-process-daemonsets',
  'interface-address',
  'linux-daemonsets',
  'long-paths',
  'memory',
  'node-name',
  'pending-restart',
  'processors',
  'program-folder',
  'virtual-machine',
  'windows-patch',
])

export const CHECKS_BEFORE_SETUP: readonly Check[] = CHECKS.filter(({id}) => BEFORE_SETUP.has(id))

/** Only for doctor, because they start programs, contact other hosts, or list much of the cluster. */
export const EXPLAINING_CHECKS: readonly Check[] = [
  reservedPorts,
  staleEndpoints,
  serviceBackends,
  podAddresses,
  csiProxy,
  serviceWrapper,
  vxlanPort,
]

/** Of the node itself, in addition to the probes. */
export const CHECKS_OF_A_NODE: readonly Check[] = [
  nodeAddress,
  metadataRoutes,
  cniDuplicates,
  kubeletPort,
  peers,
  dnsBackends,
  logFolders,
]

export const HEALTH_CHECKS: readonly Check[] = [...CHECKS.filter(({id}) => !BEFORE_SETUP.has(id)), ...CHECKS_OF_A_NODE]

const AREAS: Readonly<Record<GroupId, StatusArea>> = {
  cluster: 'cluster',
  containerd: 'runtime',
  docker: 'runtime',
  folders: 'host',
  identity: 'identity',
  network: 'network',
  node: 'node',
  reach: 'node',
  windows: 'host',
}
/** Checks whose area is not that of their group. */
const AREA_OF: Readonly<Partial<Record<CheckId | NodeCheckId, StatusArea>>> = {
  'api-server': 'cluster',
  'containers-feature': 'host',
  'firewall-policy': 'firewall',
  'firewall-rules': 'firewall',
  'hns-service': 'host',
  'hns-version': 'host',
  'interface-address': 'host',
  interface: 'host',
  'node-address': 'host',
  services: 'services',
}

export const areaOf = ({id}: Pick<Check, 'id'>): StatusArea => AREA_OF[id] ?? AREAS[GROUP_OF[id]]
