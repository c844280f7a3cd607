// A collector gathers one part of a bundle. It only looks, and what it meets is its own trouble: the others go on.
import type {SetupConfig} from '../config/model.js'
import type {Host} from '../host/host.js'
import type {Machine} from '../machine/machine.js'

/** JSON of a value; lines of JSON; or any other text. */
export type Content = {readonly document: unknown} | {readonly lines: string} | {readonly text: string}

/** How secrets are hidden; nothing becomes bytes of a bundle without it. */
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
  readonly config: SetupConfig
  /** Of this process. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly host: Host
  /** Bytes of logs that may go in. */
  readonly logBytes: number
  readonly machine: Machine
  /** From here on this text is hidden wherever it stands. */
  register(secret: string): void
  /** Aborted on Ctrl-C and when the collector's time is over. */
  readonly signal: AbortSignal
}

export interface Collector {
  collect(context: CollectorContext): Promise<Collected>
  /** Stable, kebab-case: the manifest names it where it failed. */
  readonly id: string
}

export interface Failure {
  readonly collector: string
  readonly reason: string
}

/** One document, asked for as it is needed. */
export function documentCollector(
  id: string,
  path: string,
  read: (context: CollectorContext) => Promise<unknown>,
): Collector {
  return {
    async collect(context) {
      const document = await read(context)
      return {entries: document === undefined ? [] : [{content: {document}, path}]}
    },
    id,
  }
}
