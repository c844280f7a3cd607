// How a suite ended, and all of them together.
import {readCounts, type SuiteCounts} from './suite-counts.js'

export interface SuiteOutcome {
  readonly name: string
  readonly counts: SuiteCounts
  readonly durationMs: number
}

/** The name of all suites on the Linux side together. */
export const LINUX_SIDE = 'linux'

export interface RunRequest {
  /** May a real Windows be changed? */
  readonly changesAllowed: boolean
  /** Names of suites to run; all if empty. */
  readonly filter: readonly string[]
  readonly interrupted: AbortSignal
  say(line: string): void
}

/** A process that fails although its tests did not, or that never came to its last line, is one failure more. */
export function countsOf(code: number | null, stdout: string): SuiteCounts {
  const counts = readCounts(stdout)
  if (counts === undefined) return {failed: 1, passed: 0, skipped: 0}
  return code !== 0 && counts.failed === 0 ? {...counts, failed: 1} : counts
}

export function total(outcomes: readonly SuiteOutcome[]): SuiteCounts {
  const sum = {failed: 0, passed: 0, skipped: 0}
  for (const {counts} of outcomes) {
    sum.failed += counts.failed
    sum.passed += counts.passed
    sum.skipped += counts.skipped
  }
  return sum
}
