// A collector reads one part of a bundle, and changes nothing. They run side by side, each with its own time limit: one
// that hangs or fails costs its own part and nothing else.
import type {Decided} from '../config/model.js'
import type {Host} from '../host/host.js'
import {inTime} from '../host/wait.js'
import {DeadlineError} from '../machine/clock.js'
import type {Machine} from '../machine/machine.js'

/** JSON of a value; lines of JSON; or any other text. */
export type Content = {readonly document: unknown} | {readonly lines: string} | {readonly text: string}

/** Hides secrets; nothing goes into a bundle without it. */
export interface Hide {
  document(value: unknown): unknown
  text(text: string): string
}

export interface Entry {
  readonly content: Content
  /** What was left out of it, in words. */
  readonly cut?: string
  /** In the bundle, with "/" between folders. */
  readonly path: string
}

export interface LeftOut {
  readonly bytes: number
  /** Where it is on the host. */
  readonly path: string
  readonly reason: string
}

export interface Collected {
  readonly entries: readonly Entry[]
  readonly leftOut?: readonly LeftOut[]
}

export interface CollectorContext {
  readonly config: Decided
  /** Of this process. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly host: Host
  /** Bytes of logs that may go in. */
  readonly logBytes: number
  readonly machine: Machine
  /** From here on this text is hidden wherever it occurs. */
  register(secret: string): void
  /** Aborted on Ctrl-C and when the collector's time is over. */
  readonly signal: AbortSignal
}

export interface Collector {
  collect(context: CollectorContext): Promise<Collected>
  /** The path of its file or folder in the bundle: the manifest names it where it failed. */
  readonly id: string
}

/** Reads what one file of the bundle holds; undefined where the host has nothing for it. */
export type Reader = (context: CollectorContext) => Promise<Omit<Entry, 'path'> | undefined>

export const collectorOf = (path: string, read: Reader): Collector => ({
  async collect(context) {
    const found = await read(context)
    return {entries: found ? [{...found, path}] : []}
  },
  id: path,
})

const COLLECTOR_MS = 15_000

export interface Failure {
  readonly collector: string
  readonly reason: string
}

export interface Gathered {
  readonly collected: readonly Collected[]
  readonly failures: readonly Failure[]
}

/** Rejects only with the reason of the context's own signal. */
export async function runCollectors(collectors: readonly Collector[], context: CollectorContext): Promise<Gathered> {
  const outcomes = await Promise.all(collectors.map((collector) => runCollector(collector, context)))
  context.signal.throwIfAborted()
  return {
    collected: outcomes.flatMap((outcome) => ('entries' in outcome ? [outcome] : [])),
    failures: outcomes.flatMap((outcome) => ('reason' in outcome ? [outcome] : [])),
  }
}

async function runCollector(collector: Collector, context: CollectorContext): Promise<Collected | Failure> {
  try {
    return await inTime(context.host.clock, COLLECTOR_MS, [context.signal], (signal) =>
      collector.collect({...context, signal}),
    )
  } catch (error) {
    return {collector: collector.id, reason: reasonOf(error)}
  }
}

export function reasonOf(error: unknown): string {
  if (error instanceof DeadlineError) return error.message
  if (!(error instanceof Error)) return String(error)
  const {reason} = error as {readonly reason?: unknown}
  return typeof reason === 'string' ? `${error.message}: ${reason}` : error.message
}
