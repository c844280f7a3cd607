// The document a run ends with: on stdout with --json, and as result.json on the node.
import {win32} from 'node:path'
import {isRecord} from '../config/shape.js'
import {interrupted} from '../errors/health.js'
import {type K8sWinError, ProblemsError} from '../errors/k8s-win-error.js'
import {restartRequired} from '../errors/restart.js'
import {ADMINISTRATORS_ONLY} from '../host/security/security.js'
import {openTrust, trustedFilesOf} from '../host/security/trust.js'
import type {Machine} from '../machine/machine.js'
import type {CheckResult, NodeReport, Outcome, Recap, RunResultDocument, StepResult} from '../pipeline/run/events.js'
import {readLastRun} from '../pipeline/run/last-run.js'
import {documentOf} from '../pipeline/run/to-user-error.js'

export interface Ending {
  readonly checks: readonly CheckResult[]
  readonly command: string
  /** By itself, after a restart of Windows. */
  readonly continues?: boolean | undefined
  /** Nothing was changed: the document says what would be. */
  readonly dryRun?: boolean
  readonly error?: K8sWinError | ProblemsError
  readonly finishedAt: number
  /** The run continues as a service. */
  readonly isDetached?: boolean | undefined
  /** The run's own log. */
  readonly log?: string | undefined
  readonly node?: NodeReport
  readonly simulated: boolean
  readonly startedAt: number
  readonly steps: readonly StepResult[]
  readonly upgrade?: RunResultDocument['upgrade'] | undefined
}

export function resultOf(ending: Ending): RunResultDocument {
  const {
    checks,
    command,
    dryRun = false,
    error,
    finishedAt,
    isDetached = false,
    log,
    node,
    simulated,
    startedAt,
  } = ending
  const {continues = false, steps, upgrade} = ending
  const errors = (error instanceof ProblemsError ? error.problems : error ? [error] : []).map((problem) =>
    documentOf(problem),
  )
  return {
    // A step with an error has failed, or was stopped before it was complete.
    changesPending: steps.some(
      ({error: problem, state}) => problem !== undefined || ['failed', 'not-run', 'would-change'].includes(state),
    ),
    checks,
    command,
    ...(continues && {continuesAfterRestart: true}),
    durationMs: finishedAt - startedAt,
    ...(errors[0] ? {error: errors[0]} : {}),
    ...(errors.length > 1 ? {errors} : {}),
    exitCode: error?.exitCode ?? 0,
    finishedAt: new Date(finishedAt).toISOString(),
    ...(log === undefined ? {} : {log}),
    ...(node ? {node} : {}),
    outcome: !error && isDetached ? 'detached' : outcomeOf(error, dryRun),
    recap: recapOf(steps),
    schemaVersion: 1,
    simulated,
    startedAt: new Date(startedAt).toISOString(),
    steps,
    ...(upgrade ? {upgrade} : {}),
  }
}

/** Only where nothing else is wrong: of several problems the smallest code counts, and a restart cures only its own. */
const RESTART_EXIT = restartRequired.exitCode

function outcomeOf(error: K8sWinError | ProblemsError | undefined, dryRun: boolean): Outcome {
  if (!error) return dryRun ? 'planned' : 'done'
  if (error.exitCode === RESTART_EXIT) return 'restart-required'
  return error.exitCode === interrupted.exitCode ? 'interrupted' : 'failed'
}

function recapOf(steps: readonly StepResult[]): Recap {
  const count = (...states: readonly StepResult['state'][]): number =>
    steps.filter((step) => states.includes(step.state)).length
  return {
    changed: count('changed', 'would-change'),
    failed: count('failed'),
    ok: count('in-place'),
    skipped: count('skipped', 'not-run'),
  }
}

/** Errors whose stack must be in the log: bugs, and failures inside a check. */
export function stacksOf(failure: unknown, error: K8sWinError | ProblemsError | undefined): string[] {
  if (error === undefined) return failure === undefined ? [] : [stackOf(failure)]
  const problems = error instanceof ProblemsError ? error.problems : []
  return problems.filter(({exitCode}) => exitCode === 1).map(({cause}) => stackOf(cause))
}

const stackOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error))

/** Best effort: the run's own report must not turn a success into a failure. */
export async function saveResult(
  {files, win32: calls}: Pick<Machine, 'files' | 'win32'>,
  path: string,
  ended: RunResultDocument,
): Promise<void> {
  if (await openTrust(calls).problem(win32.dirname(path), 'folder')) return
  // What status reads of the last run that changed the node must outlive a run that changes nothing.
  const last = ended.command === 'verify' ? await readLastRun(trustedFilesOf({files, win32: calls}), path) : undefined
  const result = isRecord(last) ? {...ended, lastRun: last} : ended
  await files.makeDirectory(win32.dirname(path), {security: ADMINISTRATORS_ONLY})
  await files.write(path, `${JSON.stringify(result, undefined, 2)}\n`)
}
