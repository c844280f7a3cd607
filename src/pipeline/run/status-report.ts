// What is known of a node at one moment: the document of `status`, from which every view of it is made.
import type {Launcher} from '../../config/launchers.js'
import type {DaemonService} from '../../config/daemons.js'
import type {RuntimeName} from '../../config/model.js'
import type {ServiceRunState, ServiceStartType} from '../../machine/win32.js'
import type {Count, Timestamp} from './events.js'
import type {HealthDocument} from './health-document.js'
import type {StepId} from './step.js'

/** What a problem is of, in the order in which one brings about the next. */
export const STATUS_AREAS = [
  'setup',
  'host',
  'identity',
  'cluster',
  'runtime',
  'programs',
  'images',
  'services',
  'network',
  'firewall',
  'node',
  'drift',
] as const
export type StatusArea = (typeof STATUS_AREAS)[number]

export interface StatusProblem {
  readonly area: StatusArea
  readonly cause: string
  /** The one command that fixes it, as typed on this host; null where no single command does. */
  readonly command: string | null
  /** How many of the problems after it are explained by it; absent where it explains none. */
  readonly consequences?: number
  /** How many checks of doctor could not run because of it. */
  readonly dependents?: number
  /** The id of the root cause, where another problem explains this one. */
  readonly explainedBy?: string
  /** Stable, of the catalogue of errors (docs/errors.md). */
  readonly id: string
  /** What to do, with the command where there is one. */
  readonly next: string
  readonly seen: string
  /** The id of the known failure it was recognised as. */
  readonly signature?: string
  /** What it is about: a service, a network, a file. */
  readonly subject: string
  readonly wanted: string
}

/** Most messages name what they are about. */
export const problemText = ({seen, subject}: Pick<StatusProblem, 'seen' | 'subject'>): string =>
  seen.toLowerCase().includes(subject.toLowerCase()) ? seen : `${subject}: ${seen}`

/** Something that could not be checked. */
export interface NotChecked {
  /** Of the catalogue of errors, where one says why. */
  readonly id?: string
  readonly what: string
  readonly why: string
}

export interface NodeStatus {
  readonly addresses: readonly string[]
  readonly name: string
  /** Empty where the cluster gave it none. */
  readonly podCIDR: string
  readonly ready: boolean
  readonly readyMessage: string
  readonly registered: boolean
  readonly server: string
  /** False if it is cordoned. */
  readonly schedulable: boolean
  readonly version: string
}

export interface IdentityStatus {
  readonly file: string
  readonly usedBy: readonly string[]
  /** What the cluster calls it; null where only the cluster knows. */
  readonly user: string | null
  readonly validUntil: string | null
}

export interface RuntimeStatus {
  readonly apiVersion: string
  /** "windows" or "linux" containers; empty where it does not answer. */
  readonly mode: string
  readonly name: RuntimeName
  readonly running: boolean
  readonly service: ServiceRunState | 'absent'
  readonly version: string
}

export interface ServiceReport {
  /** Of the service manager: 0, 1066 (then see serviceExitCode), 1067, 1077 and so on. */
  readonly exitCode: number
  /**
   * Of its health address; "none" where the daemon has no such address, "taken" where another program listens there, "unknown"
   * where Windows does not show who does.
   */
  readonly health: 'none' | 'not asked' | 'ok' | 'refused' | 'sick' | 'taken' | 'unknown'
  readonly name: string
  readonly processId: number
  /** How often its program was started again, as far back as its logs go; null if they do not show it. */
  readonly restarts: number | null
  readonly serviceExitCode: number
  /** When its process began; null if it does not run, or Windows does not report it. */
  readonly since: string | null
  readonly startType: ServiceStartType | 'absent'
  readonly state: ServiceRunState | 'absent'
}

export interface NetworkStatus {
  readonly id: string
  readonly managementIP: string
  readonly name: string
  readonly port: number | null
  readonly present: boolean
  readonly sourceVip: string | null
  /** Empty where HNS does not report it, and where there is no network. */
  readonly subnet: string
  /** As flanneld leased it. */
  readonly subnetEnv: string | null
  readonly type: string
  readonly vni: number | null
}

export interface RuleStatus {
  readonly name: string
  readonly port: number
  readonly protocol: string
  readonly state: 'changed' | 'disabled' | 'missing' | 'open'
}

