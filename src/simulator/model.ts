// What the models of the simulator have in common.
import type {Files} from '../machine/files.js'
import type {World} from './world.js'

/** A request as a server gets it. */
export interface ModelRequest {
  readonly body: Buffer
  readonly headers: Readonly<Record<string, string>>
  /** The client does not verify who answers. */
  readonly isUnverified?: boolean
  readonly method: string
  /** Path without the query. */
  readonly path: string
  readonly query: URLSearchParams
}

/** An answer; between the pieces of a body simulated time may pass. */
export interface ModelResponse {
  readonly body: AsyncIterable<string | Uint8Array> | string
  readonly headers?: Readonly<Record<string, string>>
  readonly status: number
}

export const JSON_TYPE = {'content-type': 'application/json'} as const

export const json = (status: number, value: unknown): ModelResponse => ({
  body: `${JSON.stringify(value)}\n`,
  headers: JSON_TYPE,
  status,
})

/** A document of the real program: it has the fields of what the model `F` makes, but each may be missing. */
export type Seen<F extends (...things: never) => object> = {
  readonly [K in keyof ReturnType<F>]?: ReturnType<F>[K] | null
}

/** How a simulated program is started. */
export interface ProgramStart {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** What it reads from its standard input. */
  readonly input?: string | undefined
  /** The path of its file. */
  readonly program: string
  readonly version: string
}

/** What a simulated program returns. */
export interface ProgramOutput {
  readonly exitCode: number
  readonly stderr?: string
  readonly stdout?: string
}

/** Windows' own programs end lines with CR LF. */
export const windowsLines = (...lines: readonly string[]): string => lines.map((line) => `${line}\r\n`).join('')

/** The simulated host, as models and daemons see it. */
export interface Stage {
  /** Lets simulated time pass. */
  elapse(ms: number): Promise<void>
  readonly files: Files
  /** Creates a link to something in the same folder, if the drive can have one. */
  link?(path: string, target: string): Promise<boolean>
  /** Takes a lock that other processes on the same simulated host see; undefined while one of them holds it. */
  lock?(name: string): Promise<(() => Promise<void>) | undefined>
  /** Whether a process holds the lock. */
  isLocked?(name: string): boolean
  now(): number
  readonly world: World
}
