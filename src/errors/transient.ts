// Errors that time may cure, so that a launcher may be asked to run the same command again. All others need a person: a
// wrong value, a host or cluster that does not qualify, bytes that are not the published ones.
import * as bytes from './bytes.js'
import * as cluster from './cluster.js'
import type {ErrorDefinition} from './define.js'
import * as health from './health.js'
import * as host from './host.js'
import * as join from './join.js'
import * as windows from './windows.js'

const DEFINITIONS: readonly Pick<ErrorDefinition<never>, 'id'>[] = [
  // The network, the cluster or a service is not ready yet: launchers run early after a start of Windows.
  cluster.clockWrong,
  cluster.clusterBusy,
  cluster.dnsUnknown,
  cluster.serverCertificateLapsed,
  cluster.serverUnreachable,
  cluster.webhookFailed,
  host.dockerStopped,
  host.interfaceWithoutAddress,
  join.joinNoClusterInfo,
  join.joinOtherServerUnreachable,
  join.joinServerUnreachable,
  join.joinTokenRefused,
  join.joinTokenUnsigned,
  // A mirror, a registry or the container runtime. The digest of a file that was downloaded whole does not change.
  bytes.containerdFailed,
  bytes.dockerFailed,
  bytes.downloadFailed,
  bytes.imageBroken,
  bytes.pullCancelled,
  bytes.pullFailed,
  // An operation on Windows: a file in use, a service that is being deleted, a busy host.
  windows.fileRefused,
  windows.hnsRefused,
  windows.hostLocalFailed,
  windows.netshFailed,
  windows.noAnswer,
  windows.programFailed,
  windows.serviceRefused,
  windows.serviceWillNotStop,
  windows.stepDidNotHold,
  windows.windowsCallFailed,
  // Not healthy in time. A denied request, another pod network, and an upgrade that was rolled back need a decision.
  health.deadlinePassed,
  health.drainTimedOut,
  health.healthUnknown,
  health.interrupted,
  health.interruptedAtQuestion,
  health.loadBalancerMissing,
  health.networkNotRestored,
  health.noPodCIDR,
  health.nodeNotReady,
  health.nodeNotRegistered,
  health.overlayMissing,
  health.overlayWrong,
  health.serverLost,
  health.serviceNotHealthy,
  health.servicesPending,
  health.servicesUnreadable,
  health.sourceVipMissing,
  health.timeoutPassed,
  health.vtepMacMissing,
  join.csrPending,
  health.smokeDnsFailed,
  health.smokePodNotRun,
  health.smokePodsFailed,
  health.smokeServiceFailed,
]

export const TRANSIENT_IDS: ReadonlySet<string> = new Set(DEFINITIONS.map(({id}) => id))

/** One error that time does not cure makes the whole run one. */
export const isTransient = (ids: readonly string[]): boolean =>
  ids.length > 0 && ids.every((id) => TRANSIENT_IDS.has(id))
