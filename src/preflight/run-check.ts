// One check, within its own deadline: one that hangs or fails never hides the others.
import {inTime} from '../host/wait.js'
import type {Clock} from '../machine/clock.js'
import type {Check, Finding} from './check.js'

export interface CheckRun<Facts> {
  readonly clock: Clock
  readonly deadlineMs: number
  /** What the check reads; the signal is aborted on Ctrl-C and at its deadline. */
  facts(signal: AbortSignal): Facts
  /** Aborted on Ctrl-C. */
  readonly signal: AbortSignal
  /** What it waits for longest. */
  waitsFor(): string | undefined
}

export type RanCheck<Report> = {readonly durationMs: number} & (
  | {readonly error: unknown; readonly finding?: never; readonly waiting: string | undefined}
  | {readonly finding: Finding<Report>}
)

/** Rejects only when the signal is aborted. */
export async function runCheck<Report, Facts>(
  check: Check<Report, Facts>,
  {clock, deadlineMs, facts, signal, waitsFor}: CheckRun<Facts>,
): Promise<RanCheck<Report>> {
  const startedAt = clock.now()
  let waiting: string | undefined
  const note = (): void => void (waiting = waitsFor())
  try {
    const finding = await inTime(clock, deadlineMs, [signal], (either) => {
      either.addEventListener('abort', note, {once: true})
      // Node.js keeps a combined signal, with all that its listeners know, for as long as it has a listener.
      return check.inspect(facts(either)).finally(() => either.removeEventListener('abort', note))
    })
    return {durationMs: clock.now() - startedAt, finding}
  } catch (error) {
    signal.throwIfAborted()
    return {durationMs: clock.now() - startedAt, error, waiting: waiting ?? waitsFor()}
  }
}
