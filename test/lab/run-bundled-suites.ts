// Runs bundled suites one after the other by the Node that runs this, each as a process of its own.
import {pathToFileURL} from 'node:url'
import type {BundledSuites} from './bundle-suites.js'
import {runNode} from './node-process.js'
import {withoutSummary} from './suite-counts.js'
import {countsOf, type RunRequest, type SuiteOutcome} from './suite-outcome.js'

const SUITE_TIMEOUT_MS = 900_000

export interface BundledRun {
  /** The folder of the package that is tested. */
  readonly app: string
  readonly bundled: BundledSuites
  readonly request: RunRequest
  readonly timeoutMs?: number
}

export async function runBundledSuites({
  app,
  bundled,
  request,
  timeoutMs = SUITE_TIMEOUT_MS,
}: BundledRun): Promise<SuiteOutcome[]> {
  const {changesAllowed, filter, interrupted, say} = request
  const outcomes: SuiteOutcome[] = []
  for (const [name, file] of bundled.suites) {
    if (filter.length > 0 && !filter.includes(name)) continue
    say(`\n${name}`)
    const started = Date.now()
    const {code, stdout} = await runNode({
      args: ['--enable-source-maps', `--test-reporter=${pathToFileURL(bundled.reporter).href}`, file],
      cwd: app,
      env: {...process.env, LAB_APP: app, LAB_CHANGES: changesAllowed ? '1' : '0'},
      onLines: (text) => {
        const shown = withoutSummary(text).trimEnd()
        if (shown !== '') say(shown)
      },
      signal: interrupted,
      timeoutMs,
    })
    if (code === null) say(`  FAILED   ${name} did not end in ${timeoutMs / 1000} s`)
    outcomes.push({counts: countsOf(code, stdout), durationMs: Date.now() - started, name})
  }
  return outcomes
}
