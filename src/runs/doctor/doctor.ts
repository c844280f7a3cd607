// doctor: the checks of setup, and the health of the node if there is one, with explanations. A list of phases. Reads only:
// takes no lock and writes nothing.
import {GROUP_OF, type GroupId, GROUPS} from '../../config/check-ids.js'
import type {Decided} from '../../config/model.js'
import type {GivenOptions} from '../../config/options/options.js'
import {nodeOptionsLost, storedConfigUnusable} from '../../errors/configuration.js'
import {ProblemsError} from '../../errors/k8s-win-error.js'
import {recordsLost, resetRunning, resetUnfinished, setupRunning, setupUnfinished} from '../../errors/unhealthy-node.js'
import {problemsOf} from '../../health/check-health.js'
import {DOCTOR_CHECKS, NODE_CHECKS} from '../../health/health-checks.js'
import {rootCauseFirst} from '../../health/root-cause.js'
import {type Host, hostOptions, openHost} from '../../host/host.js'
import {readOnlyMachine, rememberingMachine} from '../../machine/intercept.js'
import {watchPendingEffects} from '../../machine/pending-effects.js'
import type {StandardInput} from '../../machine/standard-input.js'
import {
  type DoctorCheck,
  type DoctorDocument,
  doctorDocument,
  type DoctorGroup,
  type NodeState,
} from '../../output/doctor/doctor-document.js'
import type {GroupedCheck} from '../../output/doctor/doctor-view.js'
import {keptName} from '../../pipeline/desired/cluster/node-cluster.js'
import {problemText, type StatusProblem} from '../../pipeline/run/status-report.js'
import {toUserError} from '../../pipeline/run/to-user-error.js'
import type {Check} from '../../preflight/check.js'
import {Facts} from '../../preflight/facts.js'
import {CHECKS, type JudgedCheck, runChecks} from '../../preflight/index.js'
import {readAsked, readConfiguration} from '../configuration.js'
import {decideConfig} from '../decide-config.js'
import {registerSecrets} from '../register-secrets.js'
import {type Phase, runPhases, type Session} from '../run.js'
import {CHECK_NODE, type HealthInput, type NodeRun, shown} from '../status/node-health.js'

export interface DoctorInput extends Pick<HealthInput, 'typed'>, Omit<Session, 'bus'> {
  readonly dockerHost?: string | undefined
  /** The command line's options. */
  readonly given: GivenOptions
  /** Where --token-file - reads the token. */
  readonly input?: StandardInput | undefined
  /** Called for each check as it ends. */
  readonly onCheck?: (check: GroupedCheck) => void
}

/** Each value is set by the phase that finds it. */
interface DoctorRun extends Omit<DoctorInput, 'signal'>, NodeRun {
  baseDir: string
  judged: readonly JudgedCheck[]
  /** As setup would decide it. */
  requested: Decided
  rows: readonly DoctorCheck[]
  readonly waitsFor: () => string | undefined
}

const SECRETS_MS = 10_000

const DOCTOR: readonly Phase<DoctorRun>[] = [
  {run: readRequested, title: 'Read the configuration'},
  ...CHECK_NODE,
  // Those of setup, and of a node those that take long.
  {run: checkHost, title: 'Check the host'},
  {run: addHealth, title: 'Check node health'},
]

/** Rejects with what is wrong with the request itself, and when the signal is aborted. */
export async function runDoctor(input: DoctorInput): Promise<DoctorDocument> {
  const {machine, waitsFor} = watchPendingEffects(rememberingMachine(readOnlyMachine(input.machine)))
  const [startedAt, began] = [machine.clock.now(), machine.clock.elapsed()]
  const run = {...input, machine, phase: '', reviews: 'all', waitsFor} as DoctorRun
  try {
    await runPhases(DOCTOR, run)
    const {baseDir, health, rows} = run
    const ending = {
      baseDir,
      durationMs: Math.round(machine.clock.elapsed() - began),
      finishedAt: machine.clock.now(),
      groups: grouped(rows),
      health: health?.verdict ?? ('not set up' as const),
      node: stateOf(run),
      problems: problemsIn(run),
      simulated: machine.simulated,
      startedAt,
      notChecked: health?.notChecked ?? [],
    }
    return shown(run, doctorDocument(ending))
  } catch (error) {
    if (error instanceof ProblemsError) throw error
    throw toUserError(error, 'doctor', waitsFor()) ?? error
  } finally {
    machine.http.disconnect()
  }
}

async function checkHost(run: DoctorRun): Promise<void> {
  const {assets, health, known, machine, redactor, requested, signal, waitsFor} = run
  const host = openHost(machine, hostOptions(assets, requested))
  const facts = new Facts(await named(run, host), host, known.journal)
  await registerSecrets(facts, redactor, SECRETS_MS)
  const isOther = health !== undefined && isOtherNode(requested, known.config)
  const checks = !health ? CHECKS : isOther ? [...CHECKS, ...NODE_CHECKS.filter(({only}) => only)] : DOCTOR_CHECKS
  const shown = (row: DoctorCheck): DoctorCheck => onNode(row, isOther || !health ? 'absent' : stateOf(run))
  const onRow = (row: DoctorCheck): void => report(run, shown(row))
  const {judged} = await runChecks(facts, {checks, onRow, signal, waitsFor})
  run.judged = judged
  run.rows = judged.map(({row}) => shown(row))
}

