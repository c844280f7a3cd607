// What to do about a restart that is required: that depends on who restarts Windows, and is known only at the end of a run.
import {restartRequired} from '../../errors/restart.js'
import type {ErrorDocument, RunResultDocument} from '../../pipeline/run/events.js'

/** The document with the fix that is true for it. `restarter`: the launcher that restarts Windows by itself. */
export function withRestartAdvice(result: RunResultDocument, restarter: string | undefined): RunResultDocument {
  const fix = fixOf(result, restarter)
  if (result.outcome !== 'restart-required' || fix === undefined) return result
  const advised = (error: ErrorDocument): ErrorDocument => (error.id === restartRequired.id ? {...error, fix} : error)
  const {error, errors} = result
  return {...result, ...(error && {error: advised(error)}), ...(errors && {errors: errors.map(advised)})}
}

function fixOf(
  {continuesAfterRestart, restartsIn}: RunResultDocument,
  restarter: string | undefined,
): string | undefined {
  if (restarter !== undefined) {
    return `${restarter} restarts Windows and runs the same command again, which continues where this run stopped. If it does not, do both yourself.`
  }
  const isContinued = continuesAfterRestart === true
  if (restartsIn !== undefined) {
    return isContinued
      ? `k8s-win restarts Windows in ${restartsIn} s, and the run continues after it. If Windows does not restart, restart it.`
      : `Wait until Windows has restarted (in ${restartsIn} s), then run the same command again: it continues where this run stopped.`
  }
  return isContinued ? 'Restart Windows: the run continues after it.' : undefined
}
