// The state of a simulated Windows host: what machine.json holds. People and tests may edit it to break the host.
// schemas/machine.schema.json is generated from these types; unknown keys are refused.
import type {Adapter, Drive, Memory, RegistryValue, Route, ServiceConfig, ServiceRunState} from '../machine/win32.js'
import type {Moment, Span} from './clock.js'
import type {ClusterState} from './cluster/state.js'
import type {ContainerdState} from './containerd/state.js'

export type {ClusterNode, ClusterState} from './cluster/state.js'

export interface World extends StoredWorld {
  containerd: ContainerdState
}

// As machine.json holds it.
export interface StoredWorld {
  $schema: string
  adapters: Adapter[]
  cluster: ClusterState
  /** Not installed where absent: hosts of version 0.1.0 have none. */
  containerd?: ContainerdState
  docker: DockerState
  /** By URL, or by image as registry/path:tag. A fresh host has none: every artifact is served in its true shape. */
  downloads: Record<string, DownloadState>
  /** The machine's environment variables as a new process gets them; the registry stores them. */
  environment: Record<string, string>
  /** By rule name. */
  firewall: Record<string, FirewallRule[]>
  hns: HnsState
  os: OsState
  /** By key, e.g. HKLM\SOFTWARE\…, then by value name; both compare without case. */
  registry: Record<string, Record<string, RegistryValue>>
  routes: Route[]
  /** SDDL by lower-cased path; other paths inherit what a folder at the drive's root does. */
  security: Record<string, string>
  /** By lower-cased name. */
  services: Record<string, ServiceEntry>
}

export interface OsState {
  /** SID of the account k8s-win runs as; the built-in Administrator by default. */
  accountSid?: string
  administrator: boolean
  /** The environment of services, which keep the one of the boot. Absent until the environment changes. */
  bootEnvironment?: Record<string, string>
  build: number
  computerName: string
  /** By letter and colon, e.g. "C:". Only C: holds files. */
  drives?: Record<string, Drive>
  /** By channel, e.g. "System". */
  eventLogs?: Record<string, LoggedEvent[]>
  /** TCP port ranges that Windows reserves. */
  excludedPorts?: {from: number; to: number}[]
  features?: FeatureState
  /** The number of the process that was started last: Windows gives none to another one soon. */
  lastProcessId?: number
  /** Ports that programs outside the simulation listen on, e.g. "tcp/10250". */
  listening: string[]
  memory?: Memory
  /** The metadata service of the cloud that the host runs in; without it nothing responds there. */
  metadata?: MetadataState
  /** Until when connections are cut (an HNS network is being created on the adapter). */
  offlineUntil: Moment
  productName: string
  /** The file that k8s-win itself runs from, where it is on drive C: Windows does not delete it. */
  program?: string
  profile: string
  /** A restart was announced. It is over when the next program starts. */
  restarting?: boolean
  /** Programs above k8s-win's own process, the nearest first, e.g. "powershell.exe", "cloudbase-init.exe". */
  startedBy?: string[]
  /** Of the machine's firmware. */
  systemUuid?: string
  /** The simulated clock as of the last change. */
  time: Moment
  ubr: number
  vswitch?: VSwitchState
}

/** Of a cloud, at 169.254.169.254. */
export interface MetadataState {
  cloud: 'aws' | 'azure' | 'gce' | 'openstack'
  /** It accepts connections, and never answers. */
  hangs?: boolean
  /** From when on it gives the identity of this virtual machine: a role, a managed identity, a service account. */
  identityReadyAt?: Moment
  /** It is not reached through the default route. */
  needsRoute?: boolean
  /** It answers with so many bytes more than the real one. */
  paddingBytes?: number
  /** How the next requests to the secret stores end, one each. */
  secretFaults?: ('denied' | 'expired' | 'malformed' | 'throttled')[]
  /** What the secret stores of the cloud hold, by its source without #key: "aws-ssm:/k8s/join-token". Without it the machine has no identity. */
  secrets?: Record<string, string>
}

/** Windows features. */
export interface FeatureState {
  /** Installed, unless false; "pending": enabled, and available after a restart. */
  containers?: boolean | 'pending'
  /** What dism.exe ends with in place of enabling a feature. */
  failure?: number
  /** Hyper-V is installed, which brings vmcompute.dll and the service hns without Containers. */
  hyperV?: boolean
  /** Whether enabling needs a restart; it does by default. */
  restart?: boolean
}

export interface LoggedEvent {
  at: Moment
  data: string[]
  id: number
  /** 1 critical, 2 error, 3 warning, 4 information. */
  level: number
  provider: string
}

/** How this host behaves when a virtual switch is created on its adapter. */
export interface VSwitchState {
  /** The address is lost: the adapter ends with an automatic one (seen on variants of WS2019 and on 2004/20H2). */
  losesAddress?: boolean
  /** The adapter's DNS servers are lost. */
  losesDnsServers?: boolean
  /** Destinations of routes that are lost, e.g. "169.254.169.254/32". */
  losesRoutes?: string[]
  /** So long after they came back, and not at once. */
  losesRoutesAfterMs?: Span
  /** How long connections are cut; 7 s by default. */
  offlineMs?: Span
  /** The adapter under the switch as it was before. Set by the simulator. */
  physical?: {index: number; name: string}
  /** Nothing can be set on the adapter. */
  refusesSettings?: boolean
  /** What is restored to the adapter, and when. Set by the simulator. */
  returning?: {adapter: Adapter; at: Moment; routes: Route[]}
  /** When routes are lost after all. Set by the simulator. */
  routesEndAt?: Moment
}

