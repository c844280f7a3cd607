// What doctor found, as people read it: group by group, a line a check with its time, and what to do under it.
import type {DoctorCheck, DoctorDocument, NodeState} from './doctor-document.js'
import {fitLine, fixLines} from './error-text.js'
import {duration} from './figures.js'
import {ascii, printable, textWidth, wrap} from './text-shape.js'
import type {Theme} from './theme.js'

export interface DoctorLook {
  readonly columns: number
  /** Letters outside ASCII as escapes: what is no terminal may be read in any code page. */
  readonly plain: boolean
  readonly theme: Theme
}

const NODES: Readonly<Record<NodeState, string>> = {
  absent: 'no node is set up here',
  begun: 'a setup began here and did not come to its end',
  leaving: 'a reset began here and did not come to its end',
  'set-up': 'a node is set up here',
  unknown: 'what was set up here is not known',
}
const NARROWEST = 60
/** The longest there is, so that the times stand in a column: "59.9s". */
const TIME_COLUMNS = 6

export function doctorLines(document: DoctorDocument, look: DoctorLook): string[] {
  const {baseDir, groups, node} = document
  return [
    ...wrap(shown(`${baseDir}: ${NODES[node]}`, look), widthOf(look)),
    ...groups.flatMap(({checks, title}) => [
      '',
      look.theme.bold(title),
      ...checks.flatMap((check) => lines(check, look)),
    ]),
    '',
    ...verdict(document, look),
  ]
}

function lines(check: DoctorCheck, look: DoctorLook): string[] {
  const {cause, durationMs, fix, message, title} = check
  const {paint, symbol} = markOf(check, look.theme)
  const head = `  ${symbol} `
  const room = widthOf(look) - head.length - TIME_COLUMNS - 1
  const [first = '', ...rest] = wrap(shown(`${title}: ${message}`, look), room, '  ')
  const gap = ' '.repeat(Math.max(1, room - textWidth(first) + 1))
  const time = look.theme.dim(duration(durationMs).padStart(TIME_COLUMNS))
  const indent = ' '.repeat(head.length)
  const below = [
    ...(cause === undefined ? [] : [`Cause: ${cause}`]),
    ...(fix === undefined ? [] : fixLines(fix)),
  ].flatMap((text) => fitLine(`  ${text}`, room, (part) => shown(part, look)))
  return [`${paint(head)}${first}${gap}${time}`, ...[...rest, ...below].map((line) => `${indent}${line}`.trimEnd())]
}

function markOf({looked, result}: DoctorCheck, theme: Theme): {paint: (text: string) => string; symbol: string} {
  const {bad, good, idle, warn} = theme.symbols
  if (looked === false) return {paint: theme.dim, symbol: idle}
  if (result === 'pass') return {paint: theme.good, symbol: good}
  return result === 'warn' ? {paint: theme.warn, symbol: warn} : {paint: theme.bad, symbol: bad}
}

function verdict({durationMs, exitCode, recap, verdict: said}: DoctorDocument, look: DoctorLook): string[] {
  const parts = [
    `${recap.passed} passed`,
    ...(recap.warned > 0 ? [`${recap.warned} with a warning`] : []),
    ...(recap.failed > 0 ? [`${recap.failed} failed`] : []),
    ...(recap.notLookedAt > 0 ? [`${recap.notLookedAt} not looked at`] : []),
  ]
  const {bad, good, warn} = look.theme
  const paint = {failed: bad, passed: good, warned: warn}[said]
  const text = `${parts.join(', ')} (exit code ${exitCode}, ${duration(durationMs)})`
  return wrap(text, widthOf(look)).map((line) => paint(line))
}

const shown = (text: string, {plain}: DoctorLook): string => (plain ? ascii(printable(text)) : printable(text))

const widthOf = ({columns}: DoctorLook): number => Math.max(NARROWEST, columns - 1)
