// The health of a node: one list of probes and checks, and one verdict, for status, doctor and the end of setup. Reads only.
import {type CheckId, GROUP_OF} from '../config/check-ids.js'
import {KUBELET} from '../config/model.js'
import {kubeconfigUnreadable} from '../errors/cluster.js'
import {notAdministrator} from '../errors/host.js'
import type {K8sWinError} from '../errors/k8s-win-error.js'
import {RUNTIME_TITLES} from '../host/runtime.js'
import {within} from '../host/wait.js'
import type {CheckResult} from '../pipeline/run/events.js'
import type {
  ProgramStatus,
  ServiceReport,
  StatusDocument,
  StatusProblem,
  StatusVerdict,
  NotChecked,
} from '../pipeline/run/status-report.js'
import type {Step, StepId} from '../pipeline/run/step.js'
import type {HostFacts} from '../preflight/facts.js'
import {type PreflightOutcome, runChecks} from '../preflight/index.js'
import {
  checkRow,
  explainedBy,
  explainedRow,
  groundedBy,
  isOfNode,
  isInconclusive,
  type KnownRecords,
  probeRows,
  type Row,
} from './check-rows.js'
import {daemonsOf} from './daemons.js'
import {driftProbe, driftStatus, type StepDrift} from './drift.js'
import {firewallProbe} from './firewall.js'
import {areaOf, HEALTH_CHECKS} from './health-checks.js'
import {identitiesProbe} from './identities.js'
import {networkProbe, podNetworkProblems} from './network.js'
import {type ClusterAnswer, type NodeReport, nodeProbe} from './node.js'
import {
  asTyped,
  type FoundProblem,
  type ProbeScene,
  problemOf,
  runProbe,
  type Seen,
  type TypeCommand,
  withProblems,
} from './probe.js'
import {programsProbe, withLostDigests} from './programs.js'
import {rootCauseFirst} from './root-cause.js'
import {imagesProbe, runtimeProbe} from './runtime.js'
import {serviceProbe, servicesProofProbe} from './services.js'

export interface HealthRequest extends ProbeScene {
  readonly facts: HostFacts
  /** Setup has just verified programs and images. */
  readonly isJustSetUp?: boolean
  readonly records: KnownRecords
  /** The steps whose drift is checked; none if setup has just inspected all of them. */
  readonly steps: readonly Step[]
}

/** What status shows of each part; null if it could not be checked. */
export type NodeParts = Pick<
  StatusDocument,
  'drift' | 'firewall' | 'identities' | 'images' | 'network' | 'node' | 'programs' | 'runtime' | 'services'
>

export interface Health extends Pick<StatusDocument, 'notChecked' | 'problems' | 'warnings'> {
  /** As doctor shows them: those of the checks, then one per probe. */
  readonly checks: readonly Row[]
  /** What failed in which check. */
  readonly failures: PreflightOutcome['failures']
  readonly parts: NodeParts
  readonly verdict: Exclude<StatusVerdict, 'not set up'>
}

