import fc from 'fast-check'
import {expect, test} from 'vitest'
import {plainView} from '../../../src/output/run/plain-view.js'
import type {RunResultDocument, TimedEvent} from '../../../src/pipeline/run/events.js'
import {anyResult, anyRun} from './any-run.js'
import {HandTicker} from '../hand-ticker.js'
import {done as finished, failed, failure, NEXT, NOW, planned, success} from './story.js'

/** What Azure's custom script extension keeps of the output. */
const KEPT = 4096

function open(verbose = false) {
  const ticker = new HandTicker()
  let text = ''
  const stream = {write: (part: string) => (text += part)}
  const view = plainView({next: NEXT, now: () => NOW, stream, ticker: ticker.start, verbose})
  return {text: () => text, ticker, view}
}

function show(events: readonly TimedEvent[], verbose = false): string {
  const {text, view} = open(verbose)
  for (const event of events) view.listen(event)
  view.stop()
  return text()
}

test.each([
  {events: success, name: 'success'},
  {events: failure, name: 'failure'},
  {events: planned, name: 'planned'},
])('$name', ({events}) => {
  expect(show(events)).toMatchSnapshot()
})

test('review U2-29: a mistake in the command line has no time, as where no run was opened; a failure later has', () => {
  const end = (exitCode: number): TimedEvent => ({at: at(0), result: {...failed, exitCode}, type: 'run-finished'})
  const TIMED = /^\d{4}-/
  expect(
    show([end(2)])
      .trimEnd()
      .split('\n')
      .filter((line) => TIMED.test(line)),
  ).toEqual([])
  for (const events of [[...failure.slice(0, 1), end(2)], [end(3)]])
    expect(
      show(events)
        .trimEnd()
        .split('\n')
        .filter((line) => !TIMED.test(line)),
    ).toEqual([])
})

test('the end of a failure has outcome, step, ID, fix and log', () => {
  const log = String.raw`C:\k\logs\k8s-win\setup-2026-03-01T12-00-00-000Z.log`
  const end: TimedEvent = {at: '2026-03-01T12:00:00.000Z', result: {...failed, log}, type: 'run-finished'}
  const lines = show([...failure.slice(0, -1), end])
    .trimEnd()
    .split('\n')
  const last = lines.slice(-10).join('\n')
  for (const part of [
    'failed at kubernetes-binaries',
    'DOWNLOAD_FAILED',
    'Run the same command again',
    'code 4',
    log,
  ]) {
    expect(last).toContain(part)
  }
})

test('review U5: a run that failed does not say that the node is Ready', () => {
  const {node} = finished
  const ended = (result: RunResultDocument): string =>
    show([{at: '2026-03-01T12:00:00.000Z', result, type: 'run-finished'}])
  expect(node?.ready).toBe(true)
  expect(ended({...failed, ...(node && {node})})).not.toContain('is Ready')
  expect(ended({...failed, ...(node && {node: {...node, ready: false}})})).toContain('is not Ready')
})

const at = (second: number): string => new Date(Date.parse('2026-03-01T12:00:00Z') + second * 1000).toISOString()
const pulling = (second: number, text: string): TimedEvent => ({
  at: at(second),
  current: second * 1_000_000,
  id: 'base-images',
  text,
  total: 100_000_000,
  type: 'progress',
})
const started: readonly TimedEvent[] = [
  {at: at(0), command: 'setup', steps: [], type: 'run-started'},
  {at: at(0), id: 'base-images', title: 'Pull base images', type: 'step-started'},
]

test('progress is reported when its text is new, and every half minute', () => {
  const events = [0, 1, 29, 30, 31, 32, 33, 59, 60].map((second) => pulling(second, second % 2 === 0 ? 'a' : 'b'))
  const told = show([...started, ...events]).match(/(?<=:\d\d:)\d\d.*(?=\.000Z base-images: [ab])/g)
  expect(told).toEqual(['00', '01', '31'])
})

test('without a terminal a long name is not cut, nor its bytes', () => {
  const text = `downloading ${'x'.repeat(90)}-v1.21.5.tar.gz`
  expect(show([...started, pulling(5, text)])).toMatch(/downloading x{90}-v1\.21\.5\.tar\.gz 5\.0\/100 MB\n$/)
})

