import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {endLines} from '../../../src/output/run/terminal-lines.js'
import {terminalView} from '../../../src/output/run/terminal-view.js'
import {openScreen} from '../../../src/output/screen.js'
import type {TimedEvent} from '../../../src/pipeline/run/events.js'
import type {StepId} from '../../../src/pipeline/run/step.js'
import {FakeTerminal} from '../fake-terminal.js'
import {HandTicker} from '../hand-ticker.js'
import {anyRun} from './any-run.js'
import {done, failure, midway, NEXT, NOW, planned, success} from './story.js'

function show(
  events: readonly TimedEvent[],
  terminal: FakeTerminal,
  options: {onEvent?: (ticker: HandTicker) => void; unicode?: boolean; verbose?: boolean} = {},
) {
  const ticker = new HandTicker()
  const view = terminalView({
    next: NEXT,
    now: () => NOW,
    screen: openScreen(terminal, {}, options.unicode === false ? 'win32' : 'linux'),
    ticker: ticker.start,
    verbose: options.verbose ?? false,
  })
  for (const event of events) {
    view.listen(event)
    ticker.tick()
    options.onEvent?.(ticker)
  }
  return {ticker, view}
}

describe.each([80, 200])('at %i columns', (columns) => {
  test.each([
    {events: midway, name: 'midway'},
    {events: success, name: 'success'},
    {events: failure, name: 'failure'},
    {events: planned, name: 'planned'},
  ])('$name', ({events}) => {
    const terminal = new FakeTerminal(columns)
    show(events, terminal)
    expect(terminal.screen).toMatchSnapshot()
  })
})

test('review U11: a plan does not look like changes that were made', () => {
  const terminal = new FakeTerminal(80)
  show(planned, terminal)
  expect(terminal.screen).toMatch(/^○ Write net-conf\.json +would change$/m)
  expect(terminal.screen).toMatch(/^ok=\d+ would-change=\d+ skipped=\d+ failed=\d+$/m)
})

test('verbose shows passed checks and the changes', () => {
  const terminal = new FakeTerminal(80)
  show(success, terminal, {verbose: true})
  expect(terminal.screen).toContain('Administrator: it is')
  expect(terminal.screen).toContain('- made kubernetes-binaries')
})

test.each([
  [30, /✖ Check the… {6}1 failed,…/],
  [80, /✖ Check the host and the cluster {2,}1 failed, 1 passed, 1 not checked/],
])('what failed comes first, also at %i columns; what was not checked is not shown as passed', (columns, line) => {
  const check = {durationMs: 1, id: 'permissions', message: 'no answer', result: 'pass', title: 'Permissions'} as const
  const looks = [check, {...check, result: 'not-checked' as const}, {...check, result: 'fail' as const}]
  const terminal = new FakeTerminal(columns)
  const events = looks.map((one): TimedEvent => ({at, check: one, type: 'check'}))
  show([...success.slice(0, 1), ...events, ...many(1)], terminal, {verbose: true})
  expect(terminal.screen).toMatch(line)
  expect(terminal.screen).toMatch(/^✔ Permissions: no answer$.*^○ Not checked: Permissions:/ms)
})

const at = new Date(NOW).toISOString()
const many = (count: number): TimedEvent[] =>
  Array.from({length: count}, (_, index) => ({
    at,
    id: `step-${index}` as StepId,
    title: `Step ${index}`,
    type: 'step-started' as const,
  }))
const started: TimedEvent = {at, command: 'setup', steps: [], type: 'run-started'}

test.each([
  {name: 'at most twelve rows', rows: 24, shown: 10},
  {name: 'never more than the window has', rows: 4, shown: 1},
  {name: 'one row where there is room for no more', rows: 2, shown: 0},
])('$name', ({rows, shown}) => {
  const terminal = new FakeTerminal(80, rows)
  const {ticker} = show([started, ...many(20)], terminal)
  ticker.tick(5)
  expect(terminal.lines.filter((line) => line.includes('Step '))).toHaveLength(shown)
  expect(terminal.screen).toContain(`and ${20 - shown} more`)
  expect(terminal.lines[0]).toBe('k8s-win setup')
})

test('several downloads and pulls at once, each with its bytes, long names cut in the middle', () => {
  const terminal = new FakeTerminal(100)
  const progress = (id: string, text: string, current: number): TimedEvent => ({
    at,
    current,
    id: id as StepId,
    text,
    total: 200_000_000,
    type: 'progress',
  })
  const events = [
    progress('step-0', 'pulling mcr.microsoft.com/windows/servercore:ltsc2019', 20_000_000),
    progress('step-1', 'downloading kubernetes-node-windows-amd64-v1.21.5.tar.gz', 100_000_000),
    progress('step-2', 'downloading flanneld-v0.28.9.exe', 190_000_000),
  ]
  show([started, ...many(3), ...events], terminal)
  const columns = (text: string): string => text.replaceAll(/ {2,}/g, ' | ')
  expect(terminal.lines.slice(1, 5).map(columns)).toEqual([
    '⠧ Step 0 | 20/200 MB | 0.0s | pulling mcr.microsoft.co…ows/servercore:ltsc2019',
    '⠧ Step 1 | 100/200 MB | 0.0s | downloading kubernetes-…ws-amd64-v1.21.5.tar.gz',
    '⠧ Step 2 | 190/200 MB | 0.0s | downloading flanneld-v0.28.9.exe',
    ' | 0 of 0 steps done | 0.0s',
  ])
})

