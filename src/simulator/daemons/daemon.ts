// What the simulated daemons have in common: a process of a service, judged when it starts and moved on as time passes.
import type {Stage} from '../model.js'
import {processDied} from '../windows/service-process.js'
import type {ServiceEntry, ServiceProcess} from '../world.js'

/** How a program meets the service manager: it connects, it ends before, or it runs on without ever speaking to it. */
export type Beginning = {readonly exit: number} | 'connected' | 'silent'

export interface DaemonProcess {
  readonly args: readonly string[]
  readonly entry: ServiceEntry
  /** Looks a variable up without case, as Windows does. */
  env(name: string): string | undefined
  /** Its process ends with this exit code; `at` is when, on the simulated clock. */
  exit(code: number, at: number): Promise<void>
  readonly processId: number
  readonly program: string
  readonly stage: Stage
  /** A line on standard error: a service's is lost, a wrapper may keep its child's. */
  stderr(line: string): Promise<void>
  /** Milliseconds since its program started. */
  readonly uptime: number
  readonly version: Version
}

export interface Daemon {
  /** Goes on by at most one thing. True where something changed. */
  advance(process: DaemonProcess): Promise<boolean>
  /** What it does before it speaks to the service manager. */
  begin(process: DaemonProcess): Promise<Beginning>
  /** Told to stop as it is now, it dies without saying STOPPED. */
  diesOfStop?(entry: ServiceEntry): boolean
}

export interface Version {
  readonly major: number
  readonly minor: number
  readonly patch: number
  readonly text: string
}

export function parseVersion(text: string): Version {
  const [major = 0, minor = 0, patch = 0] = (/\d+\.\d+\.\d+/.exec(text)?.[0] ?? '').split('.').map(Number)
  return {major, minor, patch, text: text.startsWith('v') ? text : `v${text}`}
}

export function isAtLeast(version: Version, minimum: string): boolean {
  const wanted = parseVersion(minimum)
  return (version.major - wanted.major || version.minor - wanted.minor || version.patch - wanted.patch) >= 0
}

/** The process of a service itself: how it ends is the service manager's business, what it prints nobody's. */
export function serviceDaemon(stage: Stage, entry: ServiceEntry, process: ServiceProcess): DaemonProcess {
  return {
    args: process.arguments,
    entry,
    env: (name) => lookUp(process.environment, name),
    exit: async (_code, at) => processDied(stage, entry, at),
    processId: entry.processId,
    program: process.program,
    stage,
    stderr: async () => {},
    uptime: stage.now() - entry.startedAt,
    version: parseVersion(process.standIn?.version ?? ''),
  }
}

export function lookUp(environment: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.entries(environment).find(([known]) => known.toLowerCase() === name.toLowerCase())?.[1]
}