/** The certificate manager of a kubelet, in the memory of its process. */
export interface CertificateRotation {
  /** When it requests a certificate. */
  at: Moment
  /** When the certificate that it has ends. */
  endsAt?: Moment
  /** What it has requested, with the key, and until when it waits. */
  pending?: {key: string; name: string; until: Moment}
  /** Whether the API server's last answer to a request shows that it works. */
  serverHealthy?: boolean
  /** Failed requests since the last success. */
  tries: number
  /** Since when there is no valid certificate. */
  withoutSince?: Moment
}

/** The process of a running service as it was started: later changes of the configuration do not affect it. */
export interface ServiceProcess {
  arguments: string[]
  /** The program that a wrapper runs, with its file. */
  childProcessId?: number
  childProgram?: string
  /** The file of --config as a kubelet read it when it started: it never reads it again. */
  configuration?: string
  environment: Record<string, string>
  /** Of a kubelet that renews its certificate. */
  rotation?: CertificateRotation
  program: string
  /** What the program is, where the simulator knows it. */
  standIn?: {name: string; version: string}
}

export interface ServiceEntry {
  config: ServiceConfig
  /** Marked for deletion: deleted when it stops. */
  deleting: boolean
  exitCode: number
  /** A failure flag takes effect when Windows starts. */
  failureFlagAtBoot?: boolean
  /** Failures since the count was last reset, for the failure actions. */
  failures?: number
  /** Ports its program listens on, e.g. "tcp/10250". */
  listening?: string[]
  name: string
  process?: ServiceProcess
  processId: number
  /** When the service manager starts it again after a failure. */
  restartAt?: Moment
  /** How often the service manager or shawl restarted its program since the last StartService. */
  restarts: number
  serviceExitCode: number
  /** What a simulated daemon has done since its program started; each daemon has its own notation. */
  stage: string
  startedAt: Moment
  state: ServiceRunState
  /** When a requested stop completes. */
  stopAt?: Moment
}

export interface FirewallRule {
  action: 'allow' | 'block'
  description: string
  direction: 'in' | 'out'
  enabled: boolean
  localPort: string
  name: string
  profiles: string
  protocol: 'TCP' | 'UDP' | 'any'
  /** The registry's own text, where a twin read it: a rule can say more than is modelled here. */
  stored?: string
}

/** HNS objects have the fields of microsoft/hcsshim internal/hns. */
export interface HnsState {
  /** How long each load balancer takes: half a minute and more where there are many (kubernetes#109162). */
  balancerMs?: number
  endpoints: Record<string, unknown>[]
  /** kube-proxy leaves load balancers as they are when the endpoints of their Service change (kubernetes#131387). */
  keepsBackends?: boolean
  /**
   * An older build: a restart of the service purges load balancers (AKS: hnsremediator.ps1). Newer ones restore them, and
   * kube-proxy does not know them any more (kubernetes#139519).
   */
  losesBalancers?: boolean
  networks: Record<string, unknown>[]
  policyLists: Record<string, unknown>[]
  /** The next flanneld hangs before it creates its network, until it is restarted (flannel#1066). */
  stuckOnce?: boolean
  version: {Major: number; Minor: number}
}

export interface DockerImage {
  /** IDs of the steps that built it: a build that reaches one of them again uses the cache. */
  buildSteps?: string[]
  /** Its default command; the base image's where absent. */
  command?: string[]
  created: string
  /** Where it was pulled from, as "repository@sha256:…". */
  digests?: string[]
  id: string
  labels: Record<string, string>
  osVersion: string
  size: number
  tags: string[]
  user?: string
}

export interface DockerContainer {
  command?: string[]
  /** Why it could not be started. */
  error?: string
  exitCode: number
  id: string
  image: string
  labels: Record<string, string>
  name: string
  /** What it printed. */
  output?: {stream: 'stderr' | 'stdout'; text: string}[]
  state: 'created' | 'exited' | 'running'
}

export interface DockerState {
  apiVersion: string
  /** On a twin: unknown tags are assumed to exist. */
  assumesTags?: boolean
  containers: DockerContainer[]
  /** Where images and containers are kept. */
  dataRoot?: string
  httpProxy?: string
  httpsProxy?: string
  images: DockerImage[]
  loggingDriver?: string
  minApiVersion: string
  mode: 'linux' | 'windows'
  /** Created networks, besides nat and none. */
  networks?: {driver: string; id: string; labels: Record<string, string>; name: string}[]
  running: boolean
  version: string
}

export interface DownloadState {
  /**
   * How downloads of this URL fail. For images are "cut-once", only the first connection breaks, and "silent",
   * nothing comes for three minutes in the middle of each layer. For images of containerd are "stalled", unpacking makes no progress, and "no-variant", the index has none for this build of Windows.
   */
  fault?:
    | 'cut-once'
    | 'missing-member'
    | 'no-variant'
    | 'not-found'
    | 'silent'
    | 'stalled'
    | 'truncated'
    | 'unreachable'
    | 'wrong-bytes'
  /** The digest that the stand-in answers with, where the real one is unknown. */
  sha256?: string
  sha512?: string
  /** What a text file says, such as https://dl.k8s.io/release/stable-1.36.txt. */
  text?: string
}
