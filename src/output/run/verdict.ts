// How a run ended, in words: errors, recap, node, what to do next.
import {AWS_RESTART, CLOUDBASE_RESTART} from '../../config/launchers.js'
import type {CheckResult, ErrorDocument, RunResultDocument, StepResult} from '../../pipeline/run/events.js'
import {duration} from '../text/figures.js'
import {count} from '../text/problems.js'

export type CheckTally = Record<CheckResult['result'], number>

export const MARKS = {fail: 'bad', 'not-checked': 'idle', pass: 'good', warn: 'warn'} as const satisfies Record<
  CheckResult['result'],
  string
>

/** More of them would push the exit code off the line. */
const MOST_IDS = 3

/** Exit codes for which a launcher restarts Windows and runs the same command again. */
const RESTARTS: ReadonlySet<number> = new Set([AWS_RESTART, CLOUDBASE_RESTART])

/** Undefined where no step ran: zeros above a failure would be read as its count. */
export function recapLine({outcome, recap, steps}: RunResultDocument): string | undefined {
  if (steps.every(({state}) => state === 'not-run')) return undefined
  const changed = outcome === 'planned' ? 'would-change' : 'changed'
  return `ok=${recap.ok} ${changed}=${recap.changed} skipped=${recap.skipped} failed=${recap.failed}`
}

export const tallyCount = (tally: CheckTally): number => Object.values(tally).reduce((sum, checks) => sum + checks, 0)

/** "1 failed, 36 passed, 2 warnings, 4 not checked", without those there are none of. The gravest comes first: the end may be cut off. */
export function tallyText({fail, 'not-checked': notChecked, pass, warn}: CheckTally): string {
  const parts = [
    ...(fail === 0 ? [] : [`${fail} failed`]),
    ...(pass === 0 && fail + warn === 0 && notChecked > 0 ? [] : [`${pass} passed`]),
    ...(warn === 0 ? [] : [count(warn, 'warning')]),
    ...(notChecked === 0 ? [] : [`${notChecked} not checked`]),
  ]
  return parts.join(', ')
}

export const saidText = ({message, result, title}: Pick<CheckResult, 'message' | 'result' | 'title'>): string =>
  `${result === 'not-checked' ? 'Not checked: ' : ''}${title}: ${message}`

/** A warning brings its fix along; a failed check's fix comes with the errors at the end. */
export function checkText(check: CheckResult): string {
  const {fix, result} = check
  const said = saidText(check)
  return result === 'warn' && fix !== undefined ? `${said.replace(/\.?$/, '.')} Fix: ${fix}` : said
}

/** A plan is its changes; of those that were made the state says enough. One that only repeats the title is left out. */
export function changesToShow({changes, state, title}: StepResult, verbose: boolean): readonly string[] {
  return verbose || state === 'would-change' ? changes.filter((change) => change !== title) : []
}

/** The first line of a change, and its further ones, such as a file's, with the blanks they begin with. */
export function changeParts(change: string, clean: (text: string) => string): {first: string; rest: string[]} {
  const [first = '', ...rest] = change.split(/\r?\n/)
  return {first, rest: rest.map((line) => (/^ */.exec(line)?.[0] ?? '') + clean(line))}
}

/** It was begun, and Ctrl-C came or another step failed. */
export const isCutShort = ({error, state}: StepResult): boolean => state !== 'failed' && error !== undefined

/** "k8s-win setup: 19 steps" */
export const titleLine = (command: string, steps: number): string =>
  `k8s-win ${command}${steps === 0 ? '' : `: ${steps} steps`}`

export function nodeLine(result: RunResultDocument): string | undefined {
  const {node, outcome} = result
  // Of a plan there is nothing to say: the node is not there yet, or is as it was.
  if (node === undefined || outcome === 'planned') return undefined
  // Steps that failed may have left it Ready; but no good news stands beside a failure.
  if (node.ready && outcome !== 'done') return undefined
  return `Node ${node.name} is ${node.ready ? 'Ready' : 'not Ready'} (${node.ip}, pods ${node.podCIDR})`
}

export function errorsOf(result: RunResultDocument): readonly ErrorDocument[] {
  return result.errors ?? (result.error === undefined ? [] : [result.error])
}

/** Successful without any change: the prompt was cancelled, or there was nothing to do. */
export const isIdle = ({checks, outcome, steps}: RunResultDocument): boolean =>
  outcome === 'done' && steps.length + checks.length === 0

/** The last line: short enough for launchers that keep only the end of the output. */
export function verdictLine(result: RunResultDocument): string {
  const took = `in ${duration(result.durationMs)}`
  switch (result.outcome) {
    case 'detached':
      return `${result.command} continues as the service k8s-win-run; follow it with "k8s-win attach"`
    case 'done':
      if (isIdle(result)) return `${result.command} ended; nothing was changed`
      return `${result.command} done ${took}${upgradeText(result)}`
    case 'failed': {
      const where = result.steps.find((step) => step.state === 'failed')?.id
      const ids = [...new Set(errorsOf(result).map((error) => error.id))]
      const more = ids.length > MOST_IDS ? ` and ${ids.length - MOST_IDS} more` : ''
      const at = where === undefined ? '' : ` at ${where}`
      const why = ids.length === 0 ? '' : `: ${ids.slice(0, MOST_IDS).join(', ')}${more}`
      return `${result.command} failed${at} with exit code ${result.exitCode}${why}`
    }
    case 'interrupted':
      return `${result.command} interrupted ${took}`
    case 'not-checked':
      return `${result.command}: ${uncheckedText(result)} (exit code ${result.exitCode})`
    case 'planned':
      return `${result.command} planned ${took}; nothing was changed`
    case 'restart-required': {
      const id = result.error === undefined ? '' : `, ${result.error.id}`
      return `${result.command}: exit code ${result.exitCode}${id}; ${restartText(result)}`
    }
  }
}

/** "1 of 3 checks could not be made" */
function uncheckedText({checks}: RunResultDocument): string {
  const unmade = checks.filter(({nothingToCheck, result}) => result === 'not-checked' && nothingToCheck !== true).length
  return checks.every(({result}) => result === 'not-checked')
    ? 'nothing was checked'
    : `${unmade} of ${count(checks.length, 'check')} could not be made`
}

/** ": Kubernetes 1.34.2 → 1.36.4" */
const upgradeText = ({upgrade}: RunResultDocument): string =>
  upgrade && upgrade.from !== upgrade.to ? `: Kubernetes ${upgrade.from} \u2192 ${upgrade.to}` : ''

/** Who restarts Windows, and what happens then. Which restart it is, of how many, is in the line of the launcher. */
export function restartText({command, continuesAfterRestart, launcher, restartsIn}: RunResultDocument): string {
  if (launcher && RESTARTS.has(launcher.exitCode)) return `${launcher.name} restarts Windows and runs ${command} again`
  const isContinued = continuesAfterRestart === true
  if (restartsIn === undefined)
    return isContinued
      ? 'restart Windows; the run continues after it'
      : 'restart Windows, then run the same command again'
  return `Windows restarts in ${restartsIn} s; ${isContinued ? 'the run continues after it' : 'then run it again'}`
}
