// The state of a simulated Windows host: what machine.json holds. People and checks may look at it and make it sick.
import type {Adapter, RegistryValue, Route, ServiceConfig, ServiceRunState} from '../machine/win32.js'
import type {ClusterState} from './cluster/state.js'

export type {ClusterNode, ClusterState} from './cluster/state.js'
import type {DockerSettings, HostResources} from './world-resources.js'

export interface World {
  $schema: string
  adapters: Adapter[]
  cluster: ClusterState
  docker: DockerState
  /** By URL; a fresh host has none: every artifact is then served in its true shape. */
  downloads: Record<string, DownloadState>
  /** The machine's environment variables as a new process gets them; the registry is where they are stored. */
  environment: Record<string, string>
  /** By rule name. */
  firewall: Record<string, FirewallRule[]>
  hns: HnsState
  os: OsState
  /** By key, e.g. HKLM\SOFTWARE\…, then by value name. Keys and names compare without case. */
  registry: Record<string, Record<string, RegistryValue>>
  routes: Route[]
  /** SDDL by path, lower-cased; what is not listed has what a folder at the drive's root inherits. */
  security: Record<string, string>
  /** By name, lower-cased. */
  services: Record<string, ServiceEntry>
}

export interface OsState extends HostResources {
  administrator: boolean
  build: number
  computerName: string
  productName: string
  profile: string
  /** Milliseconds since 1970 on the simulated clock, as of the last change. */
  time: number
  /** Ports something foreign listens on, e.g. "tcp/10250". */
  listening: string[]
  /** Until when the machine's connections are cut (an HNS network is being made on its adapter). */
  offlineUntil: number
  /** SID of the account k8s-win runs as; the built-in Administrator by default. */
  accountSid?: string
  /** What services see of the environment: they keep the one of the boot. Absent while nothing was changed since. */
  bootEnvironment?: Record<string, string>
  ubr: number
  vswitch?: VSwitchState
}

/** How this host takes the making of a virtual switch over its adapter. */
export interface VSwitchState {
  /** The address does not come back: the adapter ends with an automatic one (facts of WS2019 variants and 2004/20H2). */
  losesAddress?: boolean
  /** The adapter's DNS servers do not come back. */
  losesDnsServers?: boolean
  /** Destinations of routes that do not come back, e.g. "169.254.169.254/32". */
  losesRoutes?: string[]
  /** How long the connections are cut; 7 s where it is not said. */
  offlineMs?: number
  /** The adapter under the switch, as it was. */
  physical?: {index: number; name: string}
  /** What is given back to the adapter, and when. */
  returning?: {adapter: Adapter; at: number; routes: Route[]}
}

/** The process of a running service, as it was started: later changes of the configuration do not reach it. */
export interface ServiceProcess {
  arguments: string[]
  /** The program that a wrapper runs, while it runs. */
  childProcessId?: number
  /** Its file. */
  childProgram?: string
  environment: Record<string, string>
  program: string
  /** What the program is, where the simulator knows it. */
  standIn?: {name: string; version: string}
}

export interface ServiceEntry {
  config: ServiceConfig
  /** Delete-pending: gone as soon as it has stopped. */
  deleting: boolean
  exitCode: number
  /** Failures since the count was last reset, for the failure actions. */
  failures?: number
  /** Ports its program listens on, e.g. "tcp/10250". */
  listening?: string[]
  name: string
  process?: ServiceProcess
  processId: number
  /** When the service manager starts it again after a failure. */
  restartAt?: number
  /** How often the service manager or shawl started its program again since the last StartService. */
  restarts: number
  serviceExitCode: number
  /** Simulated time of the last start of its program. */
  startedAt: number
  state: ServiceRunState
  /** When a stop that was asked for is done. */
  stopAt?: number
  /** What a simulated daemon has done since its program started, in its own words. */
  stage: string
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
  /** As the registry has it, where a twin read it there: a rule can say far more than is modelled here. */
  stored?: string
}

/** HNS objects are JSON of HNS' own making: fields as in facts of hcsshim. */
export interface HnsState {
  /** How long each load balancer takes: half a minute and more where there are many (kubernetes#109162). */
  balancerMs?: number
  endpoints: Record<string, unknown>[]
  networks: Record<string, unknown>[]
  policyLists: Record<string, unknown>[]
  /** The next flanneld hangs before it has made its network, until it is started again (flannel#1066). */
  stuckOnce?: boolean
  version: {Major: number; Minor: number}
}

export interface DockerImage {
  /** The ids of the steps that made it: a build that comes to one of them again takes it as it is. */
  buildSteps?: string[]
  /** What it runs by itself; that of a base image where it is not said. */
  command?: string[]
  created: string
  /** As "repository@sha256:…": where it was pulled from. */
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
  /** As asked for when it was created; "default" is process isolation on a Windows Server. */
  isolation?: 'default' | 'hyperv' | 'process'
  labels: Record<string, string>
  name: string
  /** What it printed. */
  output?: {stream: 'stderr' | 'stdout'; text: string}[]
  state: 'created' | 'exited' | 'running'
}

export interface DockerState extends DockerSettings {
  apiVersion: string
  /** A twin's: tags that are not known here are there all the same. */
  assumesTags?: boolean
  containers: DockerContainer[]
  images: DockerImage[]
  minApiVersion: string
  mode: 'linux' | 'windows'
  running: boolean
  version: string
}

export interface DownloadState {
  /** What the mirror makes of this URL. "cut-once" is for images: the connection breaks, and the next one is well. */
  fault?: 'cut-once' | 'missing-member' | 'not-found' | 'truncated' | 'unreachable' | 'wrong-bytes'
  /** The digest of what the stand-in stands for, where nobody knows a better one. */
  sha256?: string
  sha512?: string
}
