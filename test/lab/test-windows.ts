// npm run test:windows from its arguments to its exit code; the entry, run-windows.ts, gives it the process.
import {seconds} from './build-lab.js'
import {readLabArguments} from './lab-arguments.js'
import {LabNotRun, NOT_RUN_EXIT_CODE, notRunNotice} from './not-run.js'
import {type RunRequest, type SuiteOutcome, total} from './suite-outcome.js'

const WRONG_ARGUMENTS = 2
const INTERRUPTED = 130

export interface TestWindows {
  readonly argv: readonly string[]
  readonly interrupted: AbortSignal
  /** What is reported on standard error. */
  complain(text: string): void
  run(request: RunRequest): Promise<SuiteOutcome[]>
  say(line: string): void
  /** Names of the Windows-side suites. */
  readonly suites: readonly string[]
}

export async function testWindows({argv, complain, interrupted, run, say, suites}: TestWindows): Promise<number> {
  const started = Date.now()
  const read = readLabArguments(argv, suites)
  if (typeof read === 'string') {
    complain(read)
    return WRONG_ARGUMENTS
  }
  try {
    return conclude(await run({...read, interrupted, say}), seconds(started).trim(), say)
  } catch (error) {
    if (interrupted.aborted) {
      say(`interrupted (${String(interrupted.reason)})`)
      return INTERRUPTED
    }
    if (error instanceof LabNotRun) {
      complain(notRunNotice(error.message))
      return NOT_RUN_EXIT_CODE
    }
    complain(`lab: FAILED: ${error instanceof Error ? error.message : String(error)}\n`)
    return 1
  }
}

function conclude(outcomes: readonly SuiteOutcome[], took: string, say: (line: string) => void): number {
  const {failed, passed, skipped} = total(outcomes)
  say('')
  for (const {counts, durationMs, name} of outcomes) {
    const time = `${(durationMs / 1000).toFixed(1)} s`.padStart(8)
    say(`  ${name.padEnd(30)} ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped ${time}`)
  }
  say(`test:windows: ${passed} passed, ${failed} failed, ${skipped} skipped in ${took}`)
  say(`${passed} passed, ${failed} failed`)
  return failed > 0 || passed === 0 ? 1 : 0
}