test('a warning that has left the window is shown again at the end, one that is still there is not', () => {
  const warning: TimedEvent = {at, level: 'warn', message: 'Mind the gap', type: 'log'}
  const info: TimedEvent = {at, level: 'info', message: 'still here', type: 'log'}
  const end = success.slice(-1)
  const count = (events: readonly TimedEvent[]): number => {
    const terminal = new FakeTerminal(80, 24)
    show([started, ...events, ...end], terminal)
    return terminal.lines.filter((line) => line.includes('Mind the gap')).length
  }
  expect(count([warning])).toBe(1)
  expect(count([warning, ...Array.from({length: 30}, () => info)])).toBe(2)
})

test('a run that did nothing does not say that it is done, nor is it green', () => {
  const screen = openScreen(new FakeTerminal(81))
  const {node: _, ...idle} = {...done, command: 'reset', steps: []}
  expect(endLines(idle, {next: [], redact: (text) => text}, screen)).toContain(
    screen.theme.dim('reset ended; nothing was changed'),
  )
})

const size = {columns: fc.integer({max: 200, min: 40}), rows: fc.integer({max: 50, min: 1})}

test('whatever happens, at any size: no row is full, what is done stays, what moves has its few rows', () => {
  fc.assert(
    fc.property(anyRun, fc.record(size), fc.boolean(), (events, {columns, rows}, verbose) => {
      const terminal = new FakeTerminal(columns, rows)
      let kept: readonly string[] = []
      const {view} = show(events, terminal, {
        onEvent(ticker) {
          terminal.lastUp = 0
          ticker.tick()
          const moving = terminal.lastUp
          expect(moving).toBeLessThanOrEqual(Math.min(12, rows - 1))
          const stays = terminal.lines.slice(0, -1 - moving)
          expect(stays.slice(0, kept.length)).toEqual(kept)
          expect(stays.join('')).not.toMatch(/[\u2801-\u28FF]/)
          kept = stays
        },
        verbose,
      })
      view.stop()
      expect(terminal.lines).toEqual([...kept, ''])
    }),
  )
})

test('resized at any moment, it draws within the new width', () => {
  fc.assert(
    fc.property(anyRun, fc.infiniteStream(size.columns), size.rows, (events, widths, rows) => {
      const terminal = new FakeTerminal(80, rows)
      const {view} = show(events, terminal, {
        onEvent(ticker) {
          terminal.resize(widths.next().value as number)
          ticker.tick()
        },
      })
      view.stop()
      expect(terminal.screen).not.toContain('steps done')
    }),
  )
})

test('a window made narrower or wider keeps what is done and leaves nothing of what moved', () => {
  for (const [before, after] of [
    [200, 40],
    [60, 45],
    [40, 200],
  ] as const) {
    const terminal = new FakeTerminal(before)
    const {ticker, view} = show(midway, terminal)
    terminal.resize(after)
    ticker.tick(3)
    expect(terminal.lines.filter((line) => line.includes('steps done'))).toHaveLength(1)
    view.stop()
    expect(terminal.screen).not.toMatch(/steps done|[\u2801-\u28FF]/)
    expect(terminal.screen.replaceAll(/\s/g, '')).toContain(String.raw`PrepareC:\k`)
  }
})

test('a console without the symbols gets ASCII ones', () => {
  const terminal = new FakeTerminal(80)
  show([...midway, ...success.slice(midway.length)], terminal, {unicode: false})
  expect(terminal.screen).toMatch(/^[\n\x20-\x7E]*$/)
})

test('stopped midway, the ticker rests and the running rows are gone', () => {
  const terminal = new FakeTerminal(80)
  const {ticker, view} = show(midway, terminal)
  expect(ticker.isTicking).toBe(true)
  expect(terminal.screen).toContain('Install the Kubernetes')
  view.stop()
  expect(ticker.isTicking).toBe(false)
  expect(terminal.screen).not.toContain('Install the Kubernetes')
})

test.each(['pulling', 'extracting'])(
  'review U2-9: at 80 columns a row says whether bytes are being transferred by %s',
  (verb) => {
    const terminal = new FakeTerminal(80)
    const pulled = (current: number, second: number): TimedEvent => ({
      at: new Date(NOW - 2000 + second * 1000).toISOString(),
      current: current * 1_000_000,
      id: 'step-0' as StepId,
      text: `${verb} mcr.microsoft.com/windows/servercore:ltsc2025`,
      total: 2_270_000_000,
      type: 'progress',
    })
    const [step] = many(1).map((one): TimedEvent => ({...one, title: 'A title that leaves little room'}) as TimedEvent)
    show([started, step as TimedEvent, pulled(100, 0), pulled(120, 1)], terminal)
    expect(terminal.screen).toContain(`${verb} 120/2270 MB  20 MB/s  2 min left`)
  },
)

test.each([
  ['verify', []],
  [
    'setup',
    many(1).flatMap((step): TimedEvent[] => [
      step,
      {at, step: {...done.steps[0]!, id: 'step-0' as StepId}, type: 'step-finished'},
    ]),
  ],
])('review U2-17: what %s waits for while no step runs', (command, steps) => {
  const terminal = new FakeTerminal(80)
  const waiting: TimedEvent = {at, id: 'smoke-test', text: 'waiting for the pod default/x: Pending', type: 'progress'}
  show([{...started, command}, ...steps, waiting], terminal)
  expect(terminal.screen).toMatch(/^. waiting for the pod default\/x: Pending {2}0\.0s$/m)
  expect(terminal.screen).not.toContain('0 done')
})
