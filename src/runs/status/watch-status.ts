// Looking again and again, until somebody has seen enough.
import {orAborted} from '../../host/wait.js'
import type {Clock} from '../../machine/clock.js'
import type {StatusDocument} from '../../pipeline/run/status-report.js'

export interface Watching {
  readonly clock: Clock
  readonly intervalMs: number
  look(): Promise<StatusDocument>
  onLook(document: StatusDocument): void
  /** Aborted on Ctrl-C, which is how one ends. */
  readonly signal: AbortSignal
}

const INTERRUPTED = 130

/** The exit code: of the last look, or that of an interruption where there was none. */
export async function watchStatus({clock, intervalMs, look, onLook, signal}: Watching): Promise<number> {
  let exitCode = INTERRUPTED
  for (;;) {
    try {
      const document = await orAborted(look(), signal)
      exitCode = document.exitCode
      onLook(document)
      await clock.sleep(intervalMs, signal)
    } catch (error) {
      if (signal.aborted) return exitCode
      throw error
    }
  }
}
