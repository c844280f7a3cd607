// doctor's report as people and programs get it.
import {describe, expect, it} from 'vitest'
import {type DoctorCheck, doctorDocument} from '../../../src/output/doctor/doctor-document.js'
import {doctorView} from '../../../src/output/doctor/doctor-view.js'
import {doctorLines} from '../../../src/output/doctor/doctor-text.js'
import {openScreen, type Sink} from '../../../src/output/screen.js'

const check = (id: string, fields: Partial<DoctorCheck> = {}): DoctorCheck => ({
  durationMs: 12,
  id,
  message: 'all is well',
  result: 'pass',
  title: `The ${id}`,
  ...fields,
})

const long =
  'a text that goes on and on so that it does not fit on one line of any terminal that people use for their work'
const CHECKS = [
  check('one', {notice: `M\u00FCll \u001B[2J ${long}`}),
  check('two', {fix: 'Do this.', message: long, result: 'warn'}),
  check('three', {
    cause: `${long}.`,
    durationMs: 60_000,
    fix: `${long}.`,
    message: 'M\u00fcll \u001b[2J',
    result: 'fail',
  }),
  check('four', {message: 'no answer', result: 'not-checked'}),
]
const DOCUMENT = doctorDocument({
  baseDir: 'C:\\k',
  durationMs: 61_000,
  finishedAt: 61_000,
  simulated: false,
  groups: [
    {checks: CHECKS.slice(0, 2), id: 'windows', title: 'Windows'},
    {checks: CHECKS.slice(2), id: 'node', title: 'Node'},
  ],
  health: 'degraded',
  node: 'set-up',
  problems: [
    {
      area: 'runtime',
      cause: `${long}.`,
      command: 'net start docker',
      consequences: 1,
      dependents: 3,
      id: 'DOCKER_STOPPED',
      next: 'net start docker',
      seen: 'it is stopped',
      subject: 'docker',
      wanted: 'it answers',
    },
    {
      area: 'node',
      cause: 'x',
      command: null,
      explainedBy: 'DOCKER_STOPPED',
      id: 'NODE_UNREADY',
      next: 'x',
      seen: 'x',
      subject: 'win-1',
      wanted: 'Ready',
    },
  ],
  startedAt: 0,
  notChecked: [],
})

function shown(format: 'json' | 'ndjson' | 'text', sink: Partial<Sink> = {}, verbose = true): string {
  let text = ''
  const stdout = {...sink, write: (part: string) => (text += part)}
  const view = doctorView({environment: {NO_COLOR: '1'}, format, now: () => 0, platform: 'win32', stdout, verbose})
  for (const one of CHECKS) view.check({...one, group: 'node'})
  view.finish(DOCUMENT)
  return text
}

describe('as text', () => {
  it('without a terminal: plain ASCII, grouped, each with its time, the verdict last', () => {
    const text = shown('text')
    expect(text).toMatch(/^[\x20-\x7e\n]+$/)
    expect(text).toContain('\n\nWindows\n  + The one: all is well')
    expect(text).toMatch(/ 0\.0s\n/)
    expect(text).toMatch(/x The three: M\\u00fcll +1m 00s\n/)
    expect(text).toMatch(/\n {2}- Not checked: The four: no answer/)
    expect(text.trimEnd().split('\n').at(-1)).toBe('1 failed, 1 passed, 1 warning, 1 not checked (exit code 3, 1m 01s)')
  })

  it('on a terminal: how far it is, taken away before the report', () => {
    const text = shown('text', {columns: 80, isTTY: true})
    expect(text).toMatch(/^1 checks done, last: The one\n/)
    expect(text).toContain('4 checks done, last: The four')
    const erased = text.lastIndexOf('\u001b[0J')
    expect(text.slice(erased)).not.toContain('checks done')
    expect(text.slice(erased)).toContain('Windows')
  })

  it('on one that is not to be redrawn, and elsewhere, the report alone', () => {
    expect(shown('text')).not.toContain('checks done')
  })

  it.each([60, 80, 120, 200])('fits into %i columns', (columns) => {
    const text = shown('text', {columns, isTTY: true})
    const lines = text.slice(text.lastIndexOf('\u001b[0J') + 4).split('\n')
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns)
    expect(lines.filter((line) => /\dm?s$|\ds$/.test(line)).length).toBeGreaterThanOrEqual(4)
  })
})

it('review U6: the root cause of the failures comes first, what depends on it folded', () => {
  const text = shown('text')
  expect(text).toMatch(/^C:\\k: .*\n\nx Error: docker: it is stopped\n/)
  expect(text).toContain('1 problem depends on this: win-1 (NODE_UNREADY)')
  expect(text).toContain('3 checks depend on this')
  expect(text.match(/^x /gm)).toHaveLength(1)
})

describe('review U2-22: what needs attention comes first', () => {
  it('and alone, unless every check is asked for', () => {
    const text = shown('text', {}, false)
    expect(text.indexOf('The two')).toBeGreaterThan(text.indexOf('Error: docker'))
    expect(text).not.toMatch(/The (?:one|three|four)/)
    expect(text).toContain('-v shows every check')
  })

  it('with every check, in the order of the groups', () => {
    const text = shown('text')
    const places = [
      'Error: docker',
      'Warnings',
      'Notices',
      'Windows',
      'The one',
      'Node',
      'The three',
      'The four',
      '1 failed',
    ]
    const found = places.map((part) => text.indexOf(part))
    expect(found).not.toContain(-1)
    expect(found).toEqual([...found].sort((one, other) => one - other))
  })

  it('also what could not be checked, where nothing else explains the verdict', () => {
    const document = doctorDocument({...DOCUMENT, finishedAt: 0, health: 'unknown', problems: [], startedAt: 0})
    expect(doctorLines(document, openScreen({write() {}}), false).join('\n')).toContain('Not checked: The four')
  })
})

describe('for programs', () => {
  it('json: one document', () => {
    expect(JSON.parse(shown('json'))).toEqual(JSON.parse(JSON.stringify(DOCUMENT)))
    expect(DOCUMENT).toMatchObject({
      exitCode: 3,
      recap: {failed: 1, notChecked: 1, passed: 1, warned: 1},
      verdict: 'failed',
    })
  })

  it('ndjson: a line a check, the document last', () => {
    const lines = shown('ndjson')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(lines.map(({type}) => type)).toEqual(['check', 'check', 'check', 'check', 'run-finished'])
    expect(lines.every(({at}) => at === '1970-01-01T00:00:00.000Z')).toBe(true)
    expect(lines[0]).toMatchObject({check: {group: 'node', id: 'one'}})
    expect(lines.at(-1)).toMatchObject({result: {command: 'doctor'}})
  })
})
