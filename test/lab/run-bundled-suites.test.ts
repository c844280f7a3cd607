// The driver of suites, on the Node that runs this test; driver.suite.ts has the same for node.exe.
import {mkdtemp, rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import path from 'node:path'
import {fileURLToPath} from 'node:url'
import {build} from 'esbuild'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {runBundledSuites} from './run-bundled-suites.js'
import {ENDING_SUITES, hangingSuite, isGone, pidIn, writeSuites} from './small-suites.js'

let folder: string
let reporter: string

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'k8s-win-driver-'))
  reporter = path.join(folder, 'reporter.mjs')
  const source = fileURLToPath(new URL('windows/reporter.ts', import.meta.url))
  await build({bundle: true, entryPoints: [source], format: 'esm', outfile: reporter, platform: 'node'})
})

afterAll(async () => {
  await rm(folder, {force: true, recursive: true})
})

async function run(sources: Readonly<Record<string, string>>, filter: readonly string[] = [], timeoutMs = 30_000) {
  const told: string[] = []
  const outcomes = await runBundledSuites({
    app: folder,
    bundled: {reporter, suites: await writeSuites(folder, sources)},
    request: {
      changesAllowed: true,
      filter,
      interrupted: new AbortController().signal,
      say: (line) => told.push(line),
    },
    timeoutMs,
  })
  return {counts: Object.fromEntries(outcomes.map(({counts, name}) => [name, counts])), told: told.join('\n')}
}

test('every way to end is counted', async () => {
  const sources = Object.fromEntries(Object.entries(ENDING_SUITES).map(([name, {source}]) => [name, source]))
  const {counts, told} = await run(sources)
  expect(counts).toEqual(Object.fromEntries(Object.entries(ENDING_SUITES).map(([name, {counts}]) => [name, counts])))
  expect(told).toMatch(/ {2}FAILED {3}bad .*\n.*on purpose/)
  expect(told).not.toContain('lab summary')
})

test('only what was asked for runs', async () => {
  const passes = ENDING_SUITES.passes!
  expect((await run({other: 'throw 1', passes: passes.source}, ['passes'])).counts).toEqual({passes: passes.counts})
})

test('what hangs is ended with what it started', async () => {
  const pidFile = path.join(folder, 'late.pid')
  const running = run({late: hangingSuite(pidFile)}, [], 1500)
  const pid = await pidIn(pidFile)
  const {counts, told} = await running
  expect(counts).toEqual({late: {failed: 1, passed: 0, skipped: 0}})
  expect(told).toContain('late did not end in 1.5 s')
  expect(await isGone(pid)).toBe(true)
})
