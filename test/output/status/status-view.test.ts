import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {type StatusFormat, statusView, type StatusViewOptions} from '../../../src/output/status/status-view.js'
import {statusRows} from '../../../src/output/status/status-rows.js'
import {statusLines} from '../../../src/output/status/status-text.js'
import {textWidth} from '../../../src/output/text/text-shape.js'
import {openScreen, type Screen} from '../../../src/output/screen.js'
import type {StatusDocument, WatchStatus} from '../../../src/pipeline/run/status-report.js'
import {ABSENT, HEALTHY, SICK_DOCUMENT} from '../../status/documents.js'
import {FakeTerminal} from '../fake-terminal.js'

const plain = (columns: number): Screen => ({...openScreen({write: () => {}}), width: columns - 1})
const onTerminal = (columns: number): Screen => openScreen({columns, isTTY: true, write: () => {}}, {NO_COLOR: '1'})

const REPAIR = {at: '2026-11-15T11:00:00.000Z', outcome: 'repaired', what: 'flanneld'} as const
const WATCHED: WatchStatus = {
  at: '2026-11-15T11:57:00.000Z',
  problems: [],
  repairs: [REPAIR],
  since: REPAIR.at,
  stale: false,
  verdict: 'healthy',
}

describe('the status screen', () => {
  test.each([
    ['healthy', 80, HEALTHY],
    ['healthy', 120, HEALTHY],
    ['sick', 80, SICK_DOCUMENT],
    ['sick', 120, SICK_DOCUMENT],
    ['absent', 80, ABSENT],
    ['paused', 80, {...HEALTHY, paused: {since: REPAIR.at, until: '2026-11-15T14:00:00.000Z'}}],
    ['paused without an end', 80, {...HEALTHY, paused: {since: REPAIR.at, until: null}}],
  ] as const)('%s at %i columns', (_, columns, document) => {
    const lines = statusLines(document, plain(columns))
    expect(lines.join('\n')).toMatchSnapshot()
    expect(lines.filter((line) => line.length >= columns)).toEqual([])
    expect(lines.join('')).toMatch(/^[\x20-\x7E]*$/)
  })

  test.each([
    ['healthy', WATCHED, {}],
    ['stopped', WATCHED, {state: 'stopped'}],
    ['paused', {...WATCHED, detail: 'paused until 14:00', verdict: 'paused'}, {}],
    ['stale', {...WATCHED, stale: true}, {}],
    ['given up', {...WATCHED, repairs: [{...REPAIR, outcome: 'gave up'}], verdict: 'gave-up'}, {}],
    ['without a report', null, {}],
  ] as const)('the row of watch: %s', (_, watch, part) => {
    const [kubelet] = HEALTHY.services
    const services = [{...kubelet!, health: 'none' as const, name: 'k8s-win', since: REPAIR.at, ...part}]
    const rows = statusRows({...HEALTHY, services, watch})
    expect(rows.find(({label}) => label === 'watch')).toMatchSnapshot()
  })

  test('a node that is not watched has no row for it', () => {
    expect(statusRows(HEALTHY).map(({label}) => label)).not.toContain('watch')
  })

  test('wide at 120 columns', () => {
    expect(statusLines(HEALTHY, plain(120), true).join('\n')).toMatchSnapshot()
  })

  test('fits one screen where everything is healthy', () => {
    expect(statusLines(HEALTHY, plain(80)).length).toBeLessThanOrEqual(23)
  })

  test('review U2-29: every problem is Error, Cause and Fix, as in the other commands', () => {
    const text = statusLines(SICK_DOCUMENT, plain(1000)).join('\n')
    for (const {id, next, seen, subject} of SICK_DOCUMENT.problems) {
      expect(text).toContain(`Error: ${subject}: ${seen}\n`)
      expect(text).toContain(`  Fix: ${next}\n`)
      expect(text).toMatch(new RegExp(String.raw`^ {2}ID: ${id}\b`, 'm'))
    }
    expect(text.match(/^ {2}Cause: /gm)).toHaveLength(SICK_DOCUMENT.problems.length)
  })

  test('review U2-18: explain is named for known failures only: of an error it has no more than the message', () => {
    const text = statusLines(SICK_DOCUMENT, plain(1000)).join('\n')
    const named = [...text.matchAll(/k8s-win explain ([\w-]+)/g)].map(([, id]) => id)
    expect(named).toEqual(SICK_DOCUMENT.problems.flatMap(({signature}) => signature ?? []))
    expect(named).not.toEqual([])
  })

  test('review U2-29: what a message names is not said twice', () => {
    const [first] = SICK_DOCUMENT.problems
    const problems = [{...first!, seen: 'The service kubelet is stopped'}]
    const text = statusLines({...SICK_DOCUMENT, problems}, plain(1000)).join('\n')
    expect(text).toContain('Error: The service kubelet is stopped\n')
  })

  test('review U2-29: services have an age, and certificates the time that is left', () => {
    const finishedAt = '2026-11-18T12:00:00.000Z'
    const since = '2026-11-15T08:00:00.000Z'
    const services = HEALTHY.services.map((service) => ({...service, since}))
    const identities = HEALTHY.identities?.map((one) => ({...one, validUntil: '2026-12-18T12:00:00.000Z'})) ?? null
    const texts = statusRows({...HEALTHY, finishedAt, identities, services}).map(({text}) => text)
    expect(texts.filter((text) => text.includes('running for 3d 04h'))).toHaveLength(services.length)
    expect(texts.some((text) => text.includes('(30d left)'))).toBe(true)
  })

  test('whatever is shown, no line is too wide and none steers the terminal', () => {
    const text = fc.string({maxLength: 200, unit: 'binary'})
    // A line of its own is a command to copy there, which is never broken.
    const next = text.map((one) => one.replaceAll('\n', ' '))
    const problem = fc.record({cause: text, next, seen: text, subject: text, wanted: text})
    fc.assert(
      fc.property(fc.array(problem, {maxLength: 3}), fc.integer({max: 200, min: 41}), (problems, columns) => {
        const document = {
          ...HEALTHY,
          problems: problems.map((one) => ({area: 'drift' as const, command: null, id: 'DRIFTED', ...one})),
        }
        for (const screen of [plain(columns), onTerminal(columns)]) {
          for (const line of statusLines(document, screen)) {
            expect(textWidth(line)).toBeLessThan(columns)
            expect(line).not.toMatch(/\p{Cc}/u)
          }
        }
      }),
      {numRuns: 200},
    )
  })
})

