// A check tests one condition of the host or the cluster. It passes, warns, or throws the error that users see; it changes
// nothing.
import type {CheckId, NodeCheckId} from '../config/check-ids.js'
import type {RuntimeName} from '../config/model.js'
import type {HostFacts} from './facts.js'

export interface Verdict {
  /** The check that reports why this one could not run. */
  readonly dependsOn?: CheckId
  readonly fix?: string
  readonly message: string
  readonly result: 'not-checked' | 'pass' | 'warn'
}

type RunCheck = (facts: HostFacts) => Promise<Verdict>

export interface Check {
  readonly id: CheckId | NodeCheckId
  /** Throws a K8sWinError, or several as a ProblemsError, if the host does not qualify. */
  readonly run: RunCheck
  /** The container runtime of the nodes that it is for; without it, of all nodes. */
  readonly runtime?: RuntimeName
  readonly title: string
}

export const check = (id: Check['id'], title: string, run: RunCheck): Check => ({id, run, title})

/** For nodes with one container runtime only. */
export const checkWith = (runtime: RuntimeName, one: Check): Check => ({...one, runtime})

export const pass = (message: string): Verdict => ({message, result: 'pass'})
/** For a check that could not run for a reason that is not a problem of its own. */
export const notChecked = (message: string): Verdict => ({message, result: 'not-checked'})
/** For what another check already reports. */
export const dependsOn = (check: CheckId, why: string): Verdict => ({
  ...notChecked(`not checked: ${why}`),
  dependsOn: check,
})
export const warn = (message: string, fix: string): Verdict => ({fix, message, result: 'warn'})
