// The lines of the terminal view: finished steps, running steps, checks, the end. Pure functions of what happened.
import type {CheckResult, RunResultDocument, StepResult} from '../pipeline/events.js'
import {errorLines} from './error-text.js'
import {amount, duration} from './figures.js'
import {printable, textWidth, truncate, wrap} from './text-shape.js'
import type {Theme} from './theme.js'
import {checkText, errorsOf, nodeLine, recapLine, verdictLine} from './verdict.js'

export interface RunningStep {
  readonly current?: number
  readonly startedAt: number
  readonly text: string
  readonly title: string
  readonly total?: number
}

type StepPaint = 'bad' | 'changed' | 'dim' | 'good'

const STATES: Readonly<Record<StepResult['state'], readonly [keyof Theme['symbols'], string, StepPaint]>> = {
  changed: ['good', 'changed', 'changed'],
  failed: ['bad', 'failed', 'bad'],
  'in-place': ['good', 'ok', 'good'],
  'not-run': ['idle', 'not run', 'dim'],
  skipped: ['idle', 'skipped', 'dim'],
  'would-change': ['good', 'would change', 'changed'],
}

/** `✔ title  changed  1.2s` */
export function stepLine(step: StepResult, width: number, theme: Theme): string {
  const [symbol, word, paint] = STATES[step.state]
  const took = step.state === 'not-run' || step.state === 'skipped' ? '' : `  ${duration(step.durationMs)}`
  const title = truncate(printable(step.title), width - 4 - word.length - took.length, theme.ellipsis)
  return `${theme[symbol === 'bad' ? 'bad' : paint](theme.symbols[symbol])} ${title}  ${theme[paint](word)}${theme.dim(took)}`
}

/** `⠋ title  pulling nanoserver  12 MB of 45 MB, 27%  3.0s` */
export function runningLine(step: RunningStep, frame: string, now: number, width: number, theme: Theme): string {
  const title = truncate(printable(step.title), width - 2, theme.ellipsis)
  const counted = amount(step.current, step.total)
  const tail = [counted, duration(Math.max(0, now - step.startedAt))].filter((part) => part !== '').join('  ')
  const room = width - 2 - textWidth(title) - tail.length - 4
  const text = room >= 8 ? truncate(printable(step.text), room, theme.ellipsis) : ''
  const details = [text, tail].filter((part) => part !== '').join('  ')
  const fits = textWidth(title) + 4 + textWidth(details) <= width
  return `${theme.changed(frame)} ${title}${fits ? `  ${theme.dim(details)}` : ''}`
}

export function checkLines(check: CheckResult, width: number, theme: Theme): string[] {
  const symbol = check.result === 'pass' ? 'good' : check.result === 'warn' ? 'warn' : 'bad'
  const lines = wrap(printable(checkText(check)), width - 2)
  return lines.map((line, index) => `${index === 0 ? theme[symbol](theme.symbols[symbol]) : ' '} ${line}`)
}

export function noticeLines(message: string, level: 'info' | 'warn', width: number, theme: Theme): string[] {
  const [symbol, paint] = level === 'warn' ? [theme.symbols.warn, theme.warn] : [theme.symbols.idle, theme.dim]
  const lines = wrap(printable(message), width - 2)
  return lines.map((line, index) => `${index === 0 ? paint(symbol) : ' '} ${line}`)
}

/** Errors, recap, node, next commands. */
export function endLines(result: RunResultDocument, next: readonly string[], width: number, theme: Theme): string[] {
  const errors = errorLines(errorsOf(result)).flatMap((line) => {
    const indent = line.startsWith(' ') ? '  ' : ''
    const lines = wrap(printable(line), width - indent.length, '  ').map((part) => indent + part)
    return indent === '' ? lines.map((part) => theme.bad(part)) : lines
  })
  const node = nodeLine(result)
  const paint = result.outcome === 'done' || result.outcome === 'planned' ? theme.good : theme.bad
  return [
    '',
    ...errors,
    ...(errors.length > 0 ? [''] : []),
    ...wrap(recapLine(result.recap), width).map((line) => theme.bold(line)),
    ...(node === undefined ? [] : wrap(printable(node), width).map((line) => paint(line))),
    ...(result.outcome === 'done' ? [] : wrap(verdictLine(result), width).map((line) => paint(line))),
    ...(result.outcome === 'done' && next.length > 0
      ? ['', 'Next:', ...next.flatMap((line) => wrap(line, width - 2, '  ').map((part) => `  ${part}`))]
      : []),
  ]
}
