// The command line, the verdict and the exit code of npm run test:windows.
import {expect, test} from 'vitest'
import {assertLabPossible, type LabPlace} from './not-run.js'
import type {RunRequest, SuiteOutcome} from './suite-outcome.js'
import {testWindows} from './test-windows.js'

const HERE: LabPlace = {arch: 'x64', platform: 'linux', uid: 0}
const outcome = (failed: number, passed: number): SuiteOutcome => ({
  counts: {failed, passed, skipped: 0},
  durationMs: 1200,
  name: 'smoke',
})

async function start(argv: readonly string[], run: (request: RunRequest) => Promise<SuiteOutcome[]>) {
  const told: string[] = []
  let complaints = ''
  const interrupted = new AbortController()
  const code = await testWindows({
    argv,
    complain: (text) => (complaints += text),
    interrupted: interrupted.signal,
    run: (request) => run({...request, say: (line) => told.push(line)}),
    say: (line) => told.push(line),
    suites: ['smoke', 'services'],
  })
  return {code, complaints, told}
}

test('names of suites and the switch reach the run', async () => {
  let seen: Partial<RunRequest> = {}
  const {code} = await start(['smoke', '--yes-change-this-host', 'linux'], async ({changesAllowed, filter}) => {
    seen = {changesAllowed, filter}
    return [outcome(0, 1)]
  })
  expect(seen).toEqual({changesAllowed: true, filter: ['smoke', 'linux']})
  expect(code).toBe(0)
})

test('without the switch nothing may be changed', async () => {
  let allowed: boolean | undefined
  await start([], async ({changesAllowed}) => {
    allowed = changesAllowed
    return [outcome(0, 1)]
  })
  expect(allowed).toBe(false)
})

test.each([['--yes'], ['smokes'], ['--yes-change-this-host=1'], ['smoke', '-x'], ['']])(
  'unknown arguments are refused: %s',
  async (...argv) => {
    const {code, complaints} = await start(argv, () => Promise.reject(new Error('must not run')))
    expect(code).toBe(2)
    expect(complaints).toContain(`does not know "${argv.at(-1)}"`)
    expect(complaints).toContain('Suites: smoke, services, linux.')
  },
)

test.each([
  {place: {...HERE, arch: 'arm64'}, reason: 'this machine is arm64'},
  {place: {...HERE, uid: 1000}, reason: 'it needs root'},
  {place: {...HERE, platform: 'darwin', uid: 501}, reason: 'not on darwin'},
])('where the lab cannot be had it is said, and neither passed nor failed: $reason', async ({place, reason}) => {
  const {code, complaints, told} = await start([], async () => {
    await assertLabPossible(place)
    return [outcome(0, 1)]
  })
  expect(code).toBe(75)
  expect(complaints).toMatch(/^=+\nNOT RUN: the Windows lab/)
  expect(complaints).toContain(reason)
  expect(complaints).toContain('This is not a pass.')
  expect(told.join('\n')).not.toContain('passed')
})

test('the last line has the numbers, and a failure or nothing at all is not a pass', async () => {
  const failed = await start([], async () => [outcome(0, 3), outcome(2, 1)])
  expect(failed.told.at(-1)).toBe('4 passed, 2 failed')
  expect(failed.code).toBe(1)
  expect((await start([], async () => [])).code).toBe(1)
  expect((await start([], async () => [outcome(0, 3)])).told.at(-1)).toBe('3 passed, 0 failed')
})

test('what breaks is reported and fails', async () => {
  const broken = await start([], () =>
    Promise.reject(new Error('The lab could not be built: 2-wine.sh ended with 100.')),
  )
  expect(broken.code).toBe(1)
  expect(broken.complaints).toBe('lab: FAILED: The lab could not be built: 2-wine.sh ended with 100.\n')
})
