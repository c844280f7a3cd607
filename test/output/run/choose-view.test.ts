import {PassThrough} from 'node:stream'
import {expect, test} from 'vitest'
import {chooseView, type ViewChoice} from '../../../src/output/run/choose-view.js'
import {createRedactor} from '../../../src/output/text/redact.js'
import {openScreen} from '../../../src/output/screen.js'
import type {TimedEvent} from '../../../src/pipeline/run/events.js'
import {NOW, planned, success} from './story.js'

function show(choice: Partial<ViewChoice>, isTTY: boolean, events: readonly TimedEvent[] = success) {
  const stream = (): NodeJS.WriteStream =>
    Object.assign(new PassThrough(), {columns: 80, isTTY, rows: 24}) as unknown as NodeJS.WriteStream
  const stderr = stream()
  const stdout = stream()
  const view = chooseView({
    environment: {},
    format: 'text',
    next: [],
    now: () => NOW,
    platform: 'linux',
    redact: createRedactor().redact,
    stderr,
    stdout,
    verbose: false,
    ...choice,
  })
  for (const event of events) view.listen(event)
  view.stop()
  const textOf = (from: NodeJS.WriteStream): string => String((from as unknown as PassThrough).read() ?? '')
  return {stderr: textOf(stderr), stdout: textOf(stdout)}
}

const ESCAPE = '\u001B['

test.each([
  {choice: {}, colour: true, isTTY: true, live: true, name: 'a terminal'},
  {choice: {environment: {NO_COLOR: '1'}}, colour: false, isTTY: true, live: true, name: 'NO_COLOR'},
  {choice: {environment: {CI: 'true'}}, colour: false, isTTY: true, live: false, name: 'CI'},
  {choice: {environment: {NO_COLOR: ''}}, colour: true, isTTY: true, live: true, name: 'an empty NO_COLOR'},
  {choice: {environment: {TERM: 'dumb'}}, colour: false, isTTY: true, live: false, name: 'a dumb terminal'},
  {choice: {}, colour: false, isTTY: false, live: false, name: 'no terminal'},
])('$name: live $live, colour $colour', ({choice, colour, isTTY, live}) => {
  const {stderr, stdout} = show(choice, isTTY)
  expect(stdout).toBe('')
  expect(stderr.includes('✔')).toBe(live)
  expect(stderr.includes(`${ESCAPE}32m`)).toBe(colour)
  expect(stderr.includes(`${ESCAPE}0J`)).toBe(live)
})

test('json: the document on stdout, the progress on stderr', () => {
  const {stderr, stdout} = show({format: 'json'}, false)
  expect(JSON.parse(stdout)).toMatchObject({outcome: 'done'})
  expect(stderr).toContain('setup done')
})

test('ndjson: everything on stdout, nothing on stderr', () => {
  const {stderr, stdout} = show({format: 'ndjson'}, false)
  expect(stdout.trimEnd().split('\n')).toHaveLength(success.length)
  expect(stderr).toBe('')
})

test.each([true, false])(
  'review U2-13: the plan of a dry run is on stdout, its summary first (terminal: %s)',
  (isTTY) => {
    const steps = planned.flatMap((event) => (event.type === 'step-finished' ? [event.step] : []))
    const events = planned.map((event) =>
      event.type === 'run-finished' ? {...event, result: {...event.result, steps, summary: ['downloads: 1']}} : event,
    )
    const {stderr, stdout} = show({dryRun: true}, isTTY, events)
    const lines = stdout.trimEnd().split('\n')
    expect(lines[1]).toBe('  downloads: 1')
    for (const {id, state} of steps) expect(stdout.includes(`(${id})`)).toBe(state === 'would-change')
    expect(stdout).toContain('+  "VNI": 4096,')
    expect(stdout.includes('flannel VXLAN UDP 4789" dir=in action=allow protocol=UDP\n')).toBe(!isTTY)
    expect(stderr).toContain('would-change=1')
    expect(stderr).not.toContain('VNI')
  },
)

test('review U2-13: with --json the plan is in the document alone', () => {
  const {stderr, stdout} = show({dryRun: true, format: 'json'}, false, planned)
  expect(JSON.parse(stdout)).toMatchObject({outcome: 'planned'})
  expect(stderr).not.toContain('VNI')
})

test('no view sees a secret, not even one that a line break would cut in two', () => {
  const message = `${'word '.repeat(14)}token: abcdef0123456789abcdef0123456789`
  const event: TimedEvent = {at: '2026-03-01T12:00:00.000Z', level: 'warn', message, type: 'log'}
  for (const format of ['text', 'json', 'ndjson'] as const) {
    for (const isTTY of [true, false]) {
      const {stderr, stdout} = show({format}, isTTY, [event])
      expect(stderr + stdout).not.toContain('abcdef')
    }
  }
})

test('the old Windows console gets ASCII symbols', () => {
  const good = (environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): string =>
    openScreen({isTTY: true, write: () => {}}, environment, platform).theme.symbols.good
  expect(good({}, 'win32')).toBe('+')
  expect(good({WT_SESSION: 'x'}, 'win32')).toBe('✔')
  expect(good({}, 'linux')).toBe('✔')
})