async function addHealth(run: DoctorRun): Promise<void> {
  const {health, known, rows} = run
  const ofNode = health
    ? health.checks.filter(({id}) => !rows.some((one) => one.id === id))
    : known.problems.map((problem) => recordsRow(problem))
  for (const check of ofNode) report(run, check)
  run.rows = [...rows, ...ofNode]
}

function report(run: DoctorRun, check: DoctorCheck): void {
  run.onCheck?.(shown(run, {group: groupOf(check), ...check}))
}

/** The problems of the health model, and those of failed checks that are not part of it. */
function problemsIn({health, judged, known: {problems}, rows}: DoctorRun): StatusProblem[] {
  const failed = new Set(rows.filter(({result}) => result === 'fail').map(({id}) => id))
  const failures = judged.filter(({check}) => failed.has(check.id))
  const known = (health?.problems ?? problems).map(({consequences: _, explainedBy: _root, ...problem}) => problem)
  const all = [...failures, ...(health?.judged ?? [])]
  return rootCauseFirst([...known, ...problemsOf(failures, known)]).map((problem, index) => {
    const its = new Set(
      all.filter((one) => one.problems.some(({id}) => id === problem.id)).map(({check}) => String(check.id)),
    )
    if (index === 0 && problem.area === 'setup') its.add('node-records')
    const dependents = rows.filter(({dependsOn}) => its.has(dependsOn ?? '')).length
    return dependents === 0 ? problem : {...problem, dependents}
  })
}

/** What only setup requires is not a failure of a running node. */
function onNode(check: DoctorCheck, node: NodeState): DoctorCheck {
  if (node === 'absent' || check.result !== 'fail' || isFailureOfNode(check)) return check
  // An unfinished run may have left the node not running.
  const runs = node === 'set-up' ? 'the node is running; ' : ''
  return {...check, message: `${check.message} (${runs}the next setup would fail)`, result: 'warn'}
}

const isFailureOfNode = (row: DoctorCheck): boolean =>
  DOCTOR_CHECKS.some(({failsOnNode, id}) => id === row.id && failsOnNode)

const recordsRow = (problem: StatusProblem): DoctorCheck => ({
  cause: problem.cause,
  durationMs: 0,
  fix: problem.next,
  id: 'node-records',
  message: problemText(problem),
  result: 'fail',
  title: 'Records of setup',
})

/** With other options than those of the last setup, everything is judged as setup would. */
function isOtherNode(requested: Decided, stored: Decided): boolean {
  const text = (config: Decided): string => JSON.stringify({...config, ignoreChecks: [], origin: undefined, skip: []})
  return text(requested) !== text(stored)
}

const STATES: Readonly<Record<string, NodeState>> = {
  [nodeOptionsLost.id]: 'unknown',
  [recordsLost.id]: 'unknown',
  [resetRunning.id]: 'leaving',
  [resetUnfinished.id]: 'leaving',
  [setupRunning.id]: 'begun',
  [setupUnfinished.id]: 'begun',
}

function stateOf({known}: DoctorRun): NodeState {
  const {problems} = known
  if (known.state === 'absent') return 'absent'
  const [state] = problems.flatMap(({id}) => STATES[id] ?? [])
  return state ?? (known.isComparable || problems.length > 0 ? 'set-up' : 'unknown')
}

/**
 * The configuration as setup would decide it: of a node that is set up it is stored, and nothing is asked. An unusable stored
 * configuration is a finding, and does not end doctor.
 */
async function readRequested(run: DoctorRun): Promise<void> {
  run.requested = await decided(run)
  run.baseDir = run.requested.baseDir
  run.ignoreChecks = run.requested.ignoreChecks
}

async function decided(run: DoctorRun): Promise<Decided> {
  const {assets, dockerHost, environment, given: flags, input: standardInput, machine, redactor, signal} = run
  const input = {dockerHost, environment, flags, machine, signal}
  try {
    const asked = await readAsked(input)
    const {baseDir, dockerPipe} = asked
    const host = openHost(machine, {assets, baseDir, dockerPipe})
    const from = {input: standardInput, register: redactor.register, warn() {}}
    // No check depends on it: the metadata service is asked by setup alone.
    return await decideConfig(
      {...asked, cloud: asked.cloud === 'auto' ? 'none' : (asked.cloud ?? 'none')},
      host,
      signal,
      from,
    )
  } catch (error) {
    if (!(error instanceof ProblemsError)) throw error
    if (!error.problems.some((problem) => storedConfigUnusable.is(problem))) throw error
    return await readConfiguration({...input, withStored: false})
  }
}

/** If the options are lost, only the check of the records reports it. */
async function named({known: {problems}, requested: config}: DoctorRun, host: Host): Promise<Decided> {
  const isLost = problems.some(({id}) => id === nodeOptionsLost.id || id === recordsLost.id)
  if (!isLost || config.nodeName !== undefined) return config
  const kept = await keptName(host).catch(() => undefined)
  return kept === undefined ? config : {...config, nodeName: kept}
}

function grouped(results: readonly DoctorCheck[]): DoctorGroup[] {
  return (Object.keys(GROUPS) as GroupId[]).flatMap((id) => {
    const checks = results.filter((check) => groupOf(check) === id)
    return checks.length === 0 ? [] : [{checks, id, title: GROUPS[id]}]
  })
}

const groupOf = ({id}: Pick<Check, 'title'> & {readonly id: string}): GroupId => GROUP_OF[id as keyof typeof GROUP_OF]
