// One check, within its own deadline: one that hangs or fails never hides the others.
import type {Decided} from '../config/model.js'
import {inTime} from '../host/wait.js'
import type {Clock} from '../machine/clock.js'
import type {Check, Finding} from './check.js'
import type {Facts} from './facts.js'
import {unmetNeed} from './needs.js'

export interface CheckRun<Config extends Decided> {
  readonly clock: Clock
  readonly deadlineMs: number
  /** What the check reads; the signal is aborted on Ctrl-C and at its deadline. */
  facts(signal: AbortSignal): Facts<Config>
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
export async function runCheck<Report, Config extends Decided>(
  check: Check<Report, Config>,
  {clock, deadlineMs, facts, signal, waitsFor}: CheckRun<Config>,
): Promise<RanCheck<Report>> {
  const began = clock.elapsed()
  let waiting: string | undefined
  const note = (): void => void (waiting = waitsFor())
  try {
    const finding = await inTime(clock, deadlineMs, [signal], (either) => {
      either.addEventListener('abort', note, {once: true})
      // Node.js keeps a combined signal, with all that its listeners know, for as long as it has a listener.
      return inspectWithNeeds(check, facts(either)).finally(() => either.removeEventListener('abort', note))
    })
    return {durationMs: Math.round(clock.elapsed() - began), finding}
  } catch (error) {
    signal.throwIfAborted()
    return {durationMs: Math.round(clock.elapsed() - began), error, waiting: waiting ?? waitsFor()}
  }
}

const inspectWithNeeds = async <Report, Config extends Decided>(
  {inspect, needs = []}: Check<Report, Config>,
  facts: Facts<Config>,
): Promise<Finding<Report>> => ((await unmetNeed(needs, facts)) as Finding<Report> | undefined) ?? inspect(facts)
