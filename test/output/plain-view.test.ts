import fc from 'fast-check'
import {expect, test} from 'vitest'
import {plainView} from '../../src/output/plain-view.js'
import type {RunEvent, RunResultDocument, TimedEvent} from '../../src/pipeline/events.js'
import {failed, failure, NEXT, success} from './story.js'

function show(events: readonly TimedEvent[], verbose = false): string {
  let text = ''
  const view = plainView({next: NEXT, stream: {write: (part) => (text += part)}, verbose})
  for (const event of events) view.listen(event)
  return text
}

test.each([
  {events: success, name: 'success'},
  {events: failure, name: 'failure'},
])('$name', ({events}) => {
  expect(show(events)).toMatchSnapshot()
})

test('the end of a failure has outcome, step, ID and fix', () => {
  const lines = show(failure).trimEnd().split('\n')
  const end = lines.slice(-9).join('\n')
  for (const part of [
    'failed at kubernetes-binaries',
    'DOWNLOAD_FAILED',
    'Run the same command again',
    'exit code 4',
  ]) {
    expect(end).toContain(part)
  }
})

test('progress is told when its text changes, and every ten seconds', () => {
  const at = (second: number, text: string): TimedEvent => ({
    at: new Date(second * 1000).toISOString(),
    current: second * 1_000_000,
    id: 'base-images',
    text,
    type: 'progress',
  })
  const events = [
    at(0, 'pulling a'),
    at(1, 'pulling a'),
    at(9, 'pulling a'),
    at(10, 'pulling a'),
    at(11, 'pulling b'),
    at(12, 'pulling b'),
  ]
  const seconds = show(events).match(/(?<=T00:00:)\d\d/g)
  expect(seconds).toEqual(['00', '10', '11'])
})

const text = fc.oneof(fc.string({maxLength: 400, unit: 'grapheme'}), fc.string({maxLength: 400, unit: 'binary'}))
const error = fc.record({
  cause: text,
  fix: text,
  id: fc.constant('SOME_ID'),
  message: text,
  url: fc.constant('docs/errors.md#some_id'),
})
const result: fc.Arbitrary<RunResultDocument> = fc
  .record({
    errors: fc.array(error, {minLength: 1}),
    outcome: fc.constantFrom('done', 'failed', 'interrupted', 'planned', 'restart-required'),
  })
  .map(({errors, outcome}) => ({...failed, errors, outcome}))
const event: fc.Arbitrary<RunEvent> = fc.oneof(
  text.map((message): RunEvent => ({level: 'warn', message, type: 'log'})),
  text.map((title): RunEvent => ({id: 'docker', title, type: 'step-started'})),
  text.map((part): RunEvent => ({current: 5, id: 'docker', text: part, type: 'progress'})),
  text.map((message): RunEvent => ({
    check: {durationMs: 1, id: 'c', message, result: 'fail', title: 'C'},
    type: 'check',
  })),
)

test('whatever happens: ASCII, a time in every line, at most 120 columns, the verdict at the end', () => {
  fc.assert(
    fc.property(fc.array(event), result, (events, end) => {
      const at = '2026-03-01T12:00:00.000Z'
      const shown = show([...events, {result: end, type: 'run-finished'} as const].map((each) => ({at, ...each})))
      expect(shown).toMatch(/^[\n\x20-\x7E]*$/)
      const lines = shown.trimEnd().split('\n')
      for (const line of lines) {
        expect(line.length).toBeLessThanOrEqual(120)
        expect(line.startsWith(at)).toBe(true)
      }
      expect(lines.at(-1)).toContain('setup')
      expect(lines.at(-2)).toContain('ok=2 changed=0 skipped=0 failed=1')
    }),
  )
})
