// The text of doctor: one line per check with its time, by group; then the failures with their fixes, root cause first.
import type {Screen} from '../screen.js'
import {duration} from '../text/figures.js'
import {MARKS} from '../run/verdict.js'
import {dependentsText, fixLines, indented, problemLines, textLines} from '../text/problems.js'
import {padded} from '../text/text-shape.js'
import type {DoctorCheck, DoctorDocument, NodeState} from './doctor-document.js'

const NODES: Readonly<Record<NodeState, string>> = {
  absent: 'no node is set up here',
  begun: 'a setup began here and did not finish',
  leaving: 'a reset began here and did not finish',
  'set-up': 'a node is set up here',
  unknown: 'it is unknown what was set up here',
}
/** For the longest time, "59.9s", so that all times are aligned. */
const TIME_COLUMNS = 6

export function doctorLines(document: DoctorDocument, screen: Screen): string[] {
  const {baseDir, groups, node, problems} = document
  const all = groups.flatMap(({checks}) => checks)
  const {bold} = screen.theme
  return [
    ...textLines(`${baseDir}: ${NODES[node]}`, screen),
    ...groups.flatMap(({checks, title}) => {
      // Checks that depend on a failed one are counted there.
      const shown = checks.filter(({dependsOn}) => dependsOn === undefined)
      return shown.length === 0
        ? []
        : ['', bold(title), ...shown.flatMap((check) => checkLines(check, dependentsOf(check, all), screen))]
    }),
    '',
    ...(problems.length === 0 ? [] : [bold('Failed, root cause first'), ...problemLines(problems, screen)]),
    ...verdict(document, screen),
  ]
}

const dependentsOf = ({id}: DoctorCheck, all: readonly DoctorCheck[]): number =>
  all.filter(({dependsOn}) => dependsOn === id).length

/** Cause and fix of a failure are shown at the end. */
function checkLines(check: DoctorCheck, dependents: number, screen: Screen): string[] {
  const {durationMs, fix, message, result, title} = check
  const {clean, theme, width} = screen
  const mark = MARKS[result]
  const paint = mark === 'idle' ? theme.dim : theme[mark]
  const head = `  ${theme.symbols[mark]} `
  const fit = {clean, width: width - head.length - TIME_COLUMNS - 1}
  const [first = '', ...rest] = textLines(`${title}: ${message}`, fit)
  const below = indented(fit, (narrower) => [
    ...(fix === undefined || result === 'fail' ? [] : fixLines(fix, narrower)),
    ...(dependents === 0 ? [] : textLines(dependentsText(dependents), narrower)),
  ])
  const time = theme.dim(duration(durationMs).padStart(TIME_COLUMNS))
  const indent = ' '.repeat(head.length)
  return [
    `${paint(head)}${padded(first, fit.width)} ${time}`,
    ...[...rest, ...below].map((line) => `${indent}${line}`.trimEnd()),
  ]
}

function verdict({durationMs, exitCode, recap, verdict: said}: DoctorDocument, screen: Screen): string[] {
  const parts = [
    `${recap.passed} passed`,
    ...(recap.warned > 0 ? [`${recap.warned} with a warning`] : []),
    ...(recap.failed > 0 ? [`${recap.failed} failed`] : []),
    ...(recap.notChecked > 0 ? [`${recap.notChecked} not checked`] : []),
  ]
  const {bad, good, warn} = screen.theme
  const paint = {failed: bad, passed: good, warned: warn}[said]
  const text = `${parts.join(', ')} (exit code ${exitCode}, ${duration(durationMs)})`
  return textLines(text, screen).map((line) => paint(line))
}
