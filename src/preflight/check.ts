// A check asks one question about the host, the node or the cluster, and changes nothing. Before setup it passes, warns, or
// throws the error that users see; of a node that is set up it also reports what status shows.
import {type CheckId, GROUP_OF, type GroupId, type NodeCheckId} from '../config/check-ids.js'
import type {Decided, RuntimeName} from '../config/model.js'
import type {StepId} from '../config/step-ids.js'
import type {NotChecked, StatusArea, StatusDocument, StatusProblem} from '../pipeline/run/status-report.js'
import type {Facts} from './facts.js'

/** What a problem requires to be meaningful: a run that finished, the records of the journal, the values that setup stored. */
export type Ground = 'end of the run' | 'journal' | 'stored values'

export interface FoundProblem extends StatusProblem {
  readonly restsOn?: readonly Ground[]
  /** The steps whose drift it explains. */
  readonly steps?: readonly StepId[]
}

/** What a check found, unless it throws. */
export interface Finding<Report = unknown> {
  /** The check that reports why this one could not run. */
  readonly dependsOn?: CheckId | NodeCheckId
  /** What to do about the warnings. */
  readonly fix?: string
  /** What is shown if there is no problem; if absent, what the check calls healthy. */
  readonly message?: string
  /** What is worth to know and is no problem: shown by every command, and counted by none. */
  readonly notice?: string
  /** Parts that could not be checked. */
  readonly notChecked?: readonly NotChecked[]
  /** Of a node that is set up. A check of the host throws them. */
  readonly problems?: readonly FoundProblem[]
  /** What status shows. Undefined if there was no response, which is a problem of its own. */
  readonly report?: Report
  /** Absent, unless it could not be checked. */
  readonly result?: 'not-checked'
  readonly warnings?: readonly string[]
}

export type Need = 'administrator' | 'cluster' | 'docker' | 'hns'

/** `Config`: as much as it must know of the configuration. */
export interface Check<Report = unknown, Config extends Decided = Decided> {
  readonly area: StatusArea
  /**
   * `cheap`: it reads this host, its services and Docker. `process`: it starts a program. `cluster`: it asks the API server or
   * sends to other hosts, and may start a program too.
   */
  readonly cost: 'cheap' | 'cluster' | 'process'
  /** On a node that is set up; 5 seconds if absent. */
  readonly deadlineMs?: number
  /** Doctor shows its failure on a node as a failure, although status does not run it. */
  readonly failsOnNode?: true
  readonly group: GroupId
  /** What doctor shows if there is no problem and nothing else to say. */
  readonly healthy?: string
  readonly id: CheckId | NodeCheckId
  /**
   * Only reads. A check of the host throws a K8sWinError, or several as a ProblemsError, if the host does not qualify.
   */
  inspect(facts: Facts<Config>): Promise<Finding<Report>>
  /**
   * `host`: required by setup but not by a running node, on which doctor shows its failure as a warning. `node`: only of a
   * node that is set up.
   */
  readonly on: 'both' | 'host' | 'node'
  /** It starts programs, contacts other hosts, or lists much of the cluster. */
  readonly only?: 'doctor'
  /** What it cannot run without, in the order in which that is checked. */
  readonly needs?: readonly Need[]
  /** The part of status that its report is. */
  readonly part?: keyof StatusDocument
  /** The container runtime of the nodes that it is for; without it, of all nodes. That of its group, unless it says so. */
  readonly runtime?: RuntimeName | undefined
  /** Steps that check the same: if this check could not, they could not either. */
  readonly steps?: readonly StepId[]
  readonly title: string
  /** On a node, this check warns of the same with more detail. */
  readonly warnedBy?: NodeCheckId
  /** What it checks, in words, where that is not the title. */
  readonly what?: string
}

/** Its title, and what differs from most checks. */
type About = string | (Omit<Partial<Check>, 'id' | 'inspect'> & Pick<Check, 'title'>)

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

export function check<Report = unknown, Config extends Decided = Decided>(
  id: Check['id'],
  about: About,
  inspect: (facts: Facts<Config>) => Promise<Finding<Report>>,
): Check<Report, Config> {
  const group = GROUP_OF[id]
  const rest = typeof about === 'string' ? {title: about} : about
  const runtime = group === 'containerd' || group === 'docker' ? group : undefined
  const cost = rest.needs?.includes('cluster') ? 'cluster' : 'cheap'
  return {area: AREAS[group], cost, group, on: 'both', runtime, ...rest, id, inspect}
}

export const pass = (message: string): Finding => ({message})
/** For a check that could not run for a reason that is not a problem of its own. */
export const notChecked = (message: string) => ({message, result: 'not-checked'}) as const satisfies Finding
/** For what another check already reports. */
export const dependsOn = (check: CheckId | NodeCheckId, why: string) =>
  ({...notChecked(why), dependsOn: check}) as const satisfies Finding
export const warn = (message: string, fix: string): Finding => ({fix, warnings: [message]})
