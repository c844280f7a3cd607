// The document of status, from what the probes saw: each problem once, the root of the others first.
import {homeOfService, isSameHome} from '../components/node-home.js'
import {
  type DriftStatus,
  type ImageStatus,
  type IdentityStatus,
  type NetworkStatus,
  type ProgramStatus,
  type RuleStatus,
  type RuntimeStatus,
  type ServiceReport,
  STATUS_AREAS,
  type StatusDocument,
  type StatusProblem,
  type Unseen,
} from '../pipeline/status-report.js'
import type {Step} from '../pipeline/step.js'
import type {NodeReport} from '../health/node.js'
import type {FoundProblem, Ground, Seen} from '../health/probe.js'
import type {RecordProblem} from './record-problems.js'
import type {LookedUpNode} from './status-records.js'

export interface DriftLook {
  readonly isSkipped: boolean
  readonly seen?: Seen<DriftStatus> | undefined
  readonly step: Step
}

/** What was looked at. */
export interface Looks {
  readonly administrator?: boolean | undefined
  readonly drift?: readonly DriftLook[] | undefined
  readonly firewall?: Seen<readonly RuleStatus[]>
  readonly identities?: Seen<readonly IdentityStatus[]>
  /** Command lines of services of our names, where nothing is in the base directory. */
  readonly imagePaths: readonly string[]
  readonly images?: Seen<readonly ImageStatus[]>
  readonly network?: Seen<NetworkStatus>
  readonly node?: Seen<NodeReport>
  readonly problems: readonly StatusProblem[]
  readonly programs?: Seen<readonly ProgramStatus[]>
  readonly runtime?: Seen<RuntimeStatus>
  readonly services: readonly Seen<ServiceReport>[]
  readonly unseen: readonly Unseen[]
}

export function assemble(
  known: LookedUpNode,
  looks: Looks,
  times: {readonly finishedAt: number; readonly startedAt: number},
  command: (name: string) => string,
): Omit<StatusDocument, 'simulated'> {
  const {firewall, identities, images, network, node, programs, runtime, services} = looks
  const isAbsent = known.state === 'absent'
  // Without Docker nothing can be said of images, and that is told once.
  const isDockerDown = runtime?.report?.running === false
  const probes = [
    node,
    identities,
    runtime,
    ...services,
    network,
    firewall,
    programs,
    isDockerDown ? undefined : images,
  ]
  const seen = probes.filter((one) => one !== undefined)
  const isGrounded = groundedBy(known)
  const found = seen.flatMap((one) => one.problems).filter(isGrounded)
  const claimed = new Set([...known.unnoted, ...seen.flatMap((one) => one.steps)])
  const drift = (looks.drift ?? []).filter(({step}) => !claimed.has(step.id))
  const problems = [
    ...known.problems.map((problem) => ({...problem, next: nextOf(problem, command)})),
    ...(isAbsent && known.problems.length === 0 ? [notSetUp(known, looks.imagePaths, command)] : []),
    ...looks.problems,
    ...found,
    ...drift.flatMap(({seen: one}) => one?.problems ?? []),
  ]
  const unseen = [
    ...known.unseen,
    ...looks.unseen,
    ...[...seen, ...drift.flatMap(({seen: one}) => one ?? [])].flatMap((one) => one.unseen),
    ...unaskedSteps(drift),
  ]
  const verdict = isAbsent ? 'not set up' : problems.length + unseen.length > 0 ? 'degraded' : 'healthy'
  return {
    baseDir: known.config.baseDir,
    command: 'status',
    drift: looks.drift?.map((look) => driftOf(look, known)) ?? null,
    durationMs: times.finishedAt - times.startedAt,
    exitCode: verdict === 'healthy' ? 0 : verdict === 'degraded' ? 8 : 9,
    finishedAt: new Date(times.finishedAt).toISOString(),
    firewall: firewall?.report ?? null,
    identities: identities?.report ?? null,
    images: images?.report ?? null,
    network: network?.report ?? null,
    node: node?.report?.status ?? null,
    problems: ordered(problems),
    programs: programs?.report ?? null,
    release: known.config.release.text,
    runtime: runtime?.report ?? null,
    schemaVersion: 1,
    services: services.flatMap(({report}) => report ?? []),
    startedAt: new Date(times.startedAt).toISOString(),
    unseen: unseen.filter(isFirst),
    verdict,
    warnings: [
      ...known.warnings,
      ...[...seen, ...drift.flatMap(({seen: one}) => one ?? [])].flatMap((one) => one.warnings),
      ...notElevated(looks),
    ],
  }
}

/** A problem that the records explain already, or leave without a measure, is nobody else's doing. */
function groundedBy({isComparable, isUnfinished, unnoted}: LookedUpNode): (problem: FoundProblem) => boolean {
  const lacking: Readonly<Record<Ground, boolean>> = {
    'end of the run': isUnfinished,
    journal: unnoted.length > 0,
    'stored values': !isComparable,
  }
  return ({restsOn = []}) => !restsOn.some((ground) => lacking[ground])
}

function nextOf({next}: RecordProblem, command: (name: string) => string): string {
  return typeof next === 'function' ? next(command) : (next ?? command('setup'))
}

/** Stable: within an area in the order they were found. The steps a problem explains are ours only. */
function ordered(problems: readonly FoundProblem[]): StatusProblem[] {
  const told = problems.map(({restsOn: _restsOn, steps: _steps, ...problem}) => problem)
  return STATUS_AREAS.flatMap((area) => told.filter((problem) => problem.area === area))
}

const isFirst = ({what, why}: Unseen, index: number, all: readonly Unseen[]): boolean =>
  all.findIndex((one) => one.what === what && one.why === why) === index

function driftOf({isSkipped, seen, step: {id, title}}: DriftLook, {unnoted}: LookedUpNode): DriftStatus {
  if (seen?.report && seen.report.state !== 'in-place' && unnoted.includes(id)) {
    return {...seen.report, evidence: ['only the journal, which is lost, could tell'], state: 'not looked at'}
  }
  if (seen?.report) return seen.report
  const evidence = isSkipped ? ['skipped, as setup was told'] : (seen?.unseen ?? []).map(({why}) => why)
  return {evidence, state: isSkipped ? 'skipped' : 'not looked at', step: id, title}
}

/** One line for all steps that only the cluster could have answered. */
function unaskedSteps(drift: readonly DriftLook[]): Unseen[] {
  const unasked = drift.filter(({seen}) => seen?.report?.state === 'not looked at')
  const [why] = unasked.flatMap(({seen}) => seen?.report?.evidence ?? [])
  if (why === undefined) return []
  return [{what: `what only the cluster knows (${unasked.map(({step}) => step.id).join(', ')})`, why}]
}

const notElevated = ({administrator}: Looks): string[] =>
  administrator === false
    ? [
        'you are no administrator here, or the console is not elevated: what only administrators may see was not looked at',
      ]
    : []

function notSetUp(
  {config}: LookedUpNode,
  imagePaths: readonly string[],
  command: (name: string) => string,
): StatusProblem {
  const homes = imagePaths.flatMap((path) => homeOfService(path) ?? [])
  const home = homes.find((one) => !isSameHome(one, config.baseDir))
  return {
    area: 'setup',
    cause:
      home === undefined
        ? 'setup was never run for this folder, or reset has taken the node away.'
        : `The services of this host run from ${home}: its node was set up there.`,
    next: home === undefined ? command('setup') : `the same command with --base-dir "${home}"`,
    seen: 'nothing of k8s-win is there',
    subject: config.baseDir,
    wanted: 'a node that was set up',
  }
}
