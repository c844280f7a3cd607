// Whose fault a value is that cannot be used: that of what was asked for, or of what the last setup stored.
import type {Layer} from '../config/layers.js'
import {resolveConfig} from '../config/resolve.js'
import {storedConfigUnusable} from '../errors/configuration.js'
import {type K8sWinError, ProblemsError} from '../errors/k8s-win-error.js'

/** Of all problems, those that the stored values have by themselves, as one of that file; the others as they are. */
export function withStoredProblem(
  problems: readonly K8sWinError[],
  stored: Pick<Layer, 'given' | 'where'>,
  path: string,
): K8sWinError[] {
  const own = new Set(problemsOf(stored).map(({message}) => message))
  const damage = problems.filter(({message}) => own.has(message))
  const others = problems.filter(({message}) => !own.has(message))
  if (damage.length === 0) return others
  const reason = damage.map((problem) => `${problem.message}. ${problem.reason}`).join(' ')
  return [...others, storedConfigUnusable({path, reason})]
}

function problemsOf({given, where}: Pick<Layer, 'given' | 'where'>): readonly K8sWinError[] {
  try {
    resolveConfig({given, where})
    return []
  } catch (error) {
    if (error instanceof ProblemsError) return error.problems
    throw error
  }
}
