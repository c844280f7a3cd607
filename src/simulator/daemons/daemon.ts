// What the simulated daemons have in common: the process of a service, which advances as simulated time passes.
import type {Stage} from '../model.js'
import {processDied} from '../windows/service-process.js'
import type {ServiceEntry, ServiceProcess} from '../world.js'

/** How a program starts as a service: it connects to the service manager, ends before, or runs without connecting. */
export type Beginning = {readonly exit: number} | 'connected' | 'silent'

export interface DaemonProcess {
  readonly args: readonly string[]
  readonly entry: ServiceEntry
  /** A variable of its environment; names compare without case. */
  env(name: string): string | undefined
  /** Ends the process with this exit code, at a moment of the simulated clock. */
  exit(code: number, at: number): Promise<void>
  readonly processId: number
  readonly program: string
  readonly stage: Stage
  /** Writes a line to standard error: a service's is lost, a wrapper may log its child's. */
  stderr(line: string): Promise<void>
  /** Milliseconds since its program started. */
  readonly uptime: number
  readonly version: Version
}

export interface Daemon {
  /** Does at most one thing. True if something changed. */
  advance(process: DaemonProcess): Promise<boolean>
  /** What it does before it connects to the service manager. */
  begin(process: DaemonProcess): Promise<Beginning>
  /** Whether a stop request kills it now before it reports STOPPED. */
  diesOfStop?(entry: ServiceEntry): boolean
  /** What it reports STOPPED with after a stop request; 0 where absent. */
  stopCode?(entry: ServiceEntry): number
  /** Windows is being shut down. Resolves with the exception that ends it, unless it ends by itself. */
  shutDown?(process: DaemonProcess): Promise<string | undefined>
}

export interface Version {
  readonly minor: number
  /** With "v". */
  readonly text: string
}

export const parseVersion = (text: string): Version => ({
  minor: Number(/(?<!\d)\d+\.(\d+)/.exec(text)?.[1] ?? 0),
  text: text.startsWith('v') ? text : `v${text}`,
})

/** The process of a service itself. */
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
