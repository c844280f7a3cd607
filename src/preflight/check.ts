// A check tests one condition of the host or the cluster. It passes, warns, or throws the error that users see; it changes
// nothing.
import {type CheckId, GROUP_OF, type GroupId, type NodeCheckId} from '../config/check-ids.js'
import type {RuntimeName} from '../config/model.js'
import type {StatusArea} from '../pipeline/run/status-report.js'
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
  readonly area: StatusArea
  /** Doctor shows its failure on a node as a failure, although status does not run it. */
  readonly failsOnNode?: true
  readonly group: GroupId
  readonly id: CheckId | NodeCheckId
  /**
   * `host`: required by setup but not by a running node, on which doctor shows its failure as a warning. `node`: only of a
   * node that is set up.
   */
  readonly on: 'both' | 'host' | 'node'
  /** It starts programs, contacts other hosts, or lists much of the cluster. */
  readonly only?: 'doctor'
  /** Throws a K8sWinError, or several as a ProblemsError, if the host does not qualify. */
  readonly run: RunCheck
  /** The container runtime of the nodes that it is for; without it, of all nodes. */
  readonly runtime?: RuntimeName
  readonly title: string
  /** On a node, this check warns of the same with more detail. */
  readonly warnedBy?: NodeCheckId
}

/** Its title, and what differs from most checks. */
type About = string | (Partial<Check> & Pick<Check, 'title'>)

const AREAS: Readonly<Record<GroupId, StatusArea>> = {
  cluster: 'cluster',
  containerd: 'runtime',
  docker: 'runtime',
  folders: 'host',
  identity: 'identity',
  network: 'network',
  node: 'node',
  reach: 'node',
  windows: 'host',
}

export function check(id: Check['id'], about: About, run: RunCheck): Check {
  const group = GROUP_OF[id]
  return {area: AREAS[group], group, id, on: 'both', run, ...(typeof about === 'string' ? {title: about} : about)}
}

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