export interface ProgramStatus {
  readonly artifact: string
  readonly path: string
  readonly state: 'changed' | 'missing' | 'not-checked' | 'other version' | 'verified'
  /** As it was verified; empty where nothing is noted of it. */
  readonly version: string
}

export interface ImageStatus {
  readonly id: string
  /** Of the manifest it was pulled by; empty where it was not pulled. */
  readonly digest: string
  readonly osVersion: string
  readonly reference: string
  readonly state: 'missing' | 'other build' | 'present'
}

export interface DriftStatus {
  readonly evidence: readonly string[]
  readonly state: 'drifted' | 'in-place' | 'missing' | 'not-checked' | 'skipped'
  readonly step: StepId
  readonly title: string
}

/** A run that a launcher started, and that has not succeeded yet. */
export interface OpenRun {
  /** A run is active on this host. */
  readonly active: boolean
  readonly at: Timestamp
  readonly attempts: Count
  /** Tries that the launcher still has: 0 where it does not start the run again by itself. */
  readonly attemptsLeft: Count
  readonly command: string
  /** Of the catalogue of errors. */
  readonly error: string
  readonly exitCode: Count
  readonly name: Launcher
  /** `unfinished`: it has not reported its end. It is the run that is active, or it was killed. */
  readonly outcome: 'failed' | 'interrupted' | 'restart-required' | 'unfinished'
  readonly restarts: Count
  readonly restartsLeft: Count
}

/** A run that was handed over to the service k8s-win-run, and has not ended. */
export interface HandedOverRun {
  readonly command: 'recover' | 'reset' | 'setup' | 'upgrade'
  /** `at-next-start`: the service continues it when Windows starts the next time. */
  readonly state: 'at-next-start' | 'running'
}

/** What the service k8s-win says of the node: its health.json. */
export interface WatchStatus extends Omit<HealthDocument, 'schemaVersion' | 'simulated'> {
  /** It is older than the service writes it: the service does not run or hangs, or the clock was changed. */
  readonly stale: boolean
}

/** A pause of watch. */
export interface PauseStatus {
  readonly since: Timestamp
  /** The services that "k8s-win stop" has stopped: until "k8s-win start". */
  readonly stopped?: readonly DaemonService[]
  /** Null: until "k8s-win resume", or "k8s-win start". */
  readonly until: Timestamp | null
}

/** Flags by name, and fields of the KubeletConfiguration. The daemons have them in place of k8s-win's: they are no drift. */
export interface UserSettings {
  readonly args: Readonly<Record<'flanneld' | 'kube-proxy' | 'kubelet', Readonly<Record<string, string>>>>
  readonly kubeletConfig: {readonly [field: string]: unknown}
}

/** Unknown: no problem was found, but something could not be checked. */
export type StatusVerdict = 'degraded' | 'healthy' | 'not set up' | 'unknown'

/** The document of `status --output json`. What could not be checked is null, and listed in `notChecked`. */
export interface StatusDocument {
  readonly baseDir: string
  readonly command: 'status'
  readonly drift: readonly DriftStatus[] | null
  readonly durationMs: number
  readonly exitCode: 0 | 8 | 9
  readonly finishedAt: Timestamp
  readonly firewall: readonly RuleStatus[] | null
  /** Only while there is such a run. */
  readonly handedOver?: HandedOverRun
  readonly identities: readonly IdentityStatus[] | null
  readonly images: readonly ImageStatus[] | null
  /** Only while the run that it names is open. */
  readonly launcher?: OpenRun
  readonly network: NetworkStatus | null
  readonly node: NodeStatus | null
  /** What is worth to know and is no problem, such as a newer release. */
  readonly notices: readonly string[]
  /** Only while the service k8s-win repairs nothing. */
  readonly paused?: PauseStatus
  readonly problems: readonly StatusProblem[]
  readonly programs: readonly ProgramStatus[] | null
  readonly release: string
  readonly runtime: RuntimeStatus | null
  readonly schemaVersion: 1
  readonly services: readonly ServiceReport[]
  /** What the user has set for the daemons; absent where nothing is. */
  readonly settings?: UserSettings
  readonly simulated: boolean
  readonly startedAt: Timestamp
  readonly notChecked: readonly NotChecked[]
  readonly verdict: StatusVerdict
  /** Null where the service has not written it; absent where the node is not watched. */
  readonly watch?: WatchStatus | null
  /** Nothing to act on at once; they do not make a node degraded. */
  readonly warnings: readonly string[]
}
