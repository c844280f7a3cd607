// A run on a terminal, as the view draws it: a moment while it downloads, and its end.
import {INSTALLED} from '../../../src/cli/arguments/typed-commands.js'
import {terminalView} from '../../../src/output/run/terminal-view.js'
import {openScreen} from '../../../src/output/screen.js'
import type {TimedEvent} from '../../../src/pipeline/run/events.js'
import {duration} from '../../../src/output/text/figures.js'
import {FakeTerminal} from '../../output/fake-terminal.js'
import {escaped, rectangle, svg, WIDTH, words} from './svg.js'

export const NEXT = [String.raw`k8s-win status --base-dir c:\k`, ...INSTALLED.next]

const COLUMNS = 80
/** Higher than the run, so that nothing leaves it at the top. */
const ROWS = 60
const [LETTER, LINE, MARGIN] = [9.2, 20, 28]
const LAST_LINES = 12
/** While the largest archive is on its way, others are too. */
const DOWNLOAD = 'kubernetes-binaries'
const SHARE = 0.6

type Row = FakeTerminal['painted'][number]

export function terminalPicture(events: readonly TimedEvent[], typed: string): string {
  const moment = events.findIndex(
    (event) =>
      event.type === 'progress' && event.id === DOWNLOAD && (event.current ?? 0) >= SHARE * (event.total ?? Infinity),
  )
  const during = [[{column: 0, paint: '1', text: typed}], ...rowsAfter(events.slice(0, moment + 1))]
  const end = rowsAfter(events).slice(-LAST_LINES)
  const top = 44
  const middle = top + during.length * LINE + 28
  const height = middle + 24 + end.length * LINE + 14
  const since = (event: TimedEvent | undefined): string =>
    duration(Date.parse(event?.at ?? '') - Date.parse(events[0]?.at ?? ''))
  return svg({
    body: [
      ...bar(
        0.5,
        `On a simulated host, ${since(events[moment])} after the start: programs are downloaded side by side`,
      ),
      ...during.flatMap((row, index) => line(row, top + (index + 0.75) * LINE)),
      ...bar(middle - 14, `${since(events.at(-1))} after the start: the end of the same run`),
      ...end.flatMap((row, index) => line(row, middle + 24 + (index + 0.75) * LINE)),
    ],
    description: `Two moments of k8s-win setup in a console. ${spoken(during)} … ${spoken(end)}`,
    height,
    title: 'k8s-win setup turns a host into a Ready node',
  })
}

/** What the terminal shows when the last of these has happened. */
function rowsAfter(events: readonly TimedEvent[]): Row[] {
  const stream = new FakeTerminal(COLUMNS, ROWS)
  let now = 0
  let tick = (): void => undefined
  const ticker = (_: number, draw: () => void) => {
    tick = draw
    return () => (tick = () => undefined)
  }
  const view = terminalView({next: NEXT, now: () => now, screen: openScreen(stream), ticker, verbose: false})
  for (const event of events) {
    now = Date.parse(event.at)
    view.listen(event)
  }
  tick()
  const rows = [...stream.painted]
  while (rows.at(-1)?.length === 0) rows.pop()
  return rows
}

const bar = (y: number, text: string): string[] => [
  rectangle({height: 30, width: WIDTH - 1, x: 0.5, y}, 'panel'),
  words(MARGIN, y + 20, text, {look: 'dim small', room: WIDTH - 2 * MARGIN}),
]

/** The numbers of SGR that the theme of the screen uses. */
const PAINTS: Readonly<Record<string, string>> = {1: 'bold', 2: 'dim', 31: 'bad', 32: 'good', 33: 'changed'}

/** Each part begins in its column, whatever the font. */
const line = (row: Row, y: number): string[] =>
  row.map(({column, paint, text}) => {
    const painted = paint.split(' ').flatMap((number) => PAINTS[number] ?? [])
    const look = painted.some((name) => name !== 'bold') ? painted : ['text', ...painted]
    const shown = text.trimEnd()
    const x = (MARGIN + column * LETTER).toFixed(1)
    const length = (shown.length * LETTER).toFixed(1)
    return `<text class="mono console ${look.join(' ')}" x="${x}" y="${y}" textLength="${length}">${escaped(shown)}</text>`
  })

/** Without symbols, which would be read aloud. */
const spoken = (rows: readonly Row[]): string =>
  rows
    .map((row) => row.map(({text}) => text).join(' '))
    .map((text) =>
      text
        .replaceAll(/[^ -~]/g, '')
        .replaceAll(/ {2,}/g, ' ')
        .trim(),
    )
    .filter((text) => text !== '')
    .join('; ')
