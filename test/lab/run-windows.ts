// npm run test:windows. On Linux: the lab, the Windows suites in it, then the suites on the Linux side. On Windows: the suites.
import {NOT_RUN_EXIT_CODE, LabNotRun, notRunNotice} from './not-run.js'
import {seconds} from './build-lab.js'
import {runOnLinux} from './run-on-linux.js'
import {runOnWindows} from './run-on-windows.js'
import {type SuiteOutcome, total} from './suite-outcome.js'

const INTERRUPTED = 130
const started = Date.now()
const interrupted = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interrupted.abort(signal))

try {
  const filter = process.argv.slice(2)
  const run = process.platform === 'win32' ? runOnWindows : runOnLinux
  process.exitCode = conclude(await run({filter, interrupted: interrupted.signal, say}))
} catch (error) {
  if (interrupted.signal.aborted) {
    say(`interrupted (${String(interrupted.signal.reason)})`)
    // What is still under way, a build of the lab above all, dies with this process.
    process.exit(INTERRUPTED)
  } else if (error instanceof LabNotRun) {
    process.stderr.write(notRunNotice(error.message))
    process.exitCode = NOT_RUN_EXIT_CODE
  } else {
    process.stderr.write(`lab: FAILED: ${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  }
}

function conclude(outcomes: readonly SuiteOutcome[]): number {
  const {failed, passed, skipped} = total(outcomes)
  say('')
  for (const {counts, durationMs, name} of outcomes) {
    const took = `${(durationMs / 1000).toFixed(1)} s`.padStart(8)
    say(`  ${name.padEnd(30)} ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped ${took}`)
  }
  say(`test:windows: ${passed} passed, ${failed} failed, ${skipped} skipped in ${seconds(started).trim()}`)
  say(`${passed} passed, ${failed} failed`)
  return failed > 0 || passed === 0 ? 1 : 0
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
