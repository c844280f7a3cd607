// What the models of the simulator have in common: they answer the real interfaces over one World.
import type {Files} from '../machine/files.js'
import type {World} from './world.js'

/** A request as a server gets it, whatever carried it. */
export interface ModelRequest {
  readonly body: Buffer
  readonly headers: Readonly<Record<string, string>>
  readonly method: string
  /** Path without the query. */
  readonly path: string
  readonly query: URLSearchParams
}

/** An answer; a body in pieces is sent piece by piece, with simulated time passing between them. */
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

/** What a simulated program returns. */
export interface ProgramOutput {
  readonly exitCode: number
  readonly stderr?: string
  readonly stdout?: string
}

/** Windows' own programs end lines with CR LF. */
export const windowsLines = (...lines: readonly string[]): string => lines.map((line) => `${line}\r\n`).join('')

/** What every model and daemon stands on. */
export interface Stage {
  /** Lets simulated time pass. */
  elapse(ms: number): Promise<void>
  /** The simulated drive. */
  readonly files: Files
  /** Makes a link to something in the same folder, where the drive can have one. */
  link?(path: string, target: string): Promise<boolean>
  /** Takes a lock that other processes on the same simulated host see; undefined while one of them holds it. */
  lock?(name: string): Promise<(() => Promise<void>) | undefined>
  /** Does a process hold that lock? */
  isLocked?(name: string): boolean
  now(): number
  /** Where simulated daemons go on as time passes: called again whenever it has. */
  readonly world: World
}
