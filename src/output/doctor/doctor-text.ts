// The text of doctor: the problems with their fixes, root cause first, then the warnings; with --verbose every check with its time.
import type {Screen} from '../screen.js'
import {duration} from '../text/figures.js'
import {MARKS, saidText, tallyText} from '../run/verdict.js'
import {dependentsText, fixLines, hanging, indented, problemLines, textLines} from '../text/problems.js'
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

export function doctorLines(document: DoctorDocument, screen: Screen, verbose: boolean): string[] {
  const {baseDir, groups, health, node, problems} = document
  const all = groups.flatMap(({checks}) => checks)
  const {bold} = screen.theme
  // Checks that depend on another one are counted there.
  const own = (checks: readonly DoctorCheck[]): readonly DoctorCheck[] =>
    checks.filter(({dependsOn}) => dependsOn === undefined)
  const linesOf = (title: string, checks: readonly DoctorCheck[]): string[] =>
    checks.length === 0
      ? []
      : ['', bold(title), ...checks.flatMap((check) => checkLines(check, dependentsOf(check, all), screen))]
  // Where nothing else explains the verdict, what could not be checked does.
  const isUnknown = health === 'unknown'
  const due = own(all).filter(({result}) => result === 'warn' || (isUnknown && result === 'not-checked'))
  const notices = all.flatMap(({notice}) => notice ?? [])
  return [
    ...textLines(`${baseDir}: ${NODES[node]}`, screen),
    ...(problems.length === 0 ? [] : ['', ...problemLines(problems, screen).slice(0, -1)]),
    ...linesOf(isUnknown ? 'Warnings, and what could not be checked' : 'Warnings', due),
    ...(notices.length === 0 ? [] : ['', bold('Notices'), ...notices.flatMap((text) => hanging('  ', text, screen))]),
    ...(verbose ? groups.flatMap(({checks, title}) => linesOf(title, own(checks))) : []),
    '',
    ...verdict(document, screen, verbose),
  ]
}

const dependentsOf = ({id}: DoctorCheck, all: readonly DoctorCheck[]): number =>
  all.filter(({dependsOn}) => dependsOn === id).length

/** Cause and fix of a failure are shown at the end. */
function checkLines(check: DoctorCheck, dependents: number, screen: Screen): string[] {
  const {durationMs, fix, result} = check
  const {clean, theme, width} = screen
  const mark = MARKS[result]
  const paint = mark === 'idle' ? theme.dim : theme[mark]
  const head = `  ${theme.symbols[mark]} `
  const fit = {clean, width: width - head.length - TIME_COLUMNS - 1}
  const [first = '', ...rest] = textLines(saidText(check), fit)
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

function verdict(document: DoctorDocument, screen: Screen, verbose: boolean): string[] {
  const {durationMs, exitCode, recap, verdict: said} = document
  const tally = {fail: recap.failed, 'not-checked': recap.notChecked, pass: recap.passed, warn: recap.warned}
  const {bad, good, warn} = screen.theme
  const paint = {failed: bad, passed: good, warned: warn}[said]
  const text = `${tallyText(tally)} (exit code ${exitCode}, ${duration(durationMs)})`
  return [...textLines(text, screen).map((line) => paint(line)), ...(verbose ? [] : ['-v shows every check'])]
}
