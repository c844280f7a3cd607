// The short list of calls into Windows' own libraries. Each is asynchronous, so that none blocks the program.
import type {FileKind} from './files.js'

export type ServiceStartType = 'automatic' | 'boot' | 'demand' | 'disabled' | 'system'
export type ServiceRunState =
  'continue-pending' | 'pause-pending' | 'paused' | 'running' | 'start-pending' | 'stop-pending' | 'stopped'

export interface ServiceFailureActions {
  /** Milliseconds before each restart; the last one repeats. */
  readonly restartDelaysMs: readonly number[]
  readonly resetAfterSeconds: number
}

/** What the service control manager stores of a service. */
export interface ServiceConfig {
  readonly account: string
  readonly dependencies: readonly string[]
  readonly description: string
  readonly displayName: string
  readonly failureActions: ServiceFailureActions
  /** Failure actions also on a stop with an error code, not only on a crash. */
  readonly failureFlag: boolean
  readonly imagePath: string
  readonly startType: ServiceStartType
}

export interface ServiceStatus {
  /** 0 where it does not run. */
  readonly processId: number
  readonly serviceExitCode: number
  readonly state: ServiceRunState
  readonly win32ExitCode: number
}

/** HKU has what is stored for each account that is logged on, by its SID: it is only read. */
export type RegistryRoot = 'HKLM' | 'HKU'
export type RegistryValue =
  | {readonly data: number; readonly type: 'REG_DWORD'}
  | {readonly data: readonly string[]; readonly type: 'REG_MULTI_SZ'}
  | {readonly data: string; readonly type: 'REG_EXPAND_SZ' | 'REG_SZ'}

export interface AdapterAddress {
  readonly address: string
  readonly prefixLength: number
}

/** An adapter as GetAdaptersAddresses returns it, with its IPv4 addresses, gateways and DNS servers. */
export interface Adapter {
  readonly addresses: readonly AdapterAddress[]
  readonly dhcp: boolean
  /** The DNS servers were set by hand. Where this is not known, they are from where the addresses are. */
  readonly dnsByHand?: boolean
  readonly dnsServers: readonly string[]
  readonly gateways: readonly string[]
  readonly index: number
  /** The display name: "Ethernet0", "vEthernet (Ethernet0)". */
  readonly name: string
  readonly up: boolean
}

export interface Route {
  /** CIDR; 0.0.0.0/0 is the default route. */
  readonly destination: string
  readonly interfaceIndex: number
  readonly metric: number
  /** 0.0.0.0: on the link. */
  readonly nextHop: string
  /** "manual": configured by an administrator. Undefined where Windows derived it, or another program supplies it. */
  readonly origin?: 'dhcp' | 'manual'
  /** It outlives a restart. */
  readonly persistent?: boolean
}

/** A drive as Windows sees it; of one on another computer only that it is one. */
export interface Drive {
  /** "NTFS", "ReFS", "FAT32"; empty where it cannot be read. */
  readonly fileSystem: string
  /** To the one who asks: quotas count. */
  readonly freeBytes: number
  readonly kind: DriveKind
  readonly totalBytes: number
}

export type DriveKind = 'cdrom' | 'fixed' | 'network' | 'ramdisk' | 'removable' | 'unknown'

/** Physical memory. */
export interface Memory {
  readonly availableBytes: number
  readonly totalBytes: number
}

/** A path to examine: the path itself and, where `inside` is set, what is directly in it. */
export interface SurveyPlace {
  readonly inside: boolean
  readonly path: string
}

export interface SurveyedPath {
  /** The name that a link leads to, where that is in its own folder. */
  readonly beside?: string
  readonly kind: FileKind
  /** How many names a file has, where it has more than one. */
  readonly links?: number
  readonly path: string
  /** Undefined for a link, and for what keeps even administrators from looking. */
  readonly sddl?: string
}

/** Events of one of these levels, or with one of these numbers. */
export interface EventFilter {
  readonly ids: readonly number[]
  /** 1 critical, 2 error, 3 warning, 4 information. */
  readonly levels: readonly number[]
}

export type EventLevel = 'error' | 'information' | 'warning'

/** The source of k8s-win's own events. */
export const EVENT_SOURCE = 'k8s-win'

export interface HnsReply {
  readonly hresult: number
  /** JSON, or empty. */
  readonly response: string
}

export interface RunningProcess {
  readonly id: number
  /** The file of its program, without the folder. */
  readonly name: string
  /** The process that started it, which may have ended. */
  readonly parentId: number
}

