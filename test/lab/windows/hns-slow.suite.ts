// HNS that takes its time, or hangs: the program continues meanwhile, gives up in time, and ends.
import assert from 'node:assert/strict'
import {after, before, describe, test} from 'node:test'
import {openHost} from '../../../src/host/host.js'
import type {Assets} from '../../../src/machine/machine.js'
import {openRealMachine} from '../../../src/machine/real/index.js'
import {EventBus} from '../../../src/pipeline/run/events.js'
import {runSteps} from '../../../src/pipeline/run/run-steps.js'
import type {StepContext} from '../../../src/pipeline/run/step.js'
import {InterruptedError} from '../../../src/pipeline/run/to-user-error.js'
import {externalNetworkStep} from '../../../src/steps/external-network.js'
import {putDll} from '../hns/dll.js'
import {HUNG_EXIT_CODE, playRole, runAskAndGiveUp} from '../hns/hung-process.js'
import {type HnsServer, serveHns} from '../world/hns-pipe.js'
import {IS_WINE, PROGRAMS} from './windows-host.js'

await playRole()

const SLOW_MS = 4000
const CALLS = 5
const TICK_MS = 20
/** A blocked program would not tick for 4 s; one on a busy machine misses less than this. */
const LONGEST_GAP_MS = 3000
const GIVE_UP_MS = 500
/** Without a deadline it would be never. */
const IN_TIME_MS = 20_000
/** The one the step asks HNS for. */
const OLD_FLANNEL = {adopt: false, versions: {flannel: {major: 0, minor: 11, patch: 0}}}
const machine = openRealMachine()
const {clock, win32} = machine
const host = openHost(machine, {assets: {} as Assets, baseDir: 'C:\\k', dockerPipe: ''})

describe('HNS that is slow', {skip: !IS_WINE && "a real Windows' vmcompute.dll is not replaced"}, () => {
  let server: HnsServer
  before(async () => {
    await putDll(PROGRAMS!)
    server = await serveHns(async (_method, path) => {
      if (path === '/slow') await clock.sleep(SLOW_MS)
      else await new Promise(() => undefined)
      return {hresult: 0, response: '{"Success":true}'}
    })
  })
  after(() => server.close())

  test('blocks nothing: timers tick, and other calls into Windows are answered', async (context) => {
    const started = clock.now()
    // One more than libuv has worker threads: they are made one after the other.
    const calls = Array.from({length: CALLS}, () => win32.hnsCall('POST', '/slow', '{}'))
    const slow = Promise.all(calls).then((replies) => ({replies, tookMs: clock.now() - started}))
    let over = false
    void slow.then(() => (over = true))
    let [last, longest, ticks, others] = [clock.now(), 0, 0, 0]
    while (!over) {
      await clock.sleep(TICK_MS)
      longest = Math.max(longest, clock.now() - last)
      last = clock.now()
      ticks++
      if (ticks % 10 === 0) {
        assert.equal(await win32.isAdministrator(), true)
        assert.equal((await machine.files.status('C:\\windows'))?.kind, 'directory')
        others++
      }
    }
    const {replies, tookMs} = await slow
    context.diagnostic(`${ticks} ticks, longest gap ${longest} ms, ${others} other calls in ${tookMs} ms`)
    for (const reply of replies) assert.deepEqual(reply, {hresult: 0, response: '{"Success":true}'})
    assert.ok(tookMs >= SLOW_MS * CALLS, `${tookMs} ms: at once`)
    assert.ok(longest < LONGEST_GAP_MS, `nothing happened for ${longest} ms`)
    assert.ok(others >= 2, `${others} other calls`)
  })

  for (const [title, give, id] of [
    ['its deadline', () => new AbortController().signal, 'DEADLINE_PASSED'],
    ['Ctrl-C', () => abortedAfter(GIVE_UP_MS), 'INTERRUPTED'],
  ] as const) {
    test(`that hangs ends a step with ${title}`, async () => {
      const deadlineMs = id === 'DEADLINE_PASSED' ? GIVE_UP_MS : 60_000
      const started = clock.now()
      const {error, results} = await runSteps({
        bus: new EventBus(() => clock.now()),
        clock,
        context: {config: OLD_FLANNEL, host} as unknown as StepContext,
        signal: give(),
        steps: [{...externalNetworkStep, deadlineMs, needs: []}],
      })
      assert.ok(clock.now() - started < IN_TIME_MS, `${clock.now() - started} ms`)
      assert.equal((error as {id?: string} | undefined)?.id, id)
      assert.equal(results[0]?.error?.id, id)
    })
  }

  test('that hangs does not keep the process from ending', async () => {
    const started = clock.now()
    const {code, stdout} = await runAskAndGiveUp(import.meta.url, 30_000)
    assert.match(stdout, /^gave up: DeadlineError/)
    assert.equal(code, HUNG_EXIT_CODE)
    assert.ok(clock.now() - started < IN_TIME_MS, `${clock.now() - started} ms`)
  })
})

function abortedAfter(ms: number): AbortSignal {
  const controller = new AbortController()
  setTimeout(() => controller.abort(new InterruptedError()), ms)
  return controller.signal
}