const SHORT_MS = 3000
/** For one check: a healthy node and its cluster respond within milliseconds. */
const CHECK_MS = 5000
/** The probe of the same reports more. */
const WARNED_BY_PROBES: ReadonlySet<string> = new Set(['credentials'])
/** Rejects only when the signal is aborted. */
export async function checkHealth(request: HealthRequest): Promise<Health> {
  const {facts, isJustSetUp = false, journal, machine, records, signal, steps, ...rest} = request
  const scene: ProbeScene = {...rest, journal, machine, signal}
  const {clock} = machine
  const {config} = scene
  const ofImages = imagesProbe(config)
  const nodeSeen = runProbe(scene, nodeProbe)
  const answer = nodeSeen.then(({report, notChecked: [why]}) => report?.answer ?? {silence: why?.why ?? 'no response'})
  // On Ctrl-C it rejects after everything that awaits it has ended.
  answer.catch(() => {})
  const isAdministrator = within(clock, SHORT_MS, facts.host.os.isAdministrator()).catch(() => undefined)
  const [outcome, node, identities, runtime, services, network, proof, firewall, installed, images, drift] =
    await Promise.all([
      runHealthChecks(request),
      nodeSeen,
      runProbe(scene, identitiesProbe),
      runProbe(scene, runtimeProbe(config)),
      Promise.all(daemonsOf(config).map((daemon) => runProbe(scene, serviceProbe(daemon)))),
      runProbe(scene, networkProbe),
      runProbe(scene, servicesProofProbe),
      runProbe(scene, firewallProbe),
      isJustSetUp ? VERIFIED : journal.all().length === 0 ? WITHOUT_JOURNAL : runProbe(scene, programsProbe),
      runProbe(scene, ofImages),
      records.isComparable ? findDrift(scene, facts, steps, answer) : undefined,
    ])
  const condition = isOutdated(node, services) ? {...node, dependsOn: KUBELET_DOWN} : node
  const overlay = network.report && podNetworkProblems(network.report, node.report?.status?.podCIDR ?? '')
  const programs = records.unnoted.length > 0 ? withLostDigests(installed) : installed
  // Without the runtime the images cannot be checked, which its own probe reports.
  const isRuntimeDown = runtime.report?.running !== true
  const probes = [
    condition,
    identities,
    runtime,
    ...services,
    withProblems(
      network,
      overlay?.map((problem) => asTyped(problem, request.command)),
    ),
    proof,
    firewall,
    programs,
  ]
  const seen: readonly Seen<unknown>[] = isRuntimeDown ? probes : [...probes, images]
  const isGrounded = groundedBy(records)
  const claimed = new Set([
    ...records.unnoted,
    ...(isRuntimeDown ? (ofImages.steps ?? []) : []),
    ...seen.flatMap((one) => one.steps),
  ])
  const unjudged = new Map([
    ...(isRuntimeDown ? (ofImages.steps ?? []) : []).map(
      (id) => [id, `${RUNTIME_TITLES[config.runtime]} does not respond`] as const,
    ),
    ...records.unnoted.map((id) => [id, 'only the journal, which is lost, has this information'] as const),
  ])
  const driftReport = drift?.map((one) => driftStatus(one, unjudged))
  const drifted = (drift ?? []).filter(({step}) => !claimed.has(step.id)).flatMap(({seen: one}) => one ?? [])
  const found = [...seen, ...drifted]
  const isSilent = node.report !== undefined && 'silence' in node.report.answer
  const isElevated = (await isAdministrator) !== false
  const probed = [...records.problems, ...found.flatMap(({problems}) => problems).filter(isGrounded)]
  const all = [...probed, ...problemsOf(outcome.failures, probed, request.command).filter(isGrounded)]
  // An account that may not read a file cannot judge it.
  const problems = isElevated ? all : all.filter(({id}) => id !== kubeconfigUnreadable.id)
  const notChecked = [
    ...(isElevated ? [] : [NOT_ELEVATED]),
    ...records.notChecked,
    ...found.flatMap((one) => one.notChecked),
    ...unaskedSteps(drift ?? [], claimed),
    ...outcome.failures.flatMap(({check, problem}) =>
      isInconclusive(problem) && !(isSilent && isOfCluster(check)) ? [{what: check.title, why: problem.message}] : [],
    ),
  ].filter(isFirst)
  const isExplained = explainedBy(records)
  return {
    checks: [
      ...outcome.results.map((result) => (isExplained(result) ? explainedRow(result) : checkRow(result, outcome))),
      ...probeRows(records, found, isGrounded, outcome, driftReport ?? []),
    ],
    failures: outcome.failures,
    parts: {
      drift: driftReport ?? null,
      firewall: firewall.report ?? null,
      identities: identities.report ?? null,
      images: (isRuntimeDown ? undefined : images.report) ?? null,
      network: network.report ?? null,
      node: node.report?.status ?? null,
      programs: programs.report ?? null,
      runtime: runtime.report ?? null,
      services: services.flatMap(({report}) => report ?? []),
    },
    problems: rootCauseFirst(problems),
    notChecked,
    verdict: problems.length > 0 ? 'degraded' : notChecked.length > 0 ? 'unknown' : 'healthy',
    warnings: [
      ...records.warnings,
      ...found.flatMap(({warnings}) => warnings),
      ...outcome.results.flatMap((check) => {
        const {fix, id, message, result} = check
        if (result !== 'warn' || WARNED_BY_PROBES.has(id) || isExplained(check)) return []
        return [fix === undefined ? message : `${message}. ${fix}`]
      }),
    ],
  }
}

