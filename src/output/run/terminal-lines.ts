// The lines of the terminal view that stay: finished steps, checks, notices, the end. Pure functions of what happened.
import type {CheckResult, RunResultDocument, StepResult} from '../../pipeline/run/events.js'
import type {Screen, Theme} from '../screen.js'
import {duration} from '../text/figures.js'
import {errorLines, hanging, textLines} from '../text/problems.js'
import {breakHard, padded, textWidth, truncate, wrap} from '../text/text-shape.js'
import {launcherLine} from './launcher-lines.js'
import type {RunState} from './run-state.js'
import type {TextViewOptions} from './text-view.js'
import {
  changeParts,
  checkText,
  errorsOf,
  isCutShort,
  isIdle,
  MARKS,
  nodeLine,
  recapLine,
  tallyText,
  verdictLine,
} from './verdict.js'

type Appearance = readonly [keyof Theme['symbols'], string, 'bad' | 'changed' | 'dim' | 'good']

const STATES: Readonly<Record<StepResult['state'], Appearance>> = {
  changed: ['good', 'changed', 'changed'],
  failed: ['bad', 'failed', 'bad'],
  'in-place': ['good', 'ok', 'good'],
  'not-run': ['idle', 'not run', 'dim'],
  skipped: ['idle', 'skipped', 'dim'],
  'would-change': ['idle', 'would change', 'changed'],
}

const CUT_SHORT: Appearance = ['warn', 'interrupted', 'dim']

/** States whose steps ran. */
const TOOK_TIME: ReadonlySet<StepResult['state']> = new Set(['changed', 'failed', 'in-place'])

const WIDEST_STATE = 'changed'.length

const CHECKS_TITLE = 'Check the host and the cluster'
/** The checks of verify are those of its pod. */
const checksTitle = (command: string): string => (command === 'verify' ? 'Run the smoke test' : CHECKS_TITLE)

/** Columns that all titles of a run take, so that what follows them stands in one column. */
export function titleColumns(titles: readonly string[], {clean, width}: Screen): number {
  const longest = Math.max(...[CHECKS_TITLE, ...titles].map((title) => textWidth(clean(title))))
  // Half of a narrow row stays for the rest; what is longer is cut there.
  return Math.min(longest, Math.max(Math.floor(width / 2), width - 44))
}

export const titleText = (title: string, columns: number, {clean, theme}: Screen): string =>
  padded(truncate(clean(title), columns, theme.ellipsis), columns)

/** `✔ title      changed  1.2s` */
export function stepLine(step: StepResult, columns: number, screen: Screen): string {
  const {theme, width} = screen
  const [symbol, word, paint] = isCutShort(step) ? CUT_SHORT : STATES[step.state]
  const took = TOOK_TIME.has(step.state) ? `  ${duration(step.durationMs)}` : ''
  const state = took === '' ? word : word.padEnd(WIDEST_STATE)
  const fits = columns + 4 + state.length + took.length <= width
  return `${theme[symbol === 'bad' ? 'bad' : paint](theme.symbols[symbol])} ${titleText(step.title, columns, screen)}  ${theme[paint](state)}${fits ? theme.dim(took) : ''}`
}

/** `✖ Check the host and the cluster  1 failed, 36 passed, 2 warnings  0.4s` */
export function checksLine(
  {checks, command}: Pick<RunState, 'checks' | 'command'>,
  ms: number,
  columns: number,
  screen: Screen,
): string {
  const {theme, width} = screen
  const symbol = checks.fail > 0 ? 'bad' : checks.warn > 0 || checks.pass === 0 ? 'warn' : 'good'
  const said = truncate(tallyText(checks), width - columns - 4, theme.ellipsis)
  const took = `  ${duration(ms)}`
  const fits = columns + 4 + said.length + took.length <= width
  return `${theme[symbol](theme.symbols[symbol])} ${titleText(checksTitle(command), columns, screen)}  ${said}${fits ? theme.dim(took) : ''}`
}

export const checkLines = (check: CheckResult, screen: Screen): string[] =>
  marked(MARKS[check.result], checkText(check), screen)

export const noticeLines = (message: string, level: 'info' | 'warn', screen: Screen): string[] =>
  marked(level === 'warn' ? 'warn' : 'idle', message, screen)

/** What a step changed, or would change; a change may have several lines, such as a file's. */
export function changeLines(changes: readonly string[], screen: Screen): string[] {
  const {clean, theme, width} = screen
  return changes.flatMap((change) => {
    const {first, rest} = changeParts(change, clean)
    return [
      ...hanging('    - ', first, screen),
      ...rest.flatMap((line) => breakHard(line, width - 8).map((part) => theme.dim(`        ${part}`))),
    ]
  })
}

/** Errors, recap, node, verdict, next commands. */
export function endLines(
  result: RunResultDocument,
  {next, redact}: Required<Pick<TextViewOptions, 'next' | 'redact'>>,
  screen: Screen,
): string[] {
  const {theme, width} = screen
  const errors = errorLines(errorsOf(result), screen, theme.bad)
  const [handed, node, recap] = [launcherLine(result), nodeLine(result), recapLine(result)]
  const isWell = ['detached', 'done', 'planned'].includes(result.outcome)
  const isHalted = ['not-checked', 'restart-required'].includes(result.outcome)
  const paint = isIdle(result) ? theme.dim : isHalted ? theme.warn : isWell ? theme.good : theme.bad
  return [
    '',
    ...errors,
    ...(errors.length > 0 ? [''] : []),
    ...(recap === undefined ? [] : wrap(recap, width).map((line) => theme.bold(line))),
    ...(node === undefined ? [] : wrap(screen.clean(node), width).map((line) => paint(line))),
    ...(handed === undefined ? [] : textLines(redact(`Launcher: ${handed}`), screen)),
    ...textLines(redact(verdictLine(result)), screen).map((line) => paint(line)),
    ...(isWell || result.log === undefined ? [] : textLines(`Log: ${result.log}`, screen)),
    ...(result.outcome === 'done' && next.length > 0
      ? [
          '',
          'Next:',
          ...next.flatMap((line) => textLines(line, {...screen, width: width - 2}).map((part) => `  ${part}`)),
        ]
      : []),
  ]
}

function marked(symbol: keyof Theme['symbols'], text: string, screen: Screen): string[] {
  const {theme} = screen
  return hanging(`${theme.symbols[symbol]} `, text, screen, symbol === 'idle' ? theme.dim : theme[symbol])
}
