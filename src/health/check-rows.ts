// The rows of doctor: one per check without a report for status, then one per check with a report.
import type {StepId} from '../config/step-ids.js'
import type {K8sWinError} from '../errors/k8s-win-error.js'
import {type NotChecked, problemText, type StatusArea} from '../pipeline/run/status-report.js'
import {type Check, type Finding, type FoundProblem, type Ground, notChecked} from '../preflight/check.js'
import {failedRow, foundRow, type Row} from '../preflight/check-row.js'
import type {JudgedCheck} from '../preflight/index.js'
import {REPORTING_CHECKS} from './health-checks.js'
import {isOfAdapter, isSilence} from './root-cause.js'
import type {NodeFinding} from './run-reporting-check.js'

/**
 * The exit codes of errors which say that the host or the cluster does not qualify, or only after a restart. After any
 * other the check found nothing.
 */
const JUDGED_EXITS: readonly number[] = [3, 10]
export const isInconclusive = ({exitCode}: K8sWinError): boolean => !JUDGED_EXITS.includes(exitCode)

/** Of a check of the host. One that did not finish has found nothing. */
export function judgedRow(judged: JudgedCheck, records: KnownRecords): Row {
  const {problems, row} = judged
  const {cause: _cause, fix: _fix, message, ...about} = row
  if (isExplained(judged, records)) return {...about, ...explained(message)}
  if (problems.length > 0 && problems.every(isInconclusive)) return {...about, ...notChecked(message)}
  return row
}

type Dependent = Required<Pick<Finding, 'dependsOn' | 'message' | 'result'>>

const dependent = (on: Check['id'], message: string): Dependent => ({...notChecked(message), dependsOn: on})
/** A failure that the records explain. */
const explained = (message: string): Dependent =>
  dependent('node-records', `${message} (explained by the check "node-records")`)

export function reportingRows(
  records: KnownRecords,
  found: readonly NodeFinding<unknown>[],
  isGrounded: (problem: FoundProblem) => boolean,
  judged: readonly JudgedCheck[],
): Row[] {
  const failedIn = (id: string): Check['id'] | undefined =>
    judged.find(({problems}) => problems.some((problem) => problem.id === id))?.check.id
  // Without the stored values nothing can be compared, which the records report.
  const isUncompared = ({restsOn = []}: FoundProblem): boolean =>
    records.unfinished === undefined && !records.isComparable && restsOn.includes('stored values')
  // The runtime has a row of its own where it is part of the node; Docker has its checks.
  const isOfNode = ({id}: Pick<Check, 'id'>): boolean => id !== 'node-runtime' || found.some(({check}) => check === id)
  const rows = REPORTING_CHECKS.filter(isOfNode).map((check): Row => {
    const {id, title} = check
    const findings = found.filter((one) => one.check === id)
    const its: readonly (Finding & Pick<KnownRecords, 'notChecked' | 'problems' | 'warnings'>)[] =
      id === 'node-records' ? [records] : findings
    const about = {durationMs: Math.max(0, ...findings.map((one) => one.durationMs)), id, title}
    const all = its.flatMap((one) => one.problems)
    const problems = all.filter((problem) => isGrounded(problem) && (id !== 'node-records' || problem.area === 'setup'))
    const said = problems.map((problem) => ({cause: problem.cause, fix: problem.next, message: problemText(problem)}))
    const [owner] = problems.map((problem) => failedIn(problem.id))
    if (owner !== undefined && problems.every((problem) => failedIn(problem.id) !== undefined))
      return {...about, ...dependent(owner, problems.map(({seen}) => seen).join('; '))}
    if (problems.length > 0) return {...about, ...failedRow(said)}
    const [open] = its.flatMap((one) => one.notChecked)
    if (open) return {...about, ...notChecked(`${open.what}: ${open.why}`)}
    const [hidden] = all.filter((problem) => !isGrounded(problem) && !isUncompared(problem))
    if (hidden) return {...about, ...explained(problemText(hidden))}
    if (its.length === 0) return {...about, ...notChecked('the check did not run')}
    const [one = {}] = [...its.filter(({dependsOn}) => dependsOn !== undefined), ...its]
    return {...about, ...foundRow(check, {...one, warnings: its.flatMap(({warnings}) => warnings)})}
  })
  // Of a chain of dependencies only the first check ran.
  const ownerOf = (id: string): string => rows.find((row) => row.id === id)?.dependsOn ?? id
  return rows.map((row) => (row.dependsOn === undefined ? row : {...row, dependsOn: ownerOf(row.dependsOn)}))
}

/** What the records of setup show, which decides what can be judged. */
export interface KnownRecords {
  /** The options of this node are known, so drift from them can be detected. */
  readonly isComparable: boolean
  readonly problems: readonly FoundProblem[]
  /** The step at which the run did not finish, where it is known. */
  readonly stoppedAt?: StepId
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
export function groundedBy(records: KnownRecords): (problem: FoundProblem) => boolean {
  const {isComparable, unfinished, unnoted} = records
  const isInterruption = interruptedBy(records)
  const lacking: Readonly<Record<Ground, boolean>> = {
    'end of the run': unfinished !== undefined,
    journal: unnoted.length > 0,
    'stored values': !isComparable,
  }
  // The cluster is not part of the node, and the reset needs it.
  const isRemoved = (problem: FoundProblem): boolean =>
    unfinished === 'reset' && REMOVED_BY_RESET.has(problem.area) && !isSilence(problem)
  // What a setup or recover repairs is missing because it did not finish, unless a log names another cause.
  const isAwaited = ({area, command, signature}: FoundProblem): boolean =>
    unfinished === 'setup' &&
    area !== 'setup' &&
    signature === undefined &&
    /^k8s-win (?:recover|setup)\b/.test(command ?? '')
  return (problem) =>
    !isRemoved(problem) &&
    !isAwaited(problem) &&
    !isInterruption(problem) &&
    !(problem.restsOn ?? []).some((ground) => lacking[ground])
}

/** Steps in which Windows moves the address of the host to a vSwitch: until it is back, nothing can be reached. */
const INTERRUPTING: ReadonlySet<StepId | undefined> = new Set([
  'external-network',
  'flanneld-service',
  'overlay-network',
])

const interruptedBy =
  ({stoppedAt, unfinished}: KnownRecords) =>
  (problem: Pick<FoundProblem, 'id'>): boolean =>
    unfinished === 'setup' && INTERRUPTING.has(stoppedAt) && (isSilence(problem) || isOfAdapter(problem))

/** Whether the unfinished run explains what a check found: those of the node itself mean nothing on an incomplete node. */
export function isExplained({check, problems, row: {result}}: JudgedCheck, records: KnownRecords): boolean {
  if (records.unfinished === undefined || (result !== 'fail' && result !== 'warn')) return false
  return check.on === 'node' || (problems.length > 0 && problems.every(interruptedBy(records)))
}