const VERIFIED: Seen<readonly ProgramStatus[]> = {
  check: programsProbe.check,
  durationMs: 0,
  problems: [],
  steps: programsProbe.steps ?? [],
  notChecked: [],
  warnings: [],
}
const WITHOUT_JOURNAL: Seen<readonly ProgramStatus[]> = {
  ...VERIFIED,
  notChecked: [{what: programsProbe.what, why: 'their digests are in the journal, which cannot be read'}],
}

const NOT_ELEVATED: NotChecked = {
  id: notAdministrator.id,
  what: 'what only administrators can see',
  why: 'the console is not elevated, or the account is not an administrator',
}

const runHealthChecks = ({facts, machine, patience = 1, signal}: HealthRequest): Promise<PreflightOutcome> =>
  runChecks(
    facts,
    machine.clock,
    () => {},
    signal,
    () => undefined,
    HEALTH_CHECKS,
    CHECK_MS * patience,
  )

/** The failures of checks, except those that a probe reports with more detail. */
export function problemsOf(
  failures: PreflightOutcome['failures'],
  probed: readonly Pick<StatusProblem, 'id'>[],
  command: TypeCommand,
): FoundProblem[] {
  const known = new Set(probed.map(({id}) => id))
  const isNew = (error: K8sWinError, index: number): boolean =>
    !known.has(error.id) &&
    !isInconclusive(error) &&
    failures.findIndex(({problem}) => problem.id === error.id && problem.message === error.message) === index
  return failures.flatMap(({check, problem}, index) => {
    const wanted = problem.wanted ?? `the check "${check.id}" passes`
    const about = {area: areaOf(check), subject: check.title, wanted}
    const restsOn = isOfNode(check.id) ? (['end of the run'] as const) : []
    return isNew(problem, index) ? [asTyped(problemOf(problem, {...about, restsOn}), command)] : []
  })
}

const KUBELET_DOWN = {
  check: 'node-services',
  why: 'the cluster shows the last report of the kubelet, which is not running',
} as const

/** The cluster reports a node as Ready for a while after its kubelet has stopped. */
const isOutdated = ({report}: Seen<NodeReport>, services: readonly Seen<ServiceReport>[]): boolean =>
  report?.status?.ready === true &&
  services.some(({report: service}) => service?.name === KUBELET && service.state !== 'running')

const isFirst = ({what, why}: NotChecked, index: number, all: readonly NotChecked[]): boolean =>
  all.findIndex((one) => one.what === what && one.why === why) === index

/** With the DNS address that the cluster reports now, or else the one on the node. */
async function findDrift(
  scene: ProbeScene,
  facts: HostFacts,
  steps: readonly Step[],
  answer: Promise<ClusterAnswer>,
): Promise<StepDrift[]> {
  if (steps.length === 0) return []
  const isSilent = 'silence' in (await answer)
  const current = isSilent
    ? undefined
    : await within(scene.machine.clock, SHORT_MS, facts.clusterDNS()).catch(() => undefined)
  const config = {...scene.config, clusterDNS: current ?? scene.config.clusterDNS}
  return Promise.all(
    steps.map(async (step) => {
      const isSkipped = config.skip.includes(step.id)
      const seen = isSkipped ? undefined : await runProbe({...scene, config}, driftProbe(step, answer))
      return {isSkipped, seen, step}
    }),
  )
}

/** One line for all steps that need the cluster. */
function unaskedSteps(drift: readonly StepDrift[], claimed: ReadonlySet<StepId>): NotChecked[] {
  const unasked = drift.filter(({seen, step}) => !claimed.has(step.id) && seen?.report?.state === 'not-checked')
  const [why] = unasked.flatMap(({seen}) => seen?.report?.evidence ?? [])
  if (why === undefined) return []
  return [{what: `what only the cluster can report (${unasked.map(({step}) => step.id).join(', ')})`, why}]
}

/** That the cluster does not respond is reported once, by the probe of the node. */
const isOfCluster = ({id}: Pick<CheckResult, 'id'>): boolean =>
  ['cluster', 'identity', 'reach'].includes(GROUP_OF[id as CheckId])
