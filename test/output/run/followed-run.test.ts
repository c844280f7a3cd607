// A session hands its run over to a service, and shows it: the run begins twice, and ends once.
import {expect, test} from 'vitest'
import {jsonView, ndjsonView} from '../../../src/output/run/json-view.js'
import {plainView} from '../../../src/output/run/plain-view.js'
import {terminalView} from '../../../src/output/run/terminal-view.js'
import {openScreen} from '../../../src/output/screen.js'
import type {RunResultDocument, TimedEvent} from '../../../src/pipeline/run/events.js'
import {FakeTerminal} from '../fake-terminal.js'
import {HandTicker} from '../hand-ticker.js'
import {done, NOW, success} from './story.js'

/** Of the session: it has checked the host. */
const [started, ...checks] = success.slice(0, 3)
const LOST = 'this SSH session may be lost'
const lost: TimedEvent = {at: success[0]?.at ?? '', level: 'warn', message: LOST, type: 'log'}
const followed = [lost, ...(started ? [started] : []), ...checks, ...success]

function show(events: readonly TimedEvent[]) {
  const terminal = new FakeTerminal(100, 200)
  const text = {json: '', ndjson: '', plain: ''}
  const sink = (to: keyof typeof text) => ({write: (part: string) => (text[to] += part)})
  const ticker = new HandTicker()
  const shared = {next: [], now: () => NOW, ticker: ticker.start, verbose: false}
  const views = [
    terminalView({...shared, screen: openScreen(terminal)}),
    plainView({...shared, stream: sink('plain')}),
    jsonView(sink('json')),
    ndjsonView(sink('ndjson')),
  ]
  for (const event of events) {
    for (const view of views) view.listen(event)
    ticker.tick()
  }
  return {...text, isTicking: ticker.isTicking, terminal: terminal.screen}
}

const countOf = (text: string, pattern: RegExp): number => [...text.matchAll(pattern)].length

test('exactly one document, that of the run', () => {
  const {json, ndjson} = show(followed)
  expect(JSON.parse(json) as RunResultDocument).toEqual(done)
  const types = ndjson
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as TimedEvent).type)
  expect(types.filter((type) => type === 'run-finished')).toHaveLength(1)
  expect(types.at(-1)).toBe('run-finished')
})

test.each(['plain', 'terminal'] as const)('%s: the tally is of the run alone, and the end comes once', (view) => {
  const shown = show(followed)
  const [text, alone] = [shown[view], show(success)[view]]
  expect(countOf(text, /k8s-win setup: 3 steps/g)).toBe(2)
  expect(text).toContain(LOST)
  // One passed, one warning: not two of each.
  expect(countOf(text, /1 passed, 1 warning/g)).toBe(1)
  expect(countOf(text, /setup done/g)).toBe(1)
  // From the second beginning on it is what a view of the run alone shows.
  const tail = text.slice(text.lastIndexOf('k8s-win setup: 3 steps'))
  expect(tail).toBe(alone.slice(alone.lastIndexOf('k8s-win setup: 3 steps')))
  expect(shown.isTicking).toBe(false)
})
