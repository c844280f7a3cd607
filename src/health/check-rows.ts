// What was found as doctor shows it: a row per check, then one per probe.
import type {CheckId, NodeCheckId} from '../config/check-ids.js'
import type {StepId} from '../config/step-ids.js'
import type {K8sWinError} from '../errors/k8s-win-error.js'
import type {CheckResult} from '../pipeline/run/events.js'
import type {DriftStatus, StatusArea, Unseen} from '../pipeline/run/status-report.js'
import type {PreflightOutcome} from '../preflight/index.js'
import {CHECKS_OF_A_NODE} from './health-checks.js'
import type {FoundProblem, Ground, Seen} from './probe.js'
import {isSilence} from './root-cause.js'

/** With why, where a problem was found. */
export type Row = CheckResult & {readonly cause?: string}

/** Of errors that say that the host or the cluster does not qualify. Any other says that the check saw nothing. */
const JUDGED_EXIT = 3
export const isUnseeing = ({exitCode}: K8sWinError): boolean => exitCode !== JUDGED_EXIT

/** A check that did not finish has no result; the others decide. */
export function checkRow(result: CheckResult, {causes, failures}: PreflightOutcome): Row {
  const its = failures.filter(({check}) => check.id === result.id)
  const cause = causes[result.id]
  if (its.length > 0 && its.every(({problem}) => isUnseeing(problem))) {
    const {fix: _fix, message, ...about} = result
    return {...about, looked: false, message: `could not be checked: ${message}`, result: 'pass'}
  }
  return cause === undefined ? result : {...result, cause}
}

/** What the records explain is no failure of its own. */
export function explainedRow({fix: _fix, message, ...about}: CheckResult): CheckResult {
  return {...about, ...dependentRow('node-records', `${message} ${EXPLAINED}`)}
}

const EXPLAINED = '(explained by the check "node-records")'

/** The probes as doctor shows them, in this order. */
const ROWS: readonly {readonly healthy: string; readonly id: NodeCheckId; readonly title: string}[] = [
  {healthy: 'the last setup finished', id: 'node-records', title: 'Records of setup'},
  {healthy: 'present and valid', id: 'node-identities', title: 'Kubeconfigs and certificates'},
  {healthy: 'verified', id: 'node-programs', title: 'Installed programs'},
  {healthy: 'present, for this Windows build', id: 'image-build', title: 'Base and pause images'},
  {healthy: 'running, started with Windows, healthy', id: 'node-services', title: 'Windows services'},
  {healthy: 'as flanneld creates it', id: 'overlay-network', title: 'Overlay network'},
  {healthy: 'kube-proxy has programmed them in HNS', id: 'services-proof', title: 'Kubernetes Services'},
  {healthy: 'as setup created them', id: 'node-firewall', title: 'Firewall rules of setup'},
  {healthy: 'registered and Ready', id: 'node-condition', title: 'Node status in the cluster'},
  {healthy: 'every step is as setup left it', id: 'drift', title: 'Drift'},
]

export const PROBE_ROWS: readonly {readonly id: NodeCheckId; readonly title: string}[] = ROWS

export function probeRows(
  records: KnownRecords,
  found: readonly Seen<unknown>[],
  isGrounded: (problem: FoundProblem) => boolean,
  {failures}: PreflightOutcome,
  drift: readonly DriftStatus[],
): Row[] {
  const failedIn = (id: string): CheckId | NodeCheckId | undefined =>
    failures.find(({problem}) => problem.id === id)?.check.id
  // Without the stored values nothing was compared with them: that is no finding, unless a run that did not finish is one.
  const isUncompared = ({restsOn = []}: FoundProblem): boolean =>
    records.unfinished === undefined && !records.isComparable && restsOn.includes('stored values')
  const rows = ROWS.map(({healthy, id, title}): Row => {
    const seen = found.filter(({check}) => check === id)
    const its = id === 'node-records' ? [records] : seen
    const about = {durationMs: Math.max(0, ...seen.map((one) => one.durationMs)), id, title}
    const all = its.flatMap((one): readonly FoundProblem[] => one.problems)
    const problems = all.filter((problem) => isGrounded(problem) && (id !== 'node-records' || problem.area === 'setup'))
    const [unseen] = its.flatMap((one) => one.unseen)
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
    if (id === 'drift' && drift.some(({state}) => !UNDRIFTED.includes(state)))
      return {...about, ...driftRow(drift, found)}
    if (unseen)
      return {...about, looked: false, message: `${unseen.what} could not be checked: ${unseen.why}`, result: 'pass'}
    const [explained] = all.filter((problem) => !isGrounded(problem) && !isUncompared(problem))
    if (explained)
      return {...about, ...dependentRow('node-records', `${explained.subject}: ${explained.seen} ${EXPLAINED}`)}
    const [owner] = seen.flatMap(({dependsOn = []}) => dependsOn)
    if (owner) return {...about, ...dependentRow(owner.check, `not checked: ${owner.why}`)}
    const [fix] = seen.flatMap((one) => one.fix ?? [])
    if (warnings.length > 0)
      return {...about, ...(fix !== undefined && {fix}), message: warnings.join('; '), result: 'warn'}
    if (its.length === 0) return {...about, looked: false, message: 'not checked', result: 'pass'}
    const [summary = healthy] = seen.flatMap((one) => one.summary ?? [])
    return {...about, message: summary, result: 'pass'}
  })
  // Of a chain the first link counts: the others are not checked themselves.
  const ownerOf = (id: string): string => rows.find((row) => row.id === id)?.dependsOn ?? id
  return rows.map((row) => (row.dependsOn === undefined ? row : {...row, dependsOn: ownerOf(row.dependsOn)}))
}

type Dependent = Pick<CheckResult, 'dependsOn' | 'looked' | 'message' | 'result'>

const dependentRow = (dependsOn: string, message: string): Dependent => ({
  dependsOn,
  looked: false,
  message,
  result: 'pass',
})

const UNDRIFTED: readonly string[] = ['in-place', 'skipped']

/** Of steps whose drift another probe reports, or that nothing could judge. */
function driftRow(drift: readonly DriftStatus[], found: readonly Seen<unknown>[]): Dependent {
  const gone = drift.filter(({state}) => state === 'drifted' || state === 'missing').map(({step}) => step)
  const owner = found.find(({steps}) => steps.some((step) => gone.includes(step)))
  if (owner) {
    const message = `${gone.join(', ')}: reported by the check "${owner.check}"`
    return {dependsOn: owner.check, looked: false, message, result: 'pass'}
  }
  const unseen = drift.filter(({state}) => state === 'not looked at')
  const why = [...new Set(unseen.flatMap(({evidence}) => evidence))].join('; ')
  const message = `${unseen.map(({step}) => step).join(', ')} could not be checked: ${why}`
  return {looked: false, message, result: 'pass'}
}

/** What the records of setup say of the node, which decides what can be judged. */
export interface KnownRecords {
  /** It is known what this node was set up with, so drift can be detected. */
  readonly isComparable: boolean
  readonly problems: readonly FoundProblem[]
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
