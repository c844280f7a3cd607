import {describe, expect, test} from 'vitest'
import {terminalView} from '../../src/output/terminal-view.js'
import {createTheme} from '../../src/output/theme.js'
import type {TimedEvent} from '../../src/pipeline/events.js'
import type {StepId} from '../../src/pipeline/step-id.js'
import {FakeTerminal} from './fake-terminal.js'
import {failure, midway, NEXT, NOW, success} from './story.js'

function show(
  events: readonly TimedEvent[],
  terminal: FakeTerminal,
  options: {unicode?: boolean; verbose?: boolean} = {},
) {
  let tick = (): void => undefined
  let ticking = false
  const view = terminalView({
    next: NEXT,
    now: () => NOW,
    stream: terminal,
    theme: createTheme({colour: true, unicode: options.unicode ?? true}),
    ticker(_ms, onTick) {
      tick = onTick
      ticking = true
      return () => (ticking = false)
    },
    verbose: options.verbose ?? false,
  })
  for (const event of events) {
    view.listen(event)
    tick()
  }
  return {isTicking: () => ticking, tick: () => tick(), view}
}

describe.each([80, 200])('at %i columns', (columns) => {
  test.each([
    {events: midway, name: 'midway'},
    {events: success, name: 'success'},
    {events: failure, name: 'failure'},
  ])('$name', ({events}) => {
    const terminal = new FakeTerminal(columns)
    show(events, terminal)
    expect(terminal.screen).toMatchSnapshot()
  })
})

test('verbose shows passed checks and the changes', () => {
  const terminal = new FakeTerminal(80)
  show(success, terminal, {verbose: true})
  expect(terminal.screen).toContain('Administrator: it is')
  expect(terminal.screen).toContain('made kubernetes-binaries')
})

const many = (count: number): TimedEvent[] =>
  Array.from({length: count}, (_, index) => ({
    at: new Date(NOW).toISOString(),
    id: `step-${index}` as StepId,
    title: `Step ${index}`,
    type: 'step-started' as const,
  }))

test.each([
  {name: 'at most eight rows', rows: 24, shown: 7},
  {name: 'never more than the window has', rows: 4, shown: 2},
])('$name', ({rows, shown}) => {
  const terminal = new FakeTerminal(80, rows)
  const [started] = success
  const {tick} = show([...(started === undefined ? [] : [started]), ...many(20)], terminal)
  for (let frame = 0; frame < 5; frame += 1) tick()
  const live = terminal.lines.filter((line) => line.includes('Step '))
  expect(live).toHaveLength(shown)
  expect(terminal.screen).toContain(`and ${20 - shown} more`)
  expect(terminal.lines[0]).toBe('k8s-win setup: 3 steps')
})

test('a narrow window cuts lines and breaks none', () => {
  for (const columns of [30, 45, 60]) {
    const terminal = new FakeTerminal(columns)
    expect(() => show(failure, terminal)).not.toThrow()
  }
})

test('a console without the symbols gets ASCII ones', () => {
  const terminal = new FakeTerminal(80)
  show(success, terminal, {unicode: false})
  expect(terminal.screen).toMatch(/^[\n\x20-\x7E]*$/)
})

test('stopped midway, the ticker rests and the running rows are gone', () => {
  const terminal = new FakeTerminal(80)
  const {isTicking, view} = show(midway, terminal)
  expect(isTicking()).toBe(true)
  view.stop()
  expect(isTicking()).toBe(false)
  expect(terminal.screen).not.toContain('Install the Kubernetes')
})
