// The rows of doctor: one per check without a report for status, then one per check with a report.
import type {CheckId, NodeCheckId} from '../config/check-ids.js'
import type {StepId} from '../config/step-ids.js'
import type {K8sWinError} from '../errors/k8s-win-error.js'
import type {CheckResult} from '../pipeline/run/events.js'
import type {NotChecked, StatusArea} from '../pipeline/run/status-report.js'
import {type Check, type FoundProblem, type Ground, notChecked} from '../preflight/check.js'
import type {PreflightOutcome} from '../preflight/index.js'
import {NODE_CHECKS, REPORTING_CHECKS} from './health-checks.js'
import {isSilence} from './root-cause.js'
import type {NodeFinding} from './run-reporting-check.js'

/** `cause`: of a problem. */
export type Row = CheckResult & {readonly cause?: string}

/**
 * The exit codes of errors which say that the host or the cluster does not qualify, or only after a restart. After any
 * other the check found nothing.
 */
const JUDGED_EXITS: readonly number[] = [3, 10]
export const isInconclusive = ({exitCode}: K8sWinError): boolean => !JUDGED_EXITS.includes(exitCode)

/** A check that did not finish has found nothing. */
export function checkRow(result: CheckResult, {causes, failures}: PreflightOutcome): Row {
  const its = failures.filter(({check}) => check.id === result.id)
  const cause = causes[result.id]
  if (its.length > 0 && its.every(({problem}) => isInconclusive(problem))) {
    const {fix: _fix, message, ...about} = result
    return {...about, ...notChecked(`could not be checked: ${message}`)}
  }
  return cause === undefined ? result : {...result, cause}
}

/** A failure that the records explain. */
export function explainedRow({fix: _fix, message, ...about}: CheckResult): CheckResult {
  return {...about, ...dependentRow('node-records', `${message} ${EXPLAINED}`)}
}

const EXPLAINED = '(explained by the check "node-records")'

export function reportingRows(
  records: KnownRecords,
  found: readonly NodeFinding<unknown>[],
  isGrounded: (problem: FoundProblem) => boolean,
  {failures}: PreflightOutcome,
): Row[] {
  const failedIn = (id: string): CheckId | NodeCheckId | undefined =>
    failures.find(({problem}) => problem.id === id)?.check.id
  // Without the stored values nothing can be compared, which the records report.
  const isUncompared = ({restsOn = []}: FoundProblem): boolean =>
    records.unfinished === undefined && !records.isComparable && restsOn.includes('stored values')
  // The runtime has a row of its own where it is part of the node; Docker has its checks.
  const isOfNode = ({id}: Pick<Check, 'id'>): boolean => id !== 'node-runtime' || found.some(({check}) => check === id)
  const rows = REPORTING_CHECKS.filter(isOfNode).map(({healthy = '', id, title}): Row => {
    const findings = found.filter(({check}) => check === id)
    const its = id === 'node-records' ? [records] : findings
    const about = {durationMs: Math.max(0, ...findings.map((one) => one.durationMs)), id, title}
    const all = its.flatMap((one): readonly FoundProblem[] => one.problems)
    const problems = all.filter((problem) => isGrounded(problem) && (id !== 'node-records' || problem.area === 'setup'))
    const [open] = its.flatMap((one) => one.notChecked)
    const warnings = its.flatMap((one) => one.warnings)
    const owners = problems.map((problem) => failedIn(problem.id))
    if (problems.length > 0 && owners.every((owner) => owner !== undefined)) {
      return {...about, ...dependentRow(String(owners[0]), `not checked: ${problems.map(({seen}) => seen).join('; ')}`)}
    }
    if (problems.length > 0) {
      const unique = (texts: readonly string[]): string => [...new Set(texts)].join(' ')
      return {
        ...about,
        cause: unique(problems.map(({cause}) => cause)),
        fix: unique(problems.map(({next}) => next)),
        message: problems.map(({seen, subject}) => `${subject}: ${seen}`).join('; '),
        result: 'fail',
      }
    }
    if (open) return {...about, ...notChecked(`${open.what} could not be checked: ${open.why}`)}
    const [explained] = all.filter((problem) => !isGrounded(problem) && !isUncompared(problem))
    if (explained)
      return {...about, ...dependentRow('node-records', `${explained.subject}: ${explained.seen} ${EXPLAINED}`)}
    const [dependent] = findings.filter(({dependsOn}) => dependsOn !== undefined)
    if (dependent) return {...about, ...dependentRow(String(dependent.dependsOn), dependent.message ?? '')}
    const [fix] = findings.flatMap((one) => one.fix ?? [])
    if (warnings.length > 0)
      return {...about, ...(fix !== undefined && {fix}), message: warnings.join('; '), result: 'warn'}
    if (its.length === 0) return {...about, ...notChecked('not checked')}
    const [message = healthy] = findings.flatMap((one) => one.message ?? [])
    return {...about, message, result: 'pass'}
  })
  // Of a chain of dependencies only the first check ran.
  const ownerOf = (id: string): string => rows.find((row) => row.id === id)?.dependsOn ?? id
  return rows.map((row) => (row.dependsOn === undefined ? row : {...row, dependsOn: ownerOf(row.dependsOn)}))
}

type Dependent = Pick<CheckResult, 'dependsOn' | 'message' | 'result'>

const dependentRow = (dependsOn: string, message: string): Dependent => ({...notChecked(message), dependsOn})

/** What the records of setup show, which decides what can be judged. */
export interface KnownRecords {
  /** The options of this node are known, so drift from them can be detected. */
  readonly isComparable: boolean
  readonly problems: readonly FoundProblem[]
  /** The run that did not finish explains what is missing. */
  readonly unfinished: 'reset' | 'setup' | 'upgrade' | undefined
  /** Steps whose records the journal has lost: without them they cannot be judged. */
  readonly unnoted: readonly StepId[]
  readonly notChecked: readonly NotChecked[]
  readonly warnings: readonly string[]
}

/** What a reset removes: problems there are expected while a reset is unfinished. */
const REMOVED_BY_RESET: ReadonlySet<StatusArea> = new Set([
  'drift',
  'firewall',
  'images',
  'network',
  'node',
  'programs',
  'services',
])

/** Whether a problem counts: not if the records explain it, or lack what it is compared with. */
export function groundedBy({isComparable, unfinished, unnoted}: KnownRecords): (problem: FoundProblem) => boolean {
  const lacking: Readonly<Record<Ground, boolean>> = {
    'end of the run': unfinished !== undefined,
    journal: unnoted.length > 0,
    'stored values': !isComparable,
  }
  // The cluster is not part of the node, and the reset needs it.
  const isRemoved = (problem: FoundProblem): boolean =>
    unfinished === 'reset' && REMOVED_BY_RESET.has(problem.area) && !isSilence(problem)
  return (problem) => !isRemoved(problem) && !(problem.restsOn ?? []).some((ground) => lacking[ground])
}

/** Checks of the node itself mean nothing on an incomplete node. */
const isOfNode = (id: string): boolean => NODE_CHECKS.some((check) => check.id === id)

/** Whether the unfinished run explains a failure. */
export const explainedBy =
  ({unfinished}: KnownRecords) =>
  ({id, result}: CheckResult): boolean =>
    unfinished !== undefined && (result === 'fail' || result === 'warn') && isOfNode(id)
