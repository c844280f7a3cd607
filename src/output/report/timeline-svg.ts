// A timeline as SVG: one row per step, what it did side by side with the others. Static, for light and dark, without a script.
import {duration} from '../text/figures.js'
import {truncate} from '../text/text-shape.js'
import {type Markup, markup} from './markup.js'

export type PartKind = 'download' | 'wait' | 'work'

/** All times are milliseconds since the beginning. */
export interface TimelineSpan {
  readonly from: number
  readonly text: string
  readonly to: number
}

export interface TimelineRow {
  /** On the critical path: the run took as long as it did because of these. */
  readonly isCritical?: boolean
  readonly isFailed?: boolean
  readonly label: string
  /** In order, one after the other. */
  readonly parts: readonly (TimelineSpan & {readonly kind: PartKind})[]
  /** What was tried again, or warned of. */
  readonly tries?: readonly {readonly at: number; readonly text: string}[]
}

export interface TimelineOptions {
  /** Times in which the network of the host is interrupted. */
  readonly interruptions?: readonly TimelineSpan[]
  /** The same in words, for screen readers. */
  readonly summary: string
  readonly title: string
  readonly totalMs: number
}

const [WIDTH, LABELS, RIGHT, TOP, ROW, BAR] = [960, 244, 64, 34, 24, 12]
const LONGEST_LABEL = 34
/** At most so many lines of the grid. */
const MOST_TICKS = 9
const TICKS_S = [0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 86_400]

const STYLE = markup`<style>
.tl{--ink:#1f2328;--soft:#59636e;--line:#d8dee4;--paper:#fff;--load:#2f74d0;--work:#27937f;--wait:#8c959f;--path:#d4650b;--bad:#cf222e;--cut:#8250df;font:12px system-ui,"Segoe UI",sans-serif}
@media(prefers-color-scheme:dark){.tl{--ink:#e6edf3;--soft:#9da7b1;--line:#343b44;--paper:#0d1117;--load:#5b9cf5;--work:#3fb99f;--wait:#7d8590;--path:#f0883e;--bad:#ff7b72;--cut:#b08af5}}
.tl text{fill:var(--ink)}.tl .soft{fill:var(--soft);font-size:11px;paint-order:stroke;stroke:var(--paper);stroke-width:3px}.tl .end{text-anchor:end}.tl .mid{text-anchor:middle}.tl .main{font-weight:650}
.tl .paper{fill:var(--paper)}.tl .grid{stroke:var(--line)}.tl .download{fill:var(--load)}.tl .work{fill:var(--work)}.tl .wait{fill:url(#tl-wait);stroke:var(--wait)}
.tl .path{stroke:var(--path);fill:none;stroke-width:2}.tl .try{fill:var(--path);stroke:var(--paper)}.tl .bad{stroke:var(--bad);stroke-width:2.5}.tl .cut{fill:var(--cut);opacity:.17}.tl .cut-text{fill:var(--cut)}
</style>`

const HATCHING = markup`<defs><pattern id="tl-wait" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path d="M0 0V5" stroke="var(--wait)" stroke-width="2.5"/></pattern></defs>`

const LEGEND: readonly (readonly [Markup, string])[] = [
  [markup`<rect class="download" y="-10" width="16" height="10" rx="2"/>`, 'download'],
  [markup`<rect class="wait" y="-10" width="16" height="10" rx="2"/>`, 'wait'],
  [markup`<rect class="work" y="-10" width="16" height="10" rx="2"/>`, 'other work'],
  [markup`<path class="path" d="M0 -4H16"/>`, 'critical path'],
  [markup`<path class="try" d="M8 -12l6 6l-6 6l-6 -6z"/>`, 'tried again or warning'],
  [markup`<path class="bad" d="M4 -9l8 8m0 -8l-8 8"/>`, 'failed'],
  [markup`<rect class="cut" y="-12" width="16" height="14"/>`, 'network interrupted'],
]

export function timelineMarkup(rows: readonly TimelineRow[], options: TimelineOptions): Markup {
  const {interruptions = [], summary, title, totalMs} = options
  const scale = (WIDTH - LABELS - RIGHT) / Math.max(totalMs, 1)
  const xOf = (ms: number): number => LABELS + Math.min(Math.max(ms, 0), totalMs) * scale
  const bottom = TOP + rows.length * ROW
  const height = bottom + 44
  return markup`<svg class="tl" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="tl-title tl-desc">
<title id="tl-title">${title}</title><desc id="tl-desc">${summary}</desc>
${STYLE}${HATCHING}<rect class="paper" width="${WIDTH}" height="${height}" rx="6"/>
${ticksOf(totalMs).map((ms) => gridLine(xOf(ms), ms, bottom))}
${interruptions.map(({from, text, to}) => interruption(xOf(from), xOf(to), text, bottom))}
${criticalPath(rows, xOf)}
${rows.map((row, index) => rowMarkup(row, TOP + index * ROW, xOf))}
${legend(height - 12, interruptions.length > 0, rows)}
</svg>`
}

