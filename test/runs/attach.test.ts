// attach: another session sees the events of a run as they come, and ends as the run does.
import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import type {Clock} from '../../src/machine/clock.js'
import type {Machine} from '../../src/machine/machine.js'
import {openRealClock} from '../../src/machine/real/clock.js'
import {traceOf} from '../../src/output/run/run-log.js'
import {EventBus, type RunResultDocument, type TimedEvent} from '../../src/pipeline/run/events.js'
import {attach} from '../../src/runs/attach/attach.js'
import {RUN_SERVICE} from '../../src/runs/detach/run-service.js'
import {takeLock} from '../../src/runs/run-lock.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {setupOn} from '../setup/in-process.js'
import {HostFolder} from '../steps/host-folder.js'

const LOG = String.raw`C:\k\logs\k8s-win\setup-1.log`
const TRACE = traceOf(LOG)
const RECORD = String.raw`C:\k\k8s-win\lock.json`
const LOGS_SECURITY = 'O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)'
const HOLDER = {command: 'k8s-win setup', processId: 4242, user: String.raw`WIN-1\me`}

/** Time passes at once, and others get their turn. */
function quickClock(onSleep: () => unknown = () => {}): Clock {
  let now = 0
  return {
    ...openRealClock(),
    elapsed: () => now,
    now: () => now,
    async sleep(ms, signal) {
      now += ms
      await onSleep()
      await new Promise((resolve) => setImmediate(resolve))
      signal?.throwIfAborted()
    },
  }
}

interface Attached {
  readonly events: readonly TimedEvent[]
  readonly result: RunResultDocument
}

async function attachTo(
  machine: Machine,
  {clock = quickClock(), signal = new AbortController().signal} = {},
): Promise<Attached> {
  const bus = new EventBus(() => 0)
  const events: TimedEvent[] = []
  bus.listen((event) => events.push(event))
  const result = await attach({baseDir: undefined, bus, clock, environment: {}, machine, signal})
  return {events, result}
}

async function runningOn(log: string | undefined = LOG) {
  const {dir} = await HostFolder.fresh()
  const machine = await openSimulator({dir, profile: 'ws2019'})
  const lock = await takeLock(machine, RECORD)
  await lock.sign({...HOLDER, log})
  await machine.files.makeDirectory(String.raw`C:\k\logs\k8s-win`, {
    security: LOGS_SECURITY,
  })
  return {lock, machine}
}

const FINISHED = {result: {exitCode: 6, outcome: 'failed'} as RunResultDocument, type: 'run-finished'} as const
const lineOf = (event: object): string => `2026-11-15T00:00:00.000Z event ${JSON.stringify(event)}\n`
const said = (message: string) => ({level: 'info', message, type: 'log'}) as const

/** The service: it takes the lock, and writes its log. */
async function serve(machine: Machine, log: string): Promise<void> {
  const lock = await takeLock(machine, RECORD)
  await machine.files.makeDirectory(String.raw`C:\k\logs\k8s-win`, {security: LOGS_SECURITY})
  await machine.files.append(traceOf(log), lineOf(said('second')) + lineOf(FINISHED))
  await lock.sign({...HOLDER, log})
}

async function startRunService({win32}: Machine): Promise<void> {
  const docker = await win32.queryServiceConfig('docker')
  if (!docker) throw new Error('the profile has no Docker')
  await win32.createService(RUN_SERVICE, docker)
  await win32.startService(RUN_SERVICE)
}