export interface EndedProgram {
  /** Processes of the file's name that denied access: whose they are is not known. */
  readonly denied: readonly number[]
  /** How many have ended. */
  readonly ended: number
}

export interface ProcessPath {
  readonly id: number
  /** Of its program file; undefined where Windows denies it. */
  readonly path?: string
}

/** A local address on which a process listens. */
export interface PortOwner {
  /** "127.0.0.1", "0.0.0.0", "::" */
  readonly address: string
  readonly processId: number
}

export interface Endpoint {
  readonly address: string
  readonly port: number
}

/** Of a TCP connection, as this process sees them. */
export interface ConnectionEnds {
  readonly local: Endpoint
  readonly remote: Endpoint
}

export interface PipeServer {
  readonly processId: number
  /** Owner and DACL. */
  readonly sddl: string
}

export interface Win32 {
  /** SID of the account this process runs as. */
  accountSid(): Promise<string>
  adapters(): Promise<Adapter[]>
  /** Notifies running programs that the machine's environment changed. */
  broadcastEnvironmentChange(): Promise<void>
  computerName(): Promise<string>
  /** The ID of this process. */
  currentProcessId(): Promise<number>
  /** An active route, which a restart ends (CreateIpForwardEntry2). Nothing happens where it exists. */
  createRoute(route: Route): Promise<void>
  createService(name: string, config: ServiceConfig): Promise<void>
  /** What is not named stays as it is. */
  changeService(name: string, changes: Partial<ServiceConfig>): Promise<void>
  /** Marks the service for deletion: it is gone when its last handle is closed and its process has ended. */
  deleteService(name: string): Promise<void>
  /** Windows deletes the file when it starts the next time (MoveFileExW): a program that runs cannot be deleted before. */
  deleteAtRestart(path: string): Promise<void>
  /** Names of the services that depend on this one. */
  dependentServices(name: string): Promise<string[]>
  deleteRegistryValue(root: 'HKLM', key: string, name: string): Promise<void>
  /** Removes a layer of a container or image with everything in it, as containerd does (DestroyLayer of vmcompute.dll). */
  destroyLayer(path: string): Promise<void>
  /** By letter and colon, "C:"; undefined where there is no such drive. */
  drive(name: string): Promise<Drive | undefined>
  /** Ends every process of this program file, at once (TerminateProcess). */
  endProgram(path: string): Promise<EndedProgram>
  /** Events of a log, the newest first, as XML (wevtapi.dll). Rejects with 15007 where there is no such channel. */
  events(channel: string, most: number, only?: EventFilter): Promise<string[]>
  /** HNSCall of vmcompute.dll. */
  hnsCall(method: 'DELETE' | 'GET' | 'POST', path: string, request: string): Promise<HnsReply>
  isAdministrator(): Promise<boolean>
  /** Does another process hold it? It is not taken for that. */
  isMutexHeld(name: string): Promise<boolean>
  memory(): Promise<Memory>
  /** Who serves a named pipe; undefined where there is none. It is opened without letting the server act as the caller. */
  pipeServer(pipe: string): Promise<PipeServer | undefined>
  /**
   * The process at the other end of an open TCP connection with this machine (GetExtendedTcpTable); undefined where Windows
   * shows none.
   */
  peerProcess(ends: ConnectionEnds): Promise<number | undefined>
  /** Who listens on a port, one row per local address (GetExtendedTcpTable, GetExtendedUdpTable). */
  portOwners(protocol: 'tcp' | 'udp', port: number): Promise<PortOwner[]>
  /** All that run. */
  processes(): Promise<RunningProcess[]>
  /** The processes whose program file has this name, which is that of any program. */
  processPaths(name: string): Promise<ProcessPath[]>
  /** When a process began, in milliseconds since 1970; undefined where there is none, or Windows denies access. */
  processStartedAt(processId: number): Promise<number | undefined>
  /** Undefined where there is no such service. */
  queryServiceConfig(name: string): Promise<ServiceConfig | undefined>
  queryServiceStatus(name: string): Promise<ServiceStatus | undefined>
  /** Some keys say something by being there, with no value in them. */
  registryKeyExists(root: RegistryRoot, key: string): Promise<boolean>
  /** Names of the keys directly below it; empty where there is no such key. */
  registryKeys(root: RegistryRoot, key: string): Promise<string[]>
  /** Undefined where there is no such key or value. */
  registryValue(root: RegistryRoot, key: string, name: string): Promise<RegistryValue | undefined>
  /** All values of a key by name; empty where there is no such key. */
  registryValues(root: RegistryRoot, key: string): Promise<Record<string, RegistryValue>>
  /** Announces a restart to whoever is logged on, and restarts Windows after the delay, whatever runs (InitiateShutdownW). */
  restartWindows(message: string, delaySeconds: number): Promise<void>
  /** Adds an event of the source k8s-win to the log Application (ReportEventW). */
  reportEvent(level: EventLevel, id: number, text: string): Promise<void>
  routes(): Promise<Route[]>
  /** Owner and DACL of a file or folder as SDDL. */
  securityOf(path: string): Promise<string>
  setRegistryValue(root: 'HKLM', key: string, name: string, value: RegistryValue): Promise<void>
  setSecurity(path: string, sddl: string): Promise<void>
  startService(name: string): Promise<void>
  /** Asks it to stop; resolves when the request is taken, not when it has stopped. */
  stopService(name: string): Promise<void>
  /** Kind, owner and DACL of all these in one call. Links are reported, not followed; what does not exist is omitted. */
  survey(places: readonly SurveyPlace[]): Promise<SurveyedPath[]>
  /** The UUID that the firmware gives this machine, in lower case; undefined where it gives none. */
  systemUuid(): Promise<string | undefined>
  /**
   * The holder's release, or undefined while another process holds it. Windows frees it when the process dies. The name
   * can be used by administrators only: no other account can hold it.
   */
  takeMutex(name: string): Promise<(() => Promise<void>) | undefined>
}

