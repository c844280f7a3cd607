// --timeout bounds the whole run: exit 6, with the step it was at and what it waited for.
import {expect, test} from 'vitest'
import {timeoutPassed} from '../../src/errors/health.js'
import {faultyMachine} from '../fakes/faulty.js'
import type {TimedEvent} from '../../src/pipeline/run/events.js'
import {comparable} from '../steps/comparable.js'
import {HostFolder} from '../steps/host-folder.js'
import {setupOn} from '../interruption/setup-run.js'
import {temporaryFolder} from '../steps/rig.js'
import {turn} from '../sample.js'

test.each(
  turn(
    [
      {
        cause: 'It was at "Pull base images" and waited for: POST http://docker/v1.41/',
        step: 'base-images',
      },
      {cause: 'It was at "Wait for overlay network" and waited for: nothing outside.', step: 'overlay-network'},
    ],
    1,
  ),
)('over at $step: run again it continues', async ({cause, step}) => {
  const whole = new HostFolder(temporaryFolder())
  const undisturbed = await setupOn(whole.dir)
  const seconds = secondsUntil(undisturbed.events, step) + 1

  const host = new HostFolder(temporaryFolder())
  const {events, result} = await setupOn(host.dir, {given: {timeout: `${seconds}s`}})
  expect(result).toMatchObject({
    changesPending: true,
    error: {
      cause: expect.stringContaining(cause) as string,
      id: 'TIMEOUT_PASSED',
      message: `The run was not completed within ${seconds} s (--timeout)`,
    },
    exitCode: 6,
    outcome: 'failed',
  })
  expect(result?.steps.find(({state}) => state === 'failed')?.id).toBe(step)
  expect(events.at(-1)?.type).toBe('run-finished')

  expect((await setupOn(host.dir)).result?.exitCode).toBe(0)
  expect(comparable(host)).toEqual(comparable(whole))
})

/** From the beginning of the run to the last word of a step on what it is doing. */
function secondsUntil(events: readonly TimedEvent[], step: string): number {
  const last = events.findLast((event) => event.type === 'progress' && event.id === step)
  return Math.ceil((Date.parse(last?.at ?? '') - Date.parse(events[0]?.at ?? '')) / 1000)
}

test('also what comes before the steps', async () => {
  const {result} = await setupOn(temporaryFolder(), {
    given: {timeout: '30s'},
    wrap: (machine) => faultyMachine(machine, [{at: ({what}) => what === 'takeMutex', does: 'hang', when: 'before'}]),
  })
  expect(result).toMatchObject({
    error: {
      cause: expect.stringContaining(String.raw`takeMutex Global\k8s-win`) as string,
      id: 'TIMEOUT_PASSED',
    },
    exitCode: 6,
    steps: [],
  })
})

test('a run that is done in time hears nothing of it', async () => {
  expect((await setupOn(temporaryFolder(), {given: {timeout: '1h'}})).result?.exitCode).toBe(0)
})

test.each([
  [String.raw`crictl.exe --config C:\k\containerd\crictl.yaml pull mirror.example:5000/ms/windows/servercore:ltsc2022`],
  ['POST http://docker/v1.41/images/create?fromImage=mirror.example%3A5000%2Fms%2Fwindows%2Fservercore&tag=ltsc2022'],
])('the registry of a pull that it waited for is named: %s', (waiting) => {
  const error = timeoutPassed({limit: '1800 s', step: 'Pull base images', waiting})
  expect(error.fix).toContain(' mirror.example:5000 may not respond')
})
