// A check looks at one thing. It passes, warns, or throws the error people get to see; it never changes anything.
import type {CheckId, NodeCheckId} from '../config/check-ids.js'
import type {HostFacts} from './facts.js'

export interface Verdict {
  /** The check that says why this one could not look. */
  readonly dependsOn?: CheckId
  readonly fix?: string
  /** False where the thing could not be looked at. */
  readonly looked?: false
  readonly message: string
  readonly result: 'pass' | 'warn'
}

export interface Check {
  readonly id: CheckId | NodeCheckId
  /** Throws a K8sWinError, or several at once as a ProblemsError, where the host does not qualify. */
  run(facts: HostFacts): Promise<Verdict>
  readonly title: string
}

export const pass = (message: string): Verdict => ({message, result: 'pass'})
/** Neither a problem nor the absence of one was seen; what is in the way is no problem of this check. */
export const notChecked = (message: string): Verdict => ({looked: false, message, result: 'pass'})
/** For what another check reports already. */
export const dependsOn = (check: CheckId, why: string): Verdict => ({
  ...notChecked(`not checked: ${why}`),
  dependsOn: check,
})
export const warn = (message: string, fix: string): Verdict => ({fix, message, result: 'warn'})
