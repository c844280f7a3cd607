// The checks of a node that is set up: those of setup that also apply to a running node, and those of the node itself.
import type {Check} from '../preflight/check.js'
import {CHECKS} from '../preflight/index.js'
import {kubeletPort, peers, vxlanPort} from './cluster-checks.js'
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
import {podAddresses} from './pod-addresses.js'
import {dnsBackends, serviceBackends} from './service-backends.js'

/** Of the node itself, in addition to the probes. */
export const NODE_CHECKS: readonly Check[] = [
  nodeAddress,
  metadataRoutes,
  cniDuplicates,
  kubeletPort,
  peers,
  dnsBackends,
  logFolders,
  reservedPorts,
  staleEndpoints,
  serviceBackends,
  podAddresses,
  csiProxy,
  serviceWrapper,
  vxlanPort,
]

const isOfHealth = ({on, only}: Check): boolean => on !== 'host' && only === undefined
/** What status runs. */
export const HEALTH_CHECKS: readonly Check[] = [...CHECKS, ...NODE_CHECKS].filter(isOfHealth)
/** What doctor runs in addition, on a node that is set up. */
export const DOCTOR_CHECKS: readonly Check[] = [...CHECKS, ...NODE_CHECKS].filter((check) => !isOfHealth(check))
