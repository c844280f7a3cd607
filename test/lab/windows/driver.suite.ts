// The driver of suites on a real Windows, by node.exe: how it starts suites, counts them, and ends those that hang.
import assert from 'node:assert/strict'
import {mkdtemp, rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import path from 'node:path'
import {after, before, test} from 'node:test'
import {fileURLToPath} from 'node:url'
import {runBundledSuites} from '../run-bundled-suites.js'
import {ENDING_SUITES, hangingSuite, isGone, pidIn, writeSuites} from '../small-suites.js'
import type {RunRequest} from '../suite-outcome.js'
import {APP} from './windows-host.js'

/** Bundled beside this suite. */
const reporter = fileURLToPath(new URL('reporter.mjs', import.meta.url))
let folder: string
const told: string[] = []
const request = (interrupted = new AbortController().signal): RunRequest => ({
  changesAllowed: true,
  filter: [],
  interrupted,
  say: (line) => told.push(line),
})

before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'k8s-win driver ü-'))
})

after(async () => {
  await rm(folder, {force: true, maxRetries: 10, recursive: true})
})

for (const [name, {counts, source}] of Object.entries(ENDING_SUITES)) {
  test(`a suite that ${name}`, async () => {
    const suites = await writeSuites(folder, {[name]: source})
    const outcomes = await runBundledSuites({app: APP, bundled: {reporter, suites}, request: request()})
    assert.deepEqual(
      outcomes.map((outcome) => outcome.counts),
      [counts],
    )
  })
}

test('a suite that hangs is ended with what it started, and has failed', async () => {
  const pidFile = path.join(folder, 'late.pid')
  const suites = await writeSuites(folder, {late: hangingSuite(pidFile)})
  const running = runBundledSuites({app: APP, bundled: {reporter, suites}, request: request(), timeoutMs: 8000})
  const pid = await pidIn(pidFile)
  const [outcome] = await running
  assert.deepEqual(outcome?.counts, {failed: 1, passed: 0, skipped: 0})
  assert.ok(told.includes('  FAILED   late did not end in 8 s'), told.join('\n'))
  assert.ok(await isGone(pid), `process ${pid} is still there`)
})

test('an interrupted run ends the suite with what it started', async () => {
  const pidFile = path.join(folder, 'interrupted.pid')
  const suites = await writeSuites(folder, {interrupted: hangingSuite(pidFile)})
  const interrupted = new AbortController()
  const running = runBundledSuites({app: APP, bundled: {reporter, suites}, request: request(interrupted.signal)})
  const rejected = assert.rejects(running, (reason) => reason === 'SIGINT')
  const pid = await pidIn(pidFile)
  interrupted.abort('SIGINT')
  await rejected
  assert.ok(await isGone(pid), `process ${pid} is still there`)
})
