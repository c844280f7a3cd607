// The health of a node: one list of checks, and one verdict, for status, doctor and the end of setup. Reads only.
import {KUBELET, type Node} from '../config/model.js'
import {kubeconfigUnreadable} from '../errors/cluster.js'
import {notAdministrator} from '../errors/host.js'
import type {K8sWinError} from '../errors/k8s-win-error.js'
import {RUNTIME_TITLES} from '../host/runtime.js'
import {orGivenUp} from '../host/wait.js'
import type {
  ServiceReport,
  StatusDocument,
  StatusProblem,
  StatusVerdict,
  NotChecked,
} from '../pipeline/run/status-report.js'
import type {Step, StepId} from '../pipeline/run/step.js'
import {type Check, dependsOn, type FoundProblem} from '../preflight/check.js'
import type {Facts} from '../preflight/facts.js'
import type {Row} from '../preflight/check-row.js'
import {type JudgedCheck, runChecks} from '../preflight/index.js'
import {groundedBy, isExplained, isInconclusive, judgedRow, type KnownRecords, reportingRows} from './check-rows.js'
import {type Cover, driftOf, inspectSteps} from './drift.js'
import {HEALTH_CHECKS, reportingChecks} from './health-checks.js'
import {podNetworkProblems} from './network.js'
import {type NodeReport, nodeCheck} from './node.js'
import {rootCauseFirst} from './root-cause.js'
import {imagesCheck, runtimeCheck} from './runtime.js'
import {
  type CheckScope,
  LOCAL_MS,
  type NodeFinding,
  problemOf,
  runReportingCheck,
  withProblems,
} from './run-reporting-check.js'

export interface HealthRequest extends CheckScope {
  readonly facts: Facts
  /** Setup has just verified programs and images. */
  readonly isJustSetUp?: boolean
  /** Nothing responds for the cluster. */
  readonly isOffline?: boolean
  readonly records: KnownRecords
  /** The steps whose drift is checked; none if setup has just inspected all of them. */
  readonly steps: readonly Step[]
}

/** What status shows of each part; null if it could not be checked. */
export type NodeParts = Pick<
  StatusDocument,
  'drift' | 'firewall' | 'identities' | 'images' | 'network' | 'node' | 'programs' | 'runtime' | 'services'
>

export const NO_PARTS: NodeParts = {
  drift: null,
  firewall: null,
  identities: null,
  images: null,
  network: null,
  node: null,
  programs: null,
  runtime: null,
  services: [],
}

/** A service has a report of its own. */
function partsOf({report}: NodeFinding<NodeReport>, found: readonly NodeFinding<unknown>[]): NodeParts {
  const reports = found.flatMap(({part, report: its}) => (part === undefined ? [] : [[part, its ?? null] as const]))
  const services = reports.flatMap(([part, its]) => (part === 'services' && its !== null ? [its as ServiceReport] : []))
  const others = Object.fromEntries(reports) as Partial<NodeParts>
  return {...NO_PARTS, ...others, node: report?.status ?? null, services}
}

export interface Health extends Pick<StatusDocument, 'notChecked' | 'problems' | 'warnings'> {
  /** As doctor shows them: the checks without a report for status, then those with a report. */
  readonly checks: readonly Row[]
  /** Those without a report for status. */
  readonly judged: readonly JudgedCheck[]
  readonly parts: NodeParts
  /** The root causes, but for those of steps that were skipped. */
  readonly roots: readonly StatusProblem[]
  readonly verdict: Exclude<StatusVerdict, 'not set up'>
}

