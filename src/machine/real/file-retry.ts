// Waits out the moments in which Defender, the indexer or a backup holds a file.
import type {Clock} from '../clock.js'
import {FileError} from '../files.js'

/** Windows reports a file in use as any of these, and also one that is really forbidden. */
const TRANSIENT = new Set(['EACCES', 'EBUSY', 'EPERM'])

const FIRST_PAUSE_MS = 10
const PAUSE_STEP_MS = 10
const LONGEST_PAUSE_MS = 100

/** Long enough for a scanner to finish with a fresh executable. */
export const CHANGE_PATIENCE_MS = 60_000
/** A reader shares with scanners; who may not read must not wait long to learn it. */
export const READ_PATIENCE_MS = 2000

interface Attempt {
  readonly operation: string
  readonly path: string
  readonly patienceMs: number
}

export type Retry = <T>(attempt: Attempt, work: () => Promise<T>) => Promise<T>

export function fileRetry(clock: Clock): Retry {
  return async (attempt, work) => {
    const end = clock.elapsed() + attempt.patienceMs
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause + PAUSE_STEP_MS, LONGEST_PAUSE_MS)) {
      try {
        return await work()
      } catch (error) {
        if (!TRANSIENT.has(errorCode(error)) || clock.elapsed() + pause > end) throw asFileError(attempt, error)
        await clock.sleep(pause)
      }
    }
  }
}

export function asFileError({operation, path}: Pick<Attempt, 'operation' | 'path'>, error: unknown): unknown {
  const code = errorCode(error)
  return code === '' || error instanceof FileError ? error : new FileError(operation, path, code, {cause: error})
}

/** The code of a refused system call; empty for any other error, which is not changed. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'syscall' in error ? ((error as NodeJS.ErrnoException).code ?? '') : ''
}