test('a step that says nothing for half a minute is reported as alive, and how far it is', () => {
  const {text, ticker, view} = open()
  for (const event of [...started, pulling(5, 'pulling nanoserver')]) view.listen(event)
  const seconds = (count: number): void => ticker.tick((count * 1000) / ticker.ms)
  const beats = (): number => text().split('still at').length - 1
  seconds(29)
  expect(beats()).toBe(0)
  seconds(1)
  expect(beats()).toBe(1)
  expect(text()).toMatch(/ still at base-images \(12s, pulling nanoserver, 5\.0\/100 MB\); about 3 min left\n$/)
  seconds(30)
  expect(beats()).toBe(2)
  seconds(20)
  view.listen({at: at(40), level: 'info', message: 'a word', type: 'log'})
  seconds(29)
  expect(beats()).toBe(2)
  view.stop()
  expect(ticker.isTicking).toBe(false)
})

const TIMES = /(?<=:)\d\d:\d\d(?=\.000Z)/g

test('where the clock leaps, as a simulated one does, no line is more than half a minute after the one before', () => {
  const leap: TimedEvent = {at: at(95), level: 'info', message: 'a word', type: 'log'}
  const shown = show([...started, pulling(5, 'pulling nanoserver'), leap])
  expect(shown.match(TIMES)).toEqual(['00:00', '00:00', '00:05', '00:35', '01:05', '01:35'])
  expect(shown).toMatch(
    /00:35\.000Z still at base-images \(35s, pulling nanoserver, 5\.0\/100 MB\); about 3 min left\n/,
  )
})

test('a clock that was set is not a silence', () => {
  const hours: TimedEvent = {at: at(7200), level: 'info', message: 'a word', type: 'log'}
  expect(show([...started, hours])).not.toContain('still at')
  expect(show([{...hours, at: at(0)}, hours, {...hours, at: at(-7200)}])).not.toContain('still')
})

test('what could not be checked is not reported as passed', () => {
  const check = {durationMs: 1, id: 'permissions', message: 'no answer', result: 'pass', title: 'Permissions'} as const
  const looks: readonly TimedEvent[] = [
    {at: at(0), check, type: 'check'},
    {at: at(0), check: {...check, result: 'not-checked'}, type: 'check'},
    {at: at(0), check: {...check, result: 'fail'}, type: 'check'},
  ]
  const shown = show([...started.slice(0, 1), ...looks, ...started.slice(1)], true)
  expect(shown).toContain('check pass: Permissions: no answer\n')
  expect(shown).toContain('Z Not checked: Permissions: no answer\n')
  expect(shown).toContain('checks: 1 failed, 1 passed, 1 not checked\n')
})

test('the checks are reported as under way, too', () => {
  const {text, ticker, view} = open()
  for (const event of started.slice(0, 1)) view.listen(event)
  ticker.tick(30)
  expect(text()).toMatch(/ still checking \(12s\)\n$/)
})

test('where one of several warnings is out of sight, all are shown again', () => {
  const warnings = Array.from({length: 5}, (_, index): TimedEvent => {
    return {at: at(0), level: 'warn', message: `Mind gap ${index} ${'x'.repeat(900)}`, type: 'log'}
  })
  const text = show([...warnings, ...success.slice(-1)])
  for (let index = 0; index < 5; index++) expect(text.split(`Mind gap ${index}`).length - 1).toBe(2)
})

test('review U2-14: a success ends in three lines: warnings, log, result; each thing is in one line', () => {
  const log = String.raw`C:\k\logs\k8s-win\setup-2026-03-01T12-00-00-000Z.log`
  const long: TimedEvent = {at: at(1), level: 'warn', message: `Mind the gap ${'x'.repeat(300)}`, type: 'log'}
  const before = show([...started, long])
  const text = show([...started, long, {at: at(2), result: {...finished, log}, type: 'run-finished'}])
  expect(before.trimEnd().split('\n')).toHaveLength(3)
  const end = text.slice(before.length).trimEnd().split('\n')
  expect(end).toHaveLength(3)
  expect(end[0]).toContain('warnings: 1, see above')
  expect(end[1]).toContain(log)
  for (const part of ['setup done', 'Node win-1 is Ready', 'ok=2']) expect(end[2]).toContain(part)
  for (const command of NEXT) expect(text).not.toContain(command)
})

