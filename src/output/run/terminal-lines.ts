// The lines of the terminal view that stay: finished steps, checks, notices, the end. Pure functions of what happened.
import type {CheckResult, RunResultDocument, StepResult} from '../../pipeline/run/events.js'
import {errorLines, fitLine} from '../text/error-text.js'
import {duration} from '../text/figures.js'
import type {CheckTally} from './run-board.js'
import {breakHard, printable, textWidth, truncate, wrap} from '../text/text-shape.js'
import type {Theme} from '../text/theme.js'
import {checkText, errorsOf, isCutShort, isIdle, nodeLine, recapLine, tallyText, verdictLine} from './verdict.js'

type StepPaint = 'bad' | 'changed' | 'dim' | 'good'

const STATES: Readonly<Record<StepResult['state'], readonly [keyof Theme['symbols'], string, StepPaint]>> = {
  changed: ['good', 'changed', 'changed'],
  failed: ['bad', 'failed', 'bad'],
  'in-place': ['good', 'ok', 'good'],
  'not-run': ['idle', 'not run', 'dim'],
  skipped: ['idle', 'skipped', 'dim'],
  'would-change': ['good', 'would change', 'changed'],
}

const CUT_SHORT: (typeof STATES)['not-run'] = ['warn', 'interrupted', 'dim']

/** The others were not done here. */
const TOOK_TIME: ReadonlySet<StepResult['state']> = new Set(['changed', 'failed', 'in-place'])

const WIDEST_STATE = 'changed'.length

const CHECKS_TITLE = 'Check the host and the cluster'

/** Columns that all titles of a run take, so that what follows them stands in one column. */
export function titleColumns(titles: readonly string[], width: number): number {
  const longest = Math.max(...[CHECKS_TITLE, ...titles].map((title) => textWidth(printable(title))))
  // Half of a narrow row stays for the rest; what is longer is cut there.
  return Math.min(longest, Math.max(Math.floor(width / 2), width - 44))
}

/** `✔ title      changed  1.2s` */
export function stepLine(step: StepResult, columns: number, width: number, theme: Theme): string {
  const [symbol, word, paint] = isCutShort(step) ? CUT_SHORT : STATES[step.state]
  const took = TOOK_TIME.has(step.state) ? `  ${duration(step.durationMs)}` : ''
  const state = took === '' ? word : word.padEnd(WIDEST_STATE)
  const title = padded(truncate(printable(step.title), columns, theme.ellipsis), columns)
  const fits = columns + 4 + state.length + took.length <= width
  return `${theme[symbol === 'bad' ? 'bad' : paint](theme.symbols[symbol])} ${title}  ${theme[paint](state)}${fits ? theme.dim(took) : ''}`
}

/** `✖ Check the host and the cluster  1 failed, 36 passed, 2 warnings  0.4s` */
export function checksLine(checks: CheckTally, ms: number, columns: number, width: number, theme: Theme): string {
  const [symbol, paint] =
    checks.fail > 0
      ? ([theme.symbols.bad, theme.bad] as const)
      : checks.warn > 0
        ? ([theme.symbols.warn, theme.warn] as const)
        : ([theme.symbols.good, theme.good] as const)
  const title = padded(truncate(CHECKS_TITLE, columns, theme.ellipsis), columns)
  const said = truncate(tallyText(checks), width - textWidth(title) - 4, theme.ellipsis)
  const took = `  ${duration(ms)}`
  const fits = textWidth(title) + 4 + said.length + took.length <= width
  return `${paint(symbol)} ${title}  ${said}${fits ? theme.dim(took) : ''}`
}

export function checkLines(check: CheckResult, width: number, theme: Theme): string[] {
  if (check.looked === false) return withSymbol(theme.dim(theme.symbols.idle), checkText(check), width)
  const symbol = check.result === 'pass' ? 'good' : check.result === 'warn' ? 'warn' : 'bad'
  return withSymbol(theme[symbol](theme.symbols[symbol]), checkText(check), width)
}

export function noticeLines(message: string, level: 'info' | 'warn', width: number, theme: Theme): string[] {
  const symbol = level === 'warn' ? theme.warn(theme.symbols.warn) : theme.dim(theme.symbols.idle)
  return withSymbol(symbol, message, width)
}

/** What a step changed, or would change; a change may have several lines, such as a file's. */
export function changeLines(changes: readonly string[], width: number, theme: Theme): string[] {
  return changes.flatMap((change) => {
    const [first = '', ...rest] = change.split(/\r?\n/)
    return [
      ...wrap(printable(first), width - 6).map((line, index) => `    ${index === 0 ? '-' : ' '} ${line}`),
      ...rest.flatMap((line) => breakHard(indented(line), width - 8).map((part) => theme.dim(`        ${part}`))),
    ]
  })
}

/** Errors, recap, node, verdict, next commands. */
export function endLines(result: RunResultDocument, next: readonly string[], width: number, theme: Theme): string[] {
  const errors = errorLines(errorsOf(result)).flatMap((line) => {
    const lines = fitLine(line, width, printable)
    return line.startsWith('Error') ? lines.map((part) => theme.bad(part)) : lines
  })
  const node = nodeLine(result)
  const isWell = result.outcome === 'done' || result.outcome === 'planned'
  const paint = isIdle(result) ? theme.dim : isWell ? theme.good : theme.bad
  return [
    '',
    ...errors,
    ...(errors.length > 0 ? [''] : []),
    ...wrap(recapLine(result.recap), width).map((line) => theme.bold(line)),
    ...(node === undefined ? [] : wrap(printable(node), width).map((line) => paint(line))),
    ...wrap(verdictLine(result), width, '  ').map((line) => paint(line)),
    ...(isWell || result.log === undefined ? [] : wrap(`Log: ${printable(result.log)}`, width, '  ')),
    ...(result.outcome === 'done' && next.length > 0
      ? ['', 'Next:', ...next.flatMap((line) => wrap(printable(line), width - 2, '  ').map((part) => `  ${part}`))]
      : []),
  ]
}

function withSymbol(symbol: string, text: string, width: number): string[] {
  return wrap(printable(text), width - 2).map((line, index) => `${index === 0 ? symbol : ' '} ${line}`)
}

/** Printable, with the blanks it begins with. */
function indented(line: string): string {
  return (/^ */.exec(line)?.[0] ?? '') + printable(line)
}

export function padded(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - textWidth(text)))
}
