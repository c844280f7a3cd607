// What doctor found, as people read it: group by group, one line per check with its time; at the end what failed, the root
// cause first, with what to do.
import type {DoctorCheck, DoctorDocument, NodeState} from './doctor-document.js'
import {fitLine, fixLines} from '../text/error-text.js'
import {duration} from '../text/figures.js'
import {count, type LineLook, problemLines, shown} from '../text/problem-lines.js'
import {textWidth, wrap} from '../text/text-shape.js'
import type {Theme} from '../text/theme.js'

export type DoctorLook = LineLook

const NODES: Readonly<Record<NodeState, string>> = {
  absent: 'no node is set up here',
  begun: 'a setup began here and did not finish',
  leaving: 'a reset began here and did not finish',
  'set-up': 'a node is set up here',
  unknown: 'what was set up here is not known',
}
/** The longest there is, so that the times stand in a column: "59.9s". */
const TIME_COLUMNS = 6

export function doctorLines(document: DoctorDocument, look: DoctorLook): string[] {
  const {baseDir, groups, node, problems} = document
  const all = groups.flatMap(({checks}) => checks)
  return [
    ...wrap(shown(`${baseDir}: ${NODES[node]}`, look), widthOf(look)),
    ...groups.flatMap(({checks, title}) => {
      // What depends on a failed check is counted there, and adds nothing here.
      const shownChecks = checks.filter(({dependsOn}) => dependsOn === undefined)
      if (shownChecks.length === 0) return []
      return [
        '',
        look.theme.bold(title),
        ...shownChecks.flatMap((check) => lines(check, look, dependentsOf(check, all))),
      ]
    }),
    ...(problems.length === 0
      ? ['']
      : ['', look.theme.bold('Failed, root cause first'), ...problemLines(problems, look)]),
    ...verdict(document, look),
  ]
}

const dependentsOf = ({id}: DoctorCheck, all: readonly DoctorCheck[]): number =>
  all.filter(({dependsOn}) => dependsOn === id).length

/** Cause and fix of a failure stand at the end, with the root cause first. */
function lines(check: DoctorCheck, look: DoctorLook, dependents: number): string[] {
  const {durationMs, fix, message, result, title} = check
  const {paint, symbol} = markOf(check, look.theme)
  const head = `  ${symbol} `
  const room = widthOf(look) - head.length - TIME_COLUMNS - 1
  const [first = '', ...rest] = wrap(shown(`${title}: ${message}`, look), room, '  ')
  const gap = ' '.repeat(Math.max(1, room - textWidth(first) + 1))
  const time = look.theme.dim(duration(durationMs).padStart(TIME_COLUMNS))
  const indent = ' '.repeat(head.length)
  const below = [
    ...(fix === undefined || result === 'fail' ? [] : fixLines(fix)),
    ...(dependents === 0 ? [] : [`${count(dependents, 'check')} ${dependents === 1 ? 'depends' : 'depend'} on this`]),
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
    ...(recap.notLookedAt > 0 ? [`${recap.notLookedAt} not checked`] : []),
  ]
  const {bad, good, warn} = look.theme
  const paint = {failed: bad, passed: good, warned: warn}[said]
  const text = `${parts.join(', ')} (exit code ${exitCode}, ${duration(durationMs)})`
  return wrap(text, widthOf(look)).map((line) => paint(line))
}

const widthOf = ({columns}: DoctorLook): number => Math.max(60, columns - 1)