test('a run that did nothing does not say that it is done', () => {
  const {node: _, ...idle} = {...finished, command: 'reset', steps: []}
  const lines = show([{at: at(0), result: idle, type: 'run-finished'}])
    .trimEnd()
    .split('\n')
  expect(lines.at(-1)).toContain('reset ended; nothing was changed')
})

test('a warning of long ago is shown again at the end', () => {
  const warning: TimedEvent = {at: at(0), level: 'warn', message: 'Mind the gap', type: 'log'}
  const info: TimedEvent = {at: at(0), level: 'info', message: 'still here', type: 'log'}
  const count = (events: readonly TimedEvent[]): number =>
    show([...events, ...success.slice(-1)]).split('Mind the gap').length - 1
  expect(count([warning])).toBe(1)
  expect(count([warning, ...Array.from({length: 200}, () => info)])).toBe(2)
  const last: TimedEvent = {at: at(0), level: 'warn', message: 'Mind the step', type: 'log'}
  const text = show([warning, ...Array.from({length: 200}, () => info), last, ...success.slice(-1)])
  expect(text.split('Mind the step').length - 1).toBe(1)
})

test('whatever happens: ASCII, a time in every line, the verdict at the end', () => {
  fc.assert(
    fc.property(anyRun, fc.boolean(), (events, verbose) => {
      const shown = show(events, verbose)
      expect(shown).toMatch(/^[\n\x20-\x7E]*$/)
      const lines = shown.trimEnd().split('\n')
      for (const line of lines) {
        expect(line).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z( |$)/)
      }
      if (events.at(-1)?.type !== 'run-finished') return
      expect(lines.at(-1)).toContain('setup')
      expect(lines.at(-1)).toMatch(/ok=2 (?:would-change|changed)=0 skipped=0 failed=1/)
    }),
  )
})

const long = (length: number): string => 'Ünd so weiter '.repeat(length)
const lengthened: fc.Arbitrary<RunResultDocument> = fc
  .tuple(anyResult, fc.integer({max: 40, min: 0}))
  .map(([result, length]) => ({
    ...result,
    errors: (result.errors ?? []).map((error, index) => ({
      ...error,
      cause: `cause ${index}: ${error.cause}${long(length)}`,
      fix: `fix ${index}: ${error.fix}${long(length)}`,
    })),
    outcome: 'failed',
  }))

test('who keeps only the end of the output finds step, ID, cause and fix there, however long the errors are', () => {
  fc.assert(
    fc.property(lengthened, (result) => {
      const end = show([{at: at(0), result, type: 'run-finished'}]).slice(-KEPT)
      expect(end).toContain('setup failed at kubernetes-binaries with exit code 4')
      const [first] = result.errors ?? []
      if (first === undefined) return
      expect(end).toContain(first.id)
      expect(end).toContain('cause 0:')
      expect(end).toContain('fix 0:')
    }),
  )
})

test('a step that another one stopped is not shown as one that is complete', () => {
  const {error} = failed
  if (!error) throw new Error('the story has no error')
  const step = {changes: ['pull x'], durationMs: 10, error, id: 'base-images', state: 'changed', title: 'Pull'} as const
  const at = '2026-03-01T12:00:00.000Z'
  expect(show([{at, step, type: 'step-finished'}])).toContain('base-images: interrupted')
})

test('review U2-17: a wait outside of the steps is named every half minute', () => {
  const {text, ticker, view} = open()
  const wait: TimedEvent = {at: at(2), id: 'smoke-test', text: 'waiting for the pod x: Pending', type: 'progress'}
  for (const event of [...started.slice(0, 1), wait]) view.listen(event)
  ticker.tick(30_000 / ticker.ms)
  expect(text()).toMatch(
    / smoke-test: waiting for the pod x: Pending\n\S+ still waiting for the pod x: Pending \(10s\)\n$/,
  )
})
