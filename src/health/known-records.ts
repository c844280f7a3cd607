// What the records of setup explain of a node: a run that did not finish, or what is lost, is reported once, and not again by
// everything that it left missing.
import type {StepId} from '../config/step-ids.js'
import type {CheckResult} from '../pipeline/run/events.js'
import type {StatusArea, StatusProblem, Unseen} from '../pipeline/run/status-report.js'
import {CHECKS_OF_A_NODE} from './health-checks.js'
import type {FoundProblem, Ground} from './probe.js'
import {isSilence} from './root-cause.js'

/** What the records of setup say of the node, which decides what can be judged. */
export interface KnownRecords {
  /** It is known what this node was set up with, so that drift from it can be told. */
  readonly isComparable: boolean
  readonly problems: readonly StatusProblem[]
  /** The run that did not finish: it explains what is missing. */
  readonly unfinished: 'reset' | 'setup' | undefined
  /** Steps of which the journal has lost its records: without them they cannot be judged. */
  readonly unnoted: readonly StepId[]
  readonly unseen: readonly Unseen[]
  readonly warnings: readonly string[]
}

/** What a reset removes: while one is unfinished, nothing that is wrong there says anything of a node. */
const REMOVED_BY_RESET: ReadonlySet<StatusArea> = new Set([
  'drift',
  'firewall',
  'images',
  'network',
  'node',
  'programs',
  'services',
])

/** A problem that the records explain already, or leave without a measure, is no further one. */
export function groundedBy({isComparable, unfinished, unnoted}: KnownRecords): (problem: FoundProblem) => boolean {
  const lacking: Readonly<Record<Ground, boolean>> = {
    'end of the run': unfinished !== undefined,
    journal: unnoted.length > 0,
    'stored values': !isComparable,
  }
  // A cluster that does not answer is no part of the node, and the reset needs it.
  const isRemoved = (problem: FoundProblem): boolean =>
    unfinished === 'reset' && REMOVED_BY_RESET.has(problem.area) && !isSilence(problem)
  return (problem) => !isRemoved(problem) && !(problem.restsOn ?? []).some((ground) => lacking[ground])
}

/** Of a node that is half-made or half removed its own checks say nothing. */
export const isOfNode = (id: string): boolean => CHECKS_OF_A_NODE.some((check) => check.id === id)

/** The unfinished run explains it. */
export const explainedBy =
  ({unfinished}: KnownRecords) =>
  ({id, result}: CheckResult): boolean =>
    unfinished !== undefined && result !== 'pass' && isOfNode(id)
