// attach to a run that was handed over to the service: it waits until the service begins, and no longer than there is hope.
import {describe, expect, test} from 'vitest'
import type {Clock} from '../../src/machine/clock.js'
import {interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {openRealClock} from '../../src/machine/real/clock.js'
import {EventBus, type RunResultDocument, type TimedEvent} from '../../src/pipeline/run/events.js'
import {attach} from '../../src/runs/attach/attach.js'
import {RUN_SERVICE} from '../../src/runs/detach/run-service.js'
import {takeLock} from '../../src/runs/run-lock.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import type {HostFolder} from '../steps/host-folder.js'
import {hostWithProgram, PROFILE, serve, session} from './detached.js'

const RESULT = String.raw`k\k8s-win\result.json`

/** Time passes at once; something may happen meanwhile. */
function quickClock(onSleep: (looks: number) => unknown = () => {}): Clock {
  let [looks, now] = [0, 0]
  return {
    ...openRealClock(),
    elapsed: () => now,
    now: () => now,
    async sleep(ms, signal) {
      now += ms
      await onSleep(++looks)
      signal?.throwIfAborted()
    },
  }
}

async function handedOver(): Promise<{readonly handed: RunResultDocument; readonly host: HostFolder}> {
  const host = await hostWithProgram()
  return {handed: await session(host), host}
}

const opened = ({dir}: HostFolder): Promise<Machine> => openSimulator({dir, profile: PROFILE, readOnly: true})

async function attachTo(machine: Machine, clock: Clock, handedOverAt?: string) {
  const bus = new EventBus(machine.clock.now)
  const events: TimedEvent[] = []
  bus.listen((event) => events.push(event))
  const at = handedOverAt === undefined ? {} : {handedOverAt}
  const {signal} = new AbortController()
  const result = await attach({baseDir: undefined, bus, clock, environment: {}, machine, signal, ...at})
  return {events, result}
}

/** As the service manager shows the service. */
function withService(machine: Machine, state: () => 'running' | 'stopped' | undefined): Machine {
  const queryServiceStatus: Machine['win32']['queryServiceStatus'] = async (name) => {
    const now = state()
    if (name !== RUN_SERVICE) return machine.win32.queryServiceStatus(name)
    return now && {processId: 0, serviceExitCode: 9, state: now, win32ExitCode: 1066}
  }
  return {...machine, win32: {...machine.win32, queryServiceStatus}}
}

describe('attach to a run that was handed over', () => {
  test('shows a run that had ended before the first look', async () => {
    const {handed, host} = await handedOver()
    const done = await serve(host)
    const {events, result} = await attachTo(await opened(host), quickClock(), handed.finishedAt)
    expect(result).toEqual(done)
    expect(events.map(({type}) => type)).toEqual(['run-finished'])
  })

  test.each([
    ['stopped', /exit codes 1066 and 9/],
    [undefined, /does not exist/],
  ] as const)('ends at once where the service is %s and no run has begun', async (state, reason) => {
    const {handed, host} = await handedOver()
    const clock = quickClock()
    const machine = withService(await opened(host), () => state)
    await expect(attachTo(machine, clock, handed.finishedAt)).rejects.toMatchObject({
      exitCode: 5,
      id: 'RUN_NOT_BEGUN',
      reason: expect.stringMatching(reason) as string,
    })
    expect(clock.elapsed()).toBe(0)
  })

  test('does not take the result of an earlier run for that of the service', async () => {
    const {handed, host} = await handedOver()
    const earlier = {
      ...handed,
      finishedAt: '2020-01-01T00:00:00.000Z',
      outcome: 'done',
      startedAt: '2020-01-01T00:00:00.000Z',
    }
    host.put(RESULT, JSON.stringify(earlier))
    const machine = withService(await opened(host), () => 'stopped')
    await expect(attachTo(machine, quickClock(), handed.finishedAt)).rejects.toMatchObject({id: 'RUN_NOT_BEGUN'})
  })

  test('gives up a service that never begins', async () => {
    const {handed, host} = await handedOver()
    const clock = quickClock()
    const machine = withService(await opened(host), () => 'running')
    await expect(attachTo(machine, clock, handed.finishedAt)).rejects.toMatchObject({id: 'RUN_NOT_BEGUN'})
    expect(clock.elapsed()).toBe(60_000)
  })

  test('waits for it from another session too', async () => {
    const {host} = await handedOver()
    let isBegun = false
    const base = await opened(host)
    const machine = withService(base, () => (isBegun ? 'stopped' : 'running'))
    const clock = quickClock((looks) => {
      if (looks === 3) isBegun = true
    })
    await expect(attachTo(machine, clock)).rejects.toMatchObject({id: 'NOTHING_RUNS'})
    expect(clock.elapsed()).toBe(750)
  })

  test('one that holds the lock without a record cannot be shown', async () => {
    const {handed, host} = await handedOver()
    const machine = await opened(host)
    await takeLock(await openSimulator({dir: host.dir, profile: PROFILE}), String.raw`C:\other\lock.json`)
    await expect(attachTo(machine, quickClock(), handed.finishedAt)).rejects.toMatchObject({id: 'RUN_HAS_NO_LOG'})
  })
})

test('attach to a reset --purge, which removes its log, ends as the run does', async () => {
  const host = await hostWithProgram()
  await session(host, {isDetached: false})
  expect(await session(host, {command: 'reset', reset: {purge: true}})).toMatchObject({outcome: 'detached'})
  const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))
  const attached: ReturnType<typeof attachTo>[] = []
  const wrap = (machine: Machine): Machine =>
    interceptMachine(machine, async (effect, perform) => {
      const answer = await perform()
      const isSigned = effect.what === 'write' && /\\lock\.json$/i.test(effect.args[0] ?? '')
      if (isSigned && attached.length === 0) {
        attached.push(attachTo(machine, quickClock(turn)))
        // Awaited below, when the run has ended.
        attached[0]?.catch(() => {})
      }
      if (attached.length > 0) await turn()
      return answer
    })
  const done = await serve(host, {wrap})
  expect(done).toMatchObject({exitCode: 0, outcome: 'done'})
  expect(host.has(String.raw`k\k8s-win`)).toBe(false)
  const [seen] = await Promise.all(attached)
  expect(seen?.result).toMatchObject({command: 'reset', exitCode: 0, outcome: 'done'})
  expect(seen?.result.steps.length).toBeGreaterThan(5)
  expect(seen?.events.at(-1)?.type).toBe('run-finished')
})