describe('attach', () => {
  test('shows a whole setup that runs meanwhile, and returns its document', async () => {
    const {dir} = await HostFolder.fresh()
    const attached: Promise<Attached>[] = []
    const {events, result} = await setupOn(
      dir,
      {},
      {
        async after({args, what}, machine) {
          if (what === 'write' && args[0] === RECORD && attached.length === 0) attached.push(attachTo(machine))
          if (attached.length > 0) await new Promise((resolve) => setImmediate(resolve))
        },
        holder: HOLDER,
      },
    )
    const [seen] = await Promise.all(attached)
    expect(seen?.result).toEqual(result)
    // Of progress the log has what a step is at, and none of the bytes.
    const isNews = ({type}: TimedEvent): boolean => type !== 'progress'
    expect(seen?.events.filter(isNews)).toEqual(events.filter(isNews))
    const phases = (all: readonly TimedEvent[] = []) =>
      new Set(all.flatMap((event) => (event.type === 'progress' ? [`${event.id}: ${event.text}`] : [])))
    expect(phases(seen?.events)).toEqual(phases(events))
  })

  test('to a run that another line of the log ends: its exit code', async () => {
    const {lock, machine} = await runningOn()
    let looks = 0
    const clock = quickClock(() => {
      looks++
      if (looks === 3) void machine.files.append(TRACE, lineOf(said('hello')) + 'no event\n')
      if (looks === 6) void machine.files.append(TRACE, lineOf(FINISHED)).then(() => lock.release())
    })
    const {events, result} = await attachTo(machine, {clock})
    expect(result.exitCode).toBe(6)
    expect(events.map(({type}) => type)).toEqual(['log', 'run-finished'])
  })

  test('to nothing changes nothing', async () => {
    const host = await HostFolder.fresh()
    const machine = await openSimulator({dir: host.dir, profile: 'ws2019'})
    const before = host.state
    await expect(attachTo(machine)).rejects.toMatchObject({exitCode: 9, id: 'NOTHING_RUNS'})
    expect(host.state).toEqual(before)
  })

  test('to a run whose service has just been started: waits until it holds the lock', async () => {
    const {dir} = await HostFolder.fresh()
    const machine = await openSimulator({dir, profile: 'ws2019'})
    await startRunService(machine)
    let looks = 0
    const clock = quickClock(() => (++looks === 100 ? serve(machine, LOG) : undefined))
    const {result} = await attachTo(machine, {clock})
    expect(result.exitCode).toBe(6)
  })

  test('to a service that never holds the lock', async () => {
    const {dir} = await HostFolder.fresh()
    const machine = await openSimulator({dir, profile: 'ws2019'})
    await startRunService(machine)
    await expect(attachTo(machine)).rejects.toMatchObject({id: 'NOTHING_RUNS'})
  })

  test('to a run that continues as a service: shows both parts, and ends with the second', async () => {
    const {lock, machine} = await runningOn()
    await startRunService(machine)
    const handedOver = {result: {exitCode: 0, log: LOG, outcome: 'detached'}, type: 'run-finished'}
    await machine.files.append(TRACE, lineOf(said('first')) + lineOf(handedOver))
    let looks = 0
    const clock = quickClock(() => {
      looks++
      if (looks === 3) return lock.release()
      return looks === 6 ? serve(machine, LOG.replace('setup-1', 'setup-2')) : undefined
    })
    const {events, result} = await attachTo(machine, {clock})
    expect(result.exitCode).toBe(6)
    expect(events).toMatchObject([said('first'), said('second'), {type: 'run-finished'}])
  })

  test('to a run whose record is still that of one that was killed: shows what both have done', async () => {
    const {lock, machine} = await runningOn()
    await machine.files.append(TRACE, lineOf(said('first')))
    let looks = 0
    const clock = quickClock(async () => {
      if (++looks !== 3) return
      await lock.release()
      await serve(machine, LOG.replace('setup-1', 'setup-2'))
    })
    const {events, result} = await attachTo(machine, {clock})
    expect(result.exitCode).toBe(6)
    expect(events).toMatchObject([said('first'), said('second'), {type: 'run-finished'}])
  })

  test('to a run in another base directory', async () => {
    const {dir} = await HostFolder.fresh()
    const machine = await openSimulator({dir, profile: 'ws2019'})
    await takeLock(machine, RECORD)
    await expect(attachTo(machine)).rejects.toMatchObject({id: 'RUN_HAS_NO_LOG'})
  })

  test('to a run that could not open a log', async () => {
    const {dir} = await HostFolder.fresh()
    const machine = await openSimulator({dir, profile: 'ws2019'})
    await (await takeLock(machine, RECORD)).sign(HOLDER)
    await expect(attachTo(machine)).rejects.toMatchObject({
      id: 'RUN_HAS_NO_LOG',
      reason: expect.stringContaining('process 4242') as string,
    })
  })

  test('to a run that is killed', async () => {
    const {lock, machine} = await runningOn()
    await machine.files.append(TRACE, lineOf(said('hello')))
    let looks = 0
    const clock = quickClock(() => {
      if (++looks === 3) void lock.release()
    })
    await expect(attachTo(machine, {clock})).rejects.toMatchObject({exitCode: 5, id: 'RUN_ENDED_UNSEEN'})
  })

  test('Ctrl-C ends only attach', async () => {
    const {machine} = await runningOn()
    const controller = new AbortController()
    const clock = quickClock(() => controller.abort())
    await expect(attachTo(machine, {clock, signal: controller.signal})).rejects.toMatchObject({
      exitCode: 130,
      id: 'ATTACH_INTERRUPTED',
    })
    expect(await machine.win32.isMutexHeld(String.raw`Global\k8s-win`)).toBe(true)
  })

  test('every event once, in whatever pieces the log is written', async () => {
    const messages = fc.array(fc.string({unit: 'grapheme'}), {maxLength: 20})
    const property = fc.asyncProperty(messages, fc.array(fc.nat(200)), async (texts, cuts) => {
      const {machine} = await runningOn()
      const all = Buffer.from([...texts.map(said), FINISHED].map(lineOf).join(''))
      const ends = [...new Set([...cuts, all.length])].filter((cut) => cut <= all.length).sort((a, b) => a - b)
      let written = 0
      const clock = quickClock(() => {
        const end = ends.shift() ?? written
        // Bytes, also half a character.
        void machine.files.write(TRACE, all.subarray(0, end))
        written = end
      })
      await machine.files.write(TRACE, '')
      const {events} = await attachTo(machine, {clock})
      expect(events.slice(0, -1)).toMatchObject(texts.map(said))
      expect(events).toHaveLength(texts.length + 1)
    })
    // JSON has line separators of Unicode as they are.
    await fc.assert(property, {examples: [[['\u2028 and \u2029'], []]], numRuns: 50})
  })
})