const SHORT_MS = 3000
/** Rejects only when the signal is aborted. */
export async function checkHealth(request: HealthRequest): Promise<Health> {
  const {facts, isJustSetUp = false, isOffline = false, machine, records, signal, steps, ...rest} = request
  const isJournalIncomplete = records.unnoted.length > 0
  const scope: CheckScope = {...rest, isJournalIncomplete, machine, signal}
  const {config} = scope
  const nodeFinding = runReportingCheck(scope, nodeCheck)
  const isMade = ({cost}: Pick<Check, 'cost'>): boolean => !isOffline || cost !== 'cluster'
  const answer = nodeFinding.then(
    ({notChecked: [why], report}) => report?.answer ?? {silence: why?.why ?? 'no response'},
  )
  // On Ctrl-C it rejects after everything that awaits it has ended.
  answer.catch(() => {})
  const isAdministrator = orGivenUp(machine.clock, SHORT_MS, facts.host.os.isAdministrator())
  // Every step has verified its programs a moment ago.
  const checks = reportingChecks(config).filter((one) => isMade(one) && (!isJustSetUp || one.part !== 'programs'))
  const [{judged}, node, others, drift] = await Promise.all([
    runChecks(facts, {checks: HEALTH_CHECKS.filter(isMade), deadlineMs: LOCAL_MS * (request.patience ?? 1), signal}),
    nodeFinding,
    Promise.all(checks.map((check) => runReportingCheck(scope, check))),
    records.isComparable ? inspectSteps(scope, facts, steps, answer) : undefined,
  ])
  const parts = partsOf(node, others)
  const overlay = podNetworkProblems(parts)
  const isRunning = parts.runtime?.running === true
  const findings: readonly NodeFinding<unknown>[] = [
    isOutdated(parts) ? {...node, ...KUBELET_DOWN} : node,
    ...others
      .filter(({part}) => isRunning || part !== 'images')
      .map((one) => (one.part === 'network' ? withProblems(one, overlay) : one)),
  ]
  const isGrounded = groundedBy(records)
  const covered = new Map<StepId, Cover>([
    ...findings.flatMap(({check, steps: its}) => its.map((step) => [step, {check}] as const)),
    ...(isRunning ? [] : (['docker', ...(imagesCheck(config).steps ?? [])] as const)).map(
      (step) => [step, silent(config)] as const,
    ),
    ...records.unnoted.map((step) => [step, LOST] as const),
  ])
  const drifted = drift && driftOf(drift, covered)
  const found = drifted ? [...findings, drifted] : findings
  const isSilent = node.report !== undefined && 'silence' in node.report.answer
  const isElevated = (await isAdministrator) !== false
  const reported = [...records.problems, ...found.flatMap(({problems}) => problems).filter(isGrounded)]
  const all = [...reported, ...problemsOf(judged, reported).filter(isGrounded)]
  // An account that may not read a file cannot judge it.
  const problems = isElevated ? all : all.filter(({id}) => id !== kubeconfigUnreadable.id)
  const notChecked = [
    ...(isElevated ? [] : [NOT_ELEVATED]),
    ...records.notChecked,
    ...found.flatMap((one) => one.notChecked),
    ...judged.flatMap(({check, problems: its}) =>
      its
        .filter((problem) => isInconclusive(problem) && !(isSilent && isOfCluster(check)))
        .map(({message: why}) => ({what: check.title, why})),
    ),
  ].filter(isFirst)
  const ordered = rootCauseFirst(problems)
  const skipped = problems.filter(({steps: its = []}) => its.some((step) => config.skip.includes(step)))
  const isSkipped = (root: StatusProblem): boolean =>
    skipped.some(({id, subject}) => id === root.id && subject === root.subject)
  return {
    checks: [...judged.map((one) => judgedRow(one, records)), ...reportingRows(records, found, isGrounded, judged)],
    judged,
    parts: {...parts, drift: drifted?.report ?? null, images: isRunning ? parts.images : null},
    problems: ordered,
    notChecked,
    roots: ordered.filter((one) => one.explainedBy === undefined && !isSkipped(one)),
    verdict: problems.length > 0 ? 'degraded' : notChecked.length > 0 ? 'unknown' : 'healthy',
    warnings: [
      ...records.warnings,
      ...found.flatMap(({warnings}) => warnings),
      ...judged
        .filter((one) => one.row.result === 'warn' && !one.check.warnedBy && !isExplained(one, records))
        .map(({row: {fix, message}}) => (fix === undefined ? message : `${message}. ${fix}`)),
    ],
  }
}

/** Of a step that needs the runtime. */
const silent = (config: Node): Cover => ({
  check: runtimeCheck(config).id,
  why: `${RUNTIME_TITLES[config.runtime]} does not respond`,
})

const LOST: Cover = {check: 'node-records', why: 'only the journal, which is lost, has this information'}

const NOT_ELEVATED: NotChecked = {
  id: notAdministrator.id,
  what: 'what only administrators can see',
  why: 'the console is not elevated, or the account is not an administrator',
}

/** The failures of checks, except those that a check with a report shows in more detail. */
export function problemsOf(
  judged: readonly JudgedCheck[],
  reported: readonly Pick<StatusProblem, 'id'>[],
): FoundProblem[] {
  const known = new Set(reported.map(({id}) => id))
  const failures = judged.flatMap(({check, problems}) => problems.map((problem) => ({check, problem})))
  const isNew = (error: K8sWinError, index: number): boolean =>
    !known.has(error.id) &&
    !isInconclusive(error) &&
    failures.findIndex(({problem}) => problem.id === error.id && problem.message === error.message) === index
  return failures.flatMap(({check, problem}, index) => {
    const wanted = problem.wanted ?? `the check "${check.id}" passes`
    const about = {area: check.area, subject: check.title, wanted}
    const restsOn = check.on === 'node' ? (['end of the run'] as const) : []
    return isNew(problem, index) ? [problemOf(problem, {...about, restsOn})] : []
  })
}

const KUBELET_DOWN = dependsOn(
  'node-services',
  'the cluster shows the last report of the kubelet, which is not running',
)

/** The cluster reports a node as Ready for a while after its kubelet has stopped. */
const isOutdated = ({node, services}: NodeParts): boolean =>
  node?.ready === true && services.some(({name, state}) => name === KUBELET && state !== 'running')

const isFirst = ({what, why}: NotChecked, index: number, all: readonly NotChecked[]): boolean =>
  all.findIndex((one) => one.what === what && one.why === why) === index

/** That the cluster does not respond is reported once, by the check of the node. */
const isOfCluster = ({group}: Check): boolean => ['cluster', 'identity', 'reach'].includes(group)
