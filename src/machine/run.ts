// Starting a program: argv only, never a shell, always by absolute path and with a deadline.
import type {EffectKind} from './win32.js'

export interface Foreground {
  /** After the signal the program has this long to end by itself: it shares the console, and so gets its Ctrl-C. */
  readonly graceMs: number
  /** Gets the output as it comes, of any length, in place of the result. */
  readonly onOutput: (chunk: Uint8Array, stream: 'stderr' | 'stdout') => void
}

export interface RunOptions {
  /** The whole process tree is killed when it passes. */
  readonly deadlineMs: number
  readonly effect: EffectKind
  /** Added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>
  readonly foreground?: Foreground
  /** Written to standard input, which is then closed. */
  readonly input?: string
  /** The limit of either stream; a program that prints more is ended, with a ProgramOutputError. Default: LARGEST_OUTPUT. */
  readonly maxOutputBytes?: number
  readonly signal?: AbortSignal
}

export interface RunResult {
  readonly durationMs: number
  readonly exitCode: number
  readonly stderr: string
  readonly stdout: string
}

/**
 * Runs `program` (an absolute Windows path) and resolves with whatever exit code it gives.
 * Rejects with ProgramNotFoundError where there is no such program, with ProgramNotStartedError where it cannot be
 * started, and with the signal's or deadline's reason.
 */
export type Run = (program: string, args: readonly string[], options: RunOptions) => Promise<RunResult>

/** Far more than any program that k8s-win runs prints. */
export const LARGEST_OUTPUT = 16 * 1024 ** 2

export class ProgramNotFoundError extends Error {
  constructor(readonly program: string) {
    super(`the program ${program} does not exist`)
    this.name = 'ProgramNotFoundError'
  }
}

/** Windows would not start it: no right to (EACCES), no memory, arguments that cannot be passed on (EINVAL), … */
export class ProgramNotStartedError extends Error {
  constructor(
    readonly program: string,
    readonly code: string,
    reason = code,
  ) {
    super(`cannot start ${program}: ${reason}`)
    this.name = 'ProgramNotStartedError'
  }
}

/** It printed more than anybody wants to read, and was ended. */
export class ProgramOutputError extends Error {
  constructor(
    readonly program: string,
    readonly limit: number,
  ) {
    super(`${program} printed more than ${limit} bytes`)
    this.name = 'ProgramOutputError'
  }
}

/**
 * Windows ends a text at its first zero; half a surrogate pair has no UTF-8, and Node and shawl go through UTF-8; and
 * U+10FFFF, which stands for no letter, ends Node on Windows: libuv's idna.c asserts that all are below it.
 */
export function isPassable(text: string): boolean {
  return !text.includes('\0') && !/[\p{Surrogate}\u{10FFFF}]/u.test(text)
}
