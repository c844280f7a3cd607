// The checks of a node that is set up: those of setup that also apply to a running node, and those of the node itself.
import {DAEMON, daemonsOf, WATCH} from '../config/daemons.js'
import type {Node} from '../config/model.js'
import type {Check} from '../preflight/check.js'
import {CHECKS} from '../preflight/index.js'
import {kubeletPort, peerAddresses, peers, vxlanPort} from './cluster-checks.js'
import {DRIFT} from './drift.js'
import {firewallCheck} from './firewall.js'
import {identitiesCheck} from './identities.js'
import {networkCheck} from './network.js'
import {nodeCheck} from './node.js'
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
import {programsCheck} from './programs.js'
import {containerdRuntimeCheck, imagesCheck, runtimeCheck} from './runtime.js'
import {dnsBackends, serviceBackends} from './service-backends.js'
import {serviceCheck, servicesProofCheck} from './services.js'

/** Of the node itself, in addition to the reporting checks. */
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
  peerAddresses,
  vxlanPort,
]

/** With a report for status, beside that of the node in the cluster, which the steps that need the cluster await. */
export const reportingChecks = (config: Node): readonly Check<unknown, Node>[] => [
  identitiesCheck,
  runtimeCheck(config),
  ...[...daemonsOf(config), ...(config.watch ? [WATCH] : [])].map(serviceCheck),
  networkCheck,
  servicesProofCheck,
  firewallCheck,
  programsCheck,
  imagesCheck(config),
]

const RECORDS = {healthy: 'the last setup finished', id: 'node-records', title: 'Records of setup'} as const

/** Checks with a report for status, in the order of doctor. Docker has its own checks, which setup makes too. */
export const REPORTING_CHECKS: readonly Pick<Check, 'healthy' | 'id' | 'title'>[] = [
  RECORDS,
  identitiesCheck,
  programsCheck,
  imagesCheck({runtime: 'containerd'}),
  containerdRuntimeCheck,
  serviceCheck(DAEMON.kubelet),
  networkCheck,
  servicesProofCheck,
  firewallCheck,
  nodeCheck,
  DRIFT,
]

const isOfHealth = ({on, only}: Check): boolean => on !== 'host' && only === undefined
/** What status runs. */
export const HEALTH_CHECKS: readonly Check[] = [...CHECKS, ...NODE_CHECKS].filter(isOfHealth)
/** What doctor runs in addition, on a node that is set up. */
export const DOCTOR_CHECKS: readonly Check[] = [...CHECKS, ...NODE_CHECKS].filter((check) => !isOfHealth(check))