function shown(
  options: Partial<StatusViewOptions>,
  stdout: FakeTerminal & {isTTY?: boolean},
  ...documents: StatusDocument[]
): string {
  const show = statusView({environment: {}, format: 'text', platform: 'linux', stdout, watch: false, ...options})
  for (const document of documents) show(document)
  return stdout.screen
}

const terminal = (columns: number, rows = 24, isTTY = true) => Object.assign(new FakeTerminal(columns, rows), {isTTY})
/** No terminal has rows that full. */
class Pipe {
  text = ''
  write(text: string): void {
    this.text += text
  }
}

function piped(format: StatusFormat, watch: boolean, ...documents: StatusDocument[]): string {
  const stdout = new Pipe()
  const show = statusView({environment: {}, format, platform: 'win32', stdout, watch})
  for (const document of documents) show(document)
  return stdout.text
}

describe('how a status is shown', () => {
  test('as text, with colours on a terminal only', () => {
    expect(piped('text', false, HEALTHY)).not.toContain('\u001B')
    expect(shown({}, terminal(100, 40), HEALTHY)).toContain('Healthy')
  })

  test('as JSON: one document, or one line', () => {
    expect(JSON.parse(piped('json', false, SICK_DOCUMENT))).toEqual(SICK_DOCUMENT)
    expect(piped('json', false, HEALTHY).split('\n').length).toBeGreaterThan(10)
    expect(piped('ndjson', false, HEALTHY).trimEnd().split('\n')).toHaveLength(1)
  })

  test.each(['text', 'wide', 'json', 'ndjson'] as const)(
    'while watched without a terminal, one line a look: %s',
    (format) => {
      const lines = piped(format, true, HEALTHY, SICK_DOCUMENT, HEALTHY).trimEnd().split('\n')
      expect(lines.map((line) => (JSON.parse(line) as StatusDocument).exitCode)).toEqual([0, 8, 0])
    },
  )

  test('while watched on a terminal, the screen is drawn again in its place', () => {
    const screen = shown({environment: {NO_COLOR: '1'}, watch: true}, terminal(100, 40), SICK_DOCUMENT, HEALTHY)
    expect(screen).not.toContain('Degraded')
    expect(screen.match(/Healthy/g)).toHaveLength(1)
    expect(screen).toContain('Ctrl-C ends')
  })

  test.each([
    ['one problem', {...SICK_DOCUMENT, problems: SICK_DOCUMENT.problems.slice(0, 1), notChecked: [], warnings: []}],
    ['two, a warning, and something that was not checked', SICK_DOCUMENT],
    ['none', HEALTHY],
  ])('review U7: 80 columns and 24 rows show every part, what is wrong and the verdict: %s', (_, document) => {
    for (const simulated of [false, true]) {
      const screen = shown({environment: {NO_COLOR: '1'}, watch: true}, terminal(80, 24), {...document, simulated})
      const lines = screen.trimEnd().split('\n')
      expect(lines.length).toBeLessThanOrEqual(23)
      expect(lines.every((line) => textWidth(line) < 80)).toBe(true)
      for (const {label} of statusRows(document)) expect(screen).toMatch(new RegExp(`^. ${label} `, 'm'))
      for (const {id, next, subject} of document.problems) {
        expect(screen).toContain(`Error: ${subject}: `)
        expect(screen).toContain(id)
        expect(screen).toContain(next)
      }
      expect(lines.at(-2)).toMatch(/^(?:Healthy|Degraded)/)
      expect(screen).toContain('Ctrl-C ends')
    }
  })

  test('review U7: more problems than rows: the first ones, how many more lines there are, and the verdict', () => {
    const problems = Array.from({length: 9}, () => SICK_DOCUMENT.problems).flat()
    const screen = shown({environment: {NO_COLOR: '1'}, watch: true}, terminal(80, 24), {...SICK_DOCUMENT, problems})
    const lines = screen.trimEnd().split('\n')
    expect(lines).toHaveLength(23)
    expect(lines[0]).toContain('Error: kubelet: ')
    expect(lines.at(-3)).toMatch(/^\(\d+ more lines/)
    expect(lines.at(-2)).toMatch(/^Degraded: 18 problems/)
  })

  test('a window that is too small for all shows what is wrong', () => {
    const screen = shown({environment: {NO_COLOR: '1'}, watch: true}, terminal(80, 12), HEALTHY, SICK_DOCUMENT)
    expect(screen).toContain('Error: kubelet: ')
    expect(screen).not.toContain('firewall')
  })

  test.each([{CI: 'true'}, {TERM: 'dumb'}])('%o is not a terminal to redraw', (environment) => {
    const stdout = Object.assign(new Pipe(), {columns: 80, isTTY: true})
    const show = statusView({environment, format: 'text', platform: 'linux', stdout, watch: true})
    show(HEALTHY)
    expect(JSON.parse(stdout.text)).toEqual(HEALTHY)
  })
})
