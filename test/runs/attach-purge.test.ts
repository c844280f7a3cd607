// attach to a reset --purge, which removes its log and leaves no result: its end is believed only where all that is left agrees.
import {describe, expect, test} from 'vitest'
import type {Clock} from '../../src/machine/clock.js'
import type {Machine} from '../../src/machine/machine.js'
import {openRealClock} from '../../src/machine/real/clock.js'
import {traceOf} from '../../src/output/run/run-log.js'
import {EventBus, type RunResultDocument, type TimedEvent} from '../../src/pipeline/run/events.js'
import {attach} from '../../src/runs/attach/attach.js'
import {PURGE_TITLE} from '../../src/runs/reset/removals.js'
import {takeLock} from '../../src/runs/run-lock.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {HostFolder} from '../steps/host-folder.js'

const FOLDER = String.raw`C:\k\logs\k8s-win`
const LOG = `${FOLDER}\\reset-1.log`
const RECORD = String.raw`C:\k\k8s-win\lock.json`
const RESULT = String.raw`C:\k\k8s-win\result.json`
const JOURNAL = String.raw`C:\k\k8s-win\journal.ndjson`
const CLOSED = 'O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)'
const HOLDER = {command: 'k8s-win reset --purge', log: LOG, processId: 4242, user: 'SYSTEM'}
const HOUR = 3_600_000

const lineOf = (event: object): string => `2026-11-15T00:00:00.000Z event ${JSON.stringify(event)}\n`
const STEP = {changes: ['stop the service kubelet'], durationMs: 5, id: 'daemons', state: 'changed', title: 'Stop'}
const begun = (title: string): string =>
  lineOf({
    command: 'reset',
    steps: [
      {id: 'daemons', title: 'Stop'},
      {id: 'records', title},
    ],
    type: 'run-started',
  }) + lineOf({step: STEP, type: 'step-finished'})

/** Time passes at once; something happens when attach has read the log once. */
function quickClock(onFirst: () => Promise<void>): Clock {
  let [looks, now] = [0, 0]
  return {
    ...openRealClock(),
    elapsed: () => now,
    now: () => now,
    async sleep(ms, signal) {
      now += ms
      if (++looks === 1) await onFirst()
      signal?.throwIfAborted()
    },
  }
}

interface End {
  /** What the run does after attach has read its log, before it releases the lock. */
  readonly does?: (machine: Machine) => Promise<unknown>
  /** Events of Windows: number, and when, from the moment that the lock is held. */
  readonly ends?: readonly (readonly [id: number, at: number])[]
  readonly keepsLog?: boolean
  readonly provider?: string
  readonly title?: string
}

async function attached({does, ends = [], keepsLog = false, provider = 'k8s-win', title = PURGE_TITLE}: End) {
  const host = await HostFolder.fresh()
  const since = host.world.os.time
  host.edit(({os}) => {
    const events = ends.map(([id, at]) => ({at: since + at, data: ['x'], id, level: 4, provider}))
    os.eventLogs = {...os.eventLogs, Application: events}
  })
  const machine = await openSimulator({dir: host.dir, profile: 'ws2019'})
  const lock = await takeLock(machine, RECORD)
  await machine.files.makeDirectory(FOLDER, {security: CLOSED})
  for (const file of [LOG, traceOf(LOG)]) await machine.files.append(file, begun(title))
  await lock.sign(HOLDER)
  const bus = new EventBus(() => 0)
  const events: TimedEvent[] = []
  bus.listen((event) => events.push(event))
  const clock = quickClock(async () => {
    await does?.(machine)
    if (!keepsLog) for (const file of [LOG, traceOf(LOG)]) await machine.files.remove(file)
    await lock.release()
  })
  const {signal} = new AbortController()
  const result = await attach({baseDir: undefined, bus, clock, environment: {}, machine, signal})
  return {events, result}
}

describe('attach to a reset --purge', () => {
  test('ends with 0 where everything is removed and the Windows event says so', async () => {
    const {events, result} = await attached({ends: [[1, HOUR]]})
    expect(result).toMatchObject({
      changesPending: false,
      command: 'reset',
      exitCode: 0,
      outcome: 'done',
      recap: {changed: 1, failed: 0},
      steps: [STEP],
    })
    expect(events.map(({type}) => type)).toEqual(['run-started', 'step-finished', 'log', 'run-finished'])
    expect(events.at(-1)).toMatchObject({result})
  })

  test.each<[string, End]>([
    ['there is no event', {}],
    ['the event is of an earlier run', {ends: [[1, -HOUR]]}],
    ['the event says that it failed', {ends: [[3, HOUR]]}],
    [
      'events contradict each other, because any account can write one',
      {
        ends: [
          [3, HOUR],
          [1, HOUR + 1],
        ],
      },
    ],
    [
      'so many events were added that the older ones are not seen',
      {ends: [[3, HOUR], ...Array.from({length: 200}, (_, nth) => [1, HOUR + 1 + nth] as const)]},
    ],
    ['the event is of another source', {ends: [[1, HOUR]], provider: 'Application'}],
    ['the log is still there', {ends: [[1, HOUR]], keepsLog: true}],
    ['the run was not to remove its log', {ends: [[1, HOUR]], title: 'Close the journal'}],
    [
      'a journal is left',
      {does: ({files}) => files.write(JOURNAL, 'damaged\n', {sddl: 'O:BAD:PAI(A;;FA;;;SY)'}), ends: [[1, HOUR]]},
    ],
  ])('is not taken for a finished one where %s', async (_, end) => {
    await expect(attached(end)).rejects.toMatchObject({exitCode: 5, id: 'RUN_ENDED_UNSEEN'})
  })

  test('ends as its result says, where it failed after it had removed its log', async () => {
    const document = (machine: Machine, startedAt: number): string => {
      const times = [startedAt, machine.clock.now() + HOUR].map((time) => new Date(time).toISOString())
      return JSON.stringify({
        command: 'reset',
        exitCode: 7,
        finishedAt: times[1],
        outcome: 'failed',
        startedAt: times[0],
      })
    }
    const save = (startedAt: number) => (machine: Machine) =>
      machine.files.write(RESULT, document(machine, startedAt), {sddl: 'O:BAD:PAI(A;;FA;;;SY)(A;;FA;;;BA)'})
    const {events, result} = await attached({does: save(0), ends: [[3, HOUR]]})
    expect(result).toMatchObject({exitCode: 7, outcome: 'failed'} satisfies Partial<RunResultDocument>)
    expect(events.map(({type}) => type)).toEqual(['run-started', 'step-finished', 'run-finished'])
    // Of a run that began later.
    const later = attached({does: (machine) => save(machine.clock.now() + 1)(machine), ends: [[3, HOUR]]})
    await expect(later).rejects.toMatchObject({id: 'RUN_ENDED_UNSEEN'})
  })
})