/** Round times from 0 on. */
function ticksOf(totalMs: number): number[] {
  const step = 1000 * (TICKS_S.find((seconds) => totalMs / 1000 / seconds < MOST_TICKS) ?? totalMs / MOST_TICKS / 1000)
  return Array.from({length: Math.floor(totalMs / step) + 1}, (_, index) => index * step)
}

const gridLine = (x: number, ms: number, bottom: number): Markup =>
  markup`<path class="grid" d="M${x} ${TOP - 6}V${bottom}"/><text class="soft mid" x="${x}" y="${TOP - 12}">${ms === 0 ? '0' : tickText(ms)}</text>\n`

const tickText = (ms: number): string => duration(ms).replace('.0s', 's').replace(' 00s', '')

function interruption(from: number, to: number, text: string, bottom: number): Markup {
  const width = Math.max(to - from, 2)
  const side =
    from + width / 2 > WIDTH / 2
      ? markup`class="soft cut-text end" x="${from + width}"`
      : markup`class="soft cut-text" x="${from}"`
  return markup`<g><title>${text}</title><rect class="cut" x="${from}" y="${TOP - 6}" width="${width}" height="${bottom - TOP + 6}"/><text ${side} y="${bottom + 12}">${text}</text></g>\n`
}

/** From the end of each step on it to the beginning of the next. */
function criticalPath(rows: readonly TimelineRow[], xOf: (ms: number) => number): Markup[] {
  const places = rows.flatMap(({isCritical, parts}, index) => {
    const [first, last] = [parts[0], parts.at(-1)]
    return isCritical && first && last
      ? [{from: xOf(first.from), to: xOf(last.to), y: TOP + index * ROW + ROW - 3}]
      : []
  })
  return [...places]
    .sort((one, other) => one.from - other.from || one.to - other.to)
    .map(({from, to, y}, index, all) => {
      const next = all[index + 1]
      return markup`<path class="path" d="M${from} ${y}H${Math.max(to, from + 2)}${next ? `V${next.y}` : ''}"/>\n`
    })
}

function rowMarkup(
  {isCritical, isFailed, label, parts, tries = []}: TimelineRow,
  top: number,
  xOf: (ms: number) => number,
): Markup {
  const [first, last] = [parts[0], parts.at(-1)]
  const middle = top + ROW / 2
  const name = markup`<text class="${isCritical ? 'end main' : 'end'}" x="${LABELS - 10}" y="${middle + 4}">${truncate(label, LONGEST_LABEL)}</text>`
  if (!first || !last)
    return markup`<g>${name}<text class="soft" x="${LABELS + 4}" y="${middle + 4}">not run</text></g>\n`
  const end = Math.max(xOf(last.to), xOf(first.from) + 2)
  return markup`<g>${name}${parts.map(({from, kind, text, to}) => {
    const title = `${label}: ${text}, ${duration(to - from)}`
    return markup`<rect class="${kind}" x="${xOf(from)}" y="${middle - BAR / 2}" width="${Math.max(xOf(to) - xOf(from), 2)}" height="${BAR}" rx="2"><title>${title}</title></rect>`
  })}${tries.map(({at, text}) => markup`<path class="try" d="M${xOf(at)} ${middle - 7}l6 7l-6 7l-6 -7z"><title>${text}</title></path>`)}${
    isFailed ? markup`<path class="bad" d="M${end + 5} ${middle - 5}l10 10m0 -10l-10 10"/>` : ''
  }<text class="soft" x="${end + (isFailed ? 20 : 6)}" y="${middle + 4}">${duration(last.to - first.from)}</text></g>\n`
}

/** Of what there is. */
function legend(y: number, isCut: boolean, rows: readonly TimelineRow[]): Markup[] {
  const has = new Set<string>([
    ...rows.flatMap(({parts}) => parts.map(({kind}) => (kind === 'work' ? 'other work' : kind))),
    ...(rows.some(({isCritical}) => isCritical) ? ['critical path'] : []),
    ...(rows.some(({tries = []}) => tries.length > 0) ? ['tried again or warning'] : []),
    ...(rows.some(({isFailed}) => isFailed) ? ['failed'] : []),
    ...(isCut ? ['network interrupted'] : []),
  ])
  let x = LABELS
  return LEGEND.filter(([, text]) => has.has(text)).map(([sign, text]) => {
    const item = markup`<g transform="translate(${x} ${y})">${sign}<text class="soft" x="21" y="-1">${text}</text></g>`
    x += 38 + text.length * 6.2
    return item
  })
}
