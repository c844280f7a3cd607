// A repair of watch gives way to every other run; nothing else does.
import {describe, expect, test} from 'vitest'
import {interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import type {RunResultDocument} from '../../src/pipeline/run/events.js'
import {isRunActive, isYielding, takeLock, takeWatch, yieldingSignal} from '../../src/runs/run-lock.js'
import {REPAIRS} from '../../src/runs/watch/repair.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {BROKEN_NODES} from '../hosts/broken-nodes.js'
import {resetOn} from '../reset/reset-run.js'
import {setupOn} from '../setup/in-process.js'
import {HostFolder} from '../steps/host-folder.js'
import {verifyOn} from '../verify/verify-run.js'
import {recoverOn} from './recover-on.js'

const RECORD = String.raw`C:\k\k8s-win\lock.json`
const LOCK = String.raw`Global\k8s-win`
const YIELDING = String.raw`Global\k8s-win-yielding`
const WANTED = String.raw`Global\k8s-win-wanted`
const WATCH = {command: 'k8s-win watch', processId: 4242, user: 'SYSTEM'}
const NEVER = new AbortController().signal
const REFUSED = {exitCode: 11, id: 'LOCK_HELD'}

const machineOn = (): Promise<Machine> => openSimulator({dir: HostFolder.empty().dir, profile: 'ws2019'})

/** A repair whose steps need so long to their next safe point. */
async function repairOn(machine: Machine, safeAfterMs: number): Promise<{readonly signal: AbortSignal}> {
  const lock = await takeLock(machine, RECORD, {yields: true})
  await lock.sign(WATCH)
  const {signal} = yieldingSignal(machine, NEVER)
  signal.addEventListener('abort', () => void machine.clock.sleep(safeAfterMs).then(() => lock.release()))
  return {signal}
}

/** How long it took, and what was heard meanwhile. */
async function take(machine: Machine, signal = NEVER): Promise<{readonly ms: number; readonly waits: number}> {
  const begun = machine.clock.now()
  let waits = 0
  const lock = await takeLock(machine, RECORD, {onWait: () => void waits++, signal})
  const ms = machine.clock.now() - begun
  await lock.release()
  return {ms, waits}
}

describe('a lock that a repair of watch holds', () => {
  test('is given up at the next safe point, and said to be waited for once', async () => {
    const machine = await machineOn()
    const {signal} = await repairOn(machine, 20_000)
    expect([await isYielding(machine), await isRunActive(machine)]).toEqual([true, false])
    const {ms, waits} = await take(machine)
    expect(signal.reason).toMatchObject({name: 'InterruptedError'})
    expect(waits).toBe(1)
    expect(ms).toBeGreaterThanOrEqual(20_000)
    expect(ms).toBeLessThan(22_000)
    expect(await Promise.all([LOCK, YIELDING, WANTED].map((name) => machine.win32.isMutexHeld(name)))).toEqual([
      false,
      false,
      false,
    ])
  })

  test('is waited for a minute at most', async () => {
    const machine = await machineOn()
    await repairOn(machine, 3_600_000)
    const begun = machine.clock.now()
    await expect(take(machine)).rejects.toMatchObject({...REFUSED, reason: expect.stringContaining('4242') as string})
    expect(machine.clock.now() - begun).toBe(60_000)
    expect(await machine.win32.isMutexHeld(WANTED)).toBe(false)
  })

  test('goes to one of two that wait; the other one is refused as soon as it is taken', async () => {
    const machine = await machineOn()
    await repairOn(machine, 5000)
    const begun = machine.clock.now()
    const ends = await Promise.allSettled([0, 1].map(() => takeLock(machine, RECORD)))
    expect(ends.map(({status}) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(ends.find((end) => end.status === 'rejected')?.reason).toMatchObject(REFUSED)
    expect(machine.clock.now() - begun).toBeLessThan(10_000)
  })

  test('is not wanted any more when who waits is interrupted', async () => {
    const machine = await machineOn()
    await repairOn(machine, 30_000)
    const [gone, reason] = [new AbortController(), new Error('Ctrl-C')]
    const taking = take(machine, gone.signal)
    await machine.clock.sleep(3000)
    expect(await machine.win32.isMutexHeld(WANTED)).toBe(true)
    gone.abort(reason)
    await expect(taking).rejects.toBe(reason)
    expect(await machine.win32.isMutexHeld(WANTED)).toBe(false)
  })

  test('is free when the repair was killed, whatever its record says', async () => {
    const machine = await machineOn()
    const lock = await takeLock(machine, RECORD, {yields: true})
    await lock.sign(WATCH)
    const record = await machine.files.read(RECORD)
    await lock.release()
    await machine.files.write(RECORD, record!)
    expect(await take(machine)).toEqual({ms: 0, waits: 0})
  })
})

describe('a lock that another run holds', () => {
  test.each([
    ['its own record', {...WATCH, command: 'k8s-win setup'}],
    ['the record of a watch that was killed', WATCH],
  ])('is refused at once, with %s', async (_, holder) => {
    const machine = await machineOn()
    await (await takeLock(machine, RECORD)).sign(holder)
    expect(await isRunActive(machine)).toBe(true)
    const begun = machine.clock.now()
    await expect(take(machine)).rejects.toMatchObject(REFUSED)
    expect(machine.clock.now()).toBe(begun)
  })

  test('is not waited for by a repair, which leaves nothing', async () => {
    const machine = await machineOn()
    await takeLock(machine, RECORD)
    await expect(takeLock(machine, RECORD, {yields: true})).rejects.toMatchObject(REFUSED)
    expect(await isYielding(machine)).toBe(false)
  })

  test('comes before the next repair, also while it only waits', async () => {
    const machine = await machineOn()
    await machine.win32.takeMutex(WANTED)
    await expect(takeLock(machine, RECORD, {yields: true})).rejects.toMatchObject(REFUSED)
  })
})

describe('the signal of a repair', () => {
  test('is aborted when the other one is, and asks no more', async () => {
    const machine = await machineOn()
    const stop = new AbortController()
    let asked = 0
    const {signal} = yieldingSignal(machine, stop.signal, async () => asked++ < 0)
    await machine.clock.sleep(3500)
    stop.abort(new Error('stopped'))
    await machine.clock.sleep(5000)
    expect([signal.reason, asked]).toEqual([new Error('stopped'), 4])
  })

  test('is aborted within a second of the question', async () => {
    const machine = await machineOn()
    let isAsked = false
    const {cancel, signal} = yieldingSignal(machine, NEVER, async () => isAsked)
    await machine.clock.sleep(10_000)
    isAsked = true
    expect(signal.aborted).toBe(false)
    await machine.clock.sleep(1001)
    expect(signal.aborted).toBe(true)
    cancel()
  })

  test('is left alone after its end', async () => {
    const machine = await machineOn()
    const {cancel, signal} = yieldingSignal(machine, NEVER)
    cancel()
    await machine.win32.takeMutex(WANTED)
    await machine.clock.sleep(5000)
    expect(signal.aborted).toBe(false)
  })

  test('is not lost where Windows does not answer once', async () => {
    const machine = await machineOn()
    let asked = 0
    const isMutexHeld = (): Promise<boolean> =>
      asked++ < 2 ? Promise.reject(new Error('busy')) : Promise.resolve(true)
    const {signal} = yieldingSignal({...machine, win32: {...machine.win32, isMutexHeld}}, NEVER)
    await machine.clock.sleep(2500)
    expect(signal.aborted).toBe(true)
  })
})

test('a second watch ends at once, until the first one has ended', async () => {
  const machine = await machineOn()
  const end = await takeWatch(machine)
  await expect(takeWatch(machine)).rejects.toMatchObject({exitCode: 11, id: 'WATCH_RUNNING'})
  await end()
  await (
    await takeWatch(machine)
  )()
})

test('a repair that is asked ends as on Ctrl-C, and the next run repairs the rest', async () => {
  const host = HostFolder.empty()
  await setupOn(host.dir)
  await BROKEN_NODES.find(({id}) => id === 'all-dead')!.break(host)
  const asked = new AbortController()
  const others: Promise<unknown>[] = []
  let machine: Machine | undefined
  const {result} = await recoverOn(host.dir, {
    before({what}) {
      if (what === 'startService' && machine && others.length === 0) others.push(take(machine))
    },
    holder: WATCH,
    only: REPAIRS,
    signal: asked.signal,
    wrap(opened) {
      machine = opened
      const {signal} = yieldingSignal(opened, NEVER)
      signal.addEventListener('abort', () => asked.abort(signal.reason))
      return opened
    },
  })
  expect(result).toMatchObject({exitCode: 130, outcome: 'interrupted'})
  expect(await Promise.all(others)).toMatchObject([{waits: 1}])
  expect((await recoverOn(host.dir)).result).toMatchObject({exitCode: 0, outcome: 'done'})
})

describe('every run that takes the lock', () => {
  type Run = (host: HostFolder, wrap: (machine: Machine) => Machine) => Promise<{readonly result: RunResultDocument}>
  const RUNS: readonly [name: string, run: Run][] = [
    ['setup', ({dir}, wrap) => setupOn(dir, {}, {wrap})],
    ['upgrade', ({dir}, wrap) => setupOn(dir, {}, {upgrade: {}, wrap})],
    ['recover', ({dir}, wrap) => recoverOn(dir, {wrap})],
    ['verify', (host, wrap) => verifyOn(host, {wrap})],
    ['reset', ({dir}, wrap) => resetOn(dir, {given: {yes: true}, wrap})],
  ]

  test.each(RUNS)('%s asks a repair to stop, and runs when it has', async (_, run) => {
    const host = HostFolder.empty()
    await setupOn(host.dir)
    const held = [LOCK, YIELDING].map((name) => host.lock(name))
    const {result} = await run(host, (machine) =>
      interceptMachine(machine, async ({args, what}, perform) => {
        if (what === 'takeMutex' && JSON.stringify(args).includes('wanted')) for (const free of held) await free?.()
        return perform()
      }),
    )
    expect(result.error?.id).not.toBe('LOCK_HELD')
    expect(result.exitCode).toBe(0)
    expect([LOCK, YIELDING, WANTED].map((name) => host.lock(name) !== undefined)).toEqual([true, true, true])
  })
})
