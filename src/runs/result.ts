// The document a run ends with: on stdout with --json, and as result.json on the node.
import {interrupted} from '../errors/health.js'
import {type K8sWinError, ProblemsError} from '../errors/k8s-win-error.js'
import {restartRequired} from '../errors/restart.js'
import {isComplete, type Outcome, type Recap, type RunResultDocument, type StepResult} from '../pipeline/run/events.js'
import {documentOf} from '../pipeline/run/to-user-error.js'
import type {RunReport} from './run.js'

export interface Ending extends Readonly<RunReport> {
  readonly command: string
  /** Where it was measured: the clock may be set between the two moments. */
  readonly durationMs?: number
  /** Nothing was changed: the document says what would be. */
  readonly dryRun?: boolean
  readonly error?: K8sWinError | ProblemsError
  readonly finishedAt: number
  /** The run's own log. */
  readonly log?: string | undefined
  readonly simulated: boolean
  readonly startedAt: number
}

export function resultOf(ending: Ending): RunResultDocument {
  const {checks, command, error, finishedAt, log, node, simulated, startedAt, steps, summary, upgrade} = ending
  const {continues = false, durationMs = finishedAt - startedAt} = ending
  const outcome = outcomeOf(ending)
  const errors = problemsOf(error).map((problem) => documentOf(problem))
  return {
    // A step with an error has failed, or was stopped before it was complete.
    changesPending: steps.some(
      ({error: problem, state}) => problem !== undefined || ['failed', 'not-run', 'would-change'].includes(state),
    ),
    checks,
    command,
    ...(continues && {continuesAfterRestart: true}),
    durationMs: Math.round(durationMs),
    ...(errors[0] ? {error: errors[0]} : {}),
    ...(errors.length > 1 ? {errors} : {}),
    exitCode: error?.exitCode ?? (outcome === 'not-checked' ? NOT_CHECKED_EXIT : 0),
    finishedAt: new Date(finishedAt).toISOString(),
    ...(log === undefined ? {} : {log}),
    ...(node ? {node} : {}),
    outcome,
    recap: recapOf(steps),
    schemaVersion: 1,
    simulated,
    startedAt: new Date(startedAt).toISOString(),
    steps,
    ...(summary ? {summary} : {}),
    ...(upgrade ? {upgrade} : {}),
  }
}

export const problemsOf = (error: K8sWinError | ProblemsError | undefined): readonly K8sWinError[] =>
  error instanceof ProblemsError ? error.problems : error ? [error] : []

/** Only where nothing else is wrong: of several problems the smallest code counts, and a restart cures only its own. */
const RESTART_EXIT = restartRequired.exitCode

/** That of a status that could not check everything. */
const NOT_CHECKED_EXIT = 8

function outcomeOf({dryRun = false, error, isDetached = false, lacksChecks = false}: Ending): Outcome {
  if (!error && isDetached) return 'detached'
  if (!error) return dryRun ? 'planned' : lacksChecks ? 'not-checked' : 'done'
  if (error.exitCode === RESTART_EXIT) return 'restart-required'
  return error.exitCode === interrupted.exitCode ? 'interrupted' : 'failed'
}

function recapOf(steps: readonly StepResult[]): Recap {
  const count = (...states: readonly StepResult['state'][]): number =>
    steps.filter((step) => isComplete(step) && states.includes(step.state)).length
  const [changed, ok] = [count('changed', 'would-change'), count('in-place')]
  const failed = steps.filter(({state}) => state === 'failed')
  // A step that failed may have changed something before: it counts as both.
  const both = failed.filter(({changes}) => changes.length > 0).length
  // Also those that were begun and interrupted.
  return {changed: changed + both, failed: failed.length, ok, skipped: steps.length - changed - failed.length - ok}
}

/** Errors whose stack must be in the log: bugs, and failures inside a check. */
export function stacksOf(failure: unknown, error: K8sWinError | ProblemsError | undefined): string[] {
  if (error === undefined) return failure === undefined ? [] : [stackOf(failure)]
  return problemsOf(error)
    .filter(({exitCode}) => exitCode === 1)
    .map(({cause}) => stackOf(cause))
}

const stackOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error))
