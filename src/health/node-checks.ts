// The checks of a node that is set up: what explains one that is sick.
import type {Check} from '../preflight/check.js'
import {kubeletPort, nodeCondition, peers, vxlanPort} from './cluster-checks.js'
import {metadataRoutes, nodeAddress, overlay, reservedPorts, staleEndpoints} from './network-checks.js'
import {nodePrograms} from './program-checks.js'
import {knownFailures, nodeHealth, nodeServices} from './service-checks.js'
import {
  cniDuplicates,
  imageBuild,
  kubeletCertificate,
  nodeFirewall,
  type NodeRecords,
  recordsCheck,
} from './state-checks.js'

export type {NodeRecords} from './state-checks.js'

const CHECKS_OF_A_NODE: readonly Check[] = [
  nodePrograms,
  nodeServices,
  nodeHealth,
  knownFailures,
  nodeCondition,
  overlay,
  nodeAddress,
  staleEndpoints,
  metadataRoutes,
  reservedPorts,
  nodeFirewall,
  cniDuplicates,
  imageBuild,
  kubeletCertificate,
  peers,
  kubeletPort,
  vxlanPort,
]

/** Of a node that a reset is taking away only that is told: what is not there goes with it. */
export const nodeChecks = (records: NodeRecords): readonly Check[] => [
  recordsCheck(records),
  ...(records.leavingBy !== undefined ? [] : CHECKS_OF_A_NODE),
]