/** Does a call read or change? The decorators and the transcript ask this table. */
export const WIN32_EFFECTS = {
  accountSid: 'read',
  adapters: 'read',
  broadcastEnvironmentChange: 'change',
  changeService: 'change',
  computerName: 'read',
  createRoute: 'change',
  createService: 'change',
  currentProcessId: 'read',
  deleteAtRestart: 'change',
  deleteRegistryValue: 'change',
  deleteService: 'change',
  dependentServices: 'read',
  destroyLayer: 'change',
  drive: 'read',
  endProgram: 'change',
  events: 'read',
  hnsCall: 'read', // a GET; other methods change, see win32Effect
  isAdministrator: 'read',
  isMutexHeld: 'read',
  memory: 'read',
  peerProcess: 'read',
  pipeServer: 'read',
  portOwners: 'read',
  processes: 'read',
  processPaths: 'read',
  processStartedAt: 'read',
  queryServiceConfig: 'read',
  queryServiceStatus: 'read',
  registryKeyExists: 'read',
  registryKeys: 'read',
  registryValue: 'read',
  registryValues: 'read',
  restartWindows: 'change',
  reportEvent: 'change',
  routes: 'read',
  securityOf: 'read',
  setRegistryValue: 'change',
  setSecurity: 'change',
  startService: 'change',
  stopService: 'change',
  survey: 'read',
  systemUuid: 'read',
  takeMutex: 'read', // it ends with the process and leaves nothing behind
} as const satisfies Record<keyof Win32, 'change' | 'read'>

export function win32Effect(call: keyof Win32, args: readonly unknown[]): 'change' | 'read' {
  return call === 'hnsCall' && args[0] !== 'GET' ? 'change' : WIN32_EFFECTS[call]
}

/** The same calls, each through `around`. */
export function wrapWin32(
  win32: Win32,
  around: (call: keyof Win32, args: readonly unknown[], perform: () => Promise<unknown>) => Promise<unknown>,
): Win32 {
  const wrapped = (Object.keys(WIN32_EFFECTS) as (keyof Win32)[]).map((call) => {
    const perform = (win32[call] as (...args: readonly unknown[]) => Promise<unknown>).bind(win32)
    return [call, (...args: readonly unknown[]) => around(call, args, () => perform(...args))] as const
  })
  return Object.fromEntries(wrapped) as unknown as Win32
}

/** A call that Windows refused. `code` is the Win32 error (5 access denied, 1056 already running, 1060 no such service, …). */
export class Win32Error extends Error {
  constructor(
    readonly call: string,
    readonly code: number,
    readonly subject: string,
  ) {
    super(`${call}(${subject}) failed with Windows error ${code}`)
    this.name = 'Win32Error'
  }
}

export type EffectKind = 'change' | 'read'
