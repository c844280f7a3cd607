// doctor: the checks of setup, and the health of the node if there is one, with explanations. Reads only: takes no lock and
// writes nothing.
import {GROUP_OF, type GroupId, GROUPS} from '../../config/check-ids.js'
import type {Decided} from '../../config/model.js'
import type {GivenOptions} from '../../config/options.js'
import {nodeOptionsLost, storedConfigUnusable} from '../../errors/configuration.js'
import {ProblemsError} from '../../errors/k8s-win-error.js'
import {recordsLost, resetRunning, resetUnfinished, setupRunning, setupUnfinished} from '../../errors/unhealthy-node.js'
import {problemsOf} from '../../health/check-health.js'
import {DOCTOR_CHECKS, NODE_CHECKS} from '../../health/health-checks.js'
import {rootCauseFirst} from '../../health/root-cause.js'
import {type Host, hostOptions, openHost} from '../../host/host.js'
import {orGivenUp} from '../../host/wait.js'
import {readOnlyMachine, rememberingMachine} from '../../machine/intercept.js'
import type {Machine} from '../../machine/machine.js'
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
import {redactAll} from '../../output/text/redact.js'
import {keptName} from '../../pipeline/desired/cluster/node-cluster.js'
import type {CheckResult} from '../../pipeline/run/events.js'
import type {StatusProblem} from '../../pipeline/run/status-report.js'
import {toUserError} from '../../pipeline/run/to-user-error.js'
import type {Check} from '../../preflight/check.js'
import {HostFacts} from '../../preflight/facts.js'
import {CHECKS, type PreflightOutcome, runChecks} from '../../preflight/index.js'
import {readAsked, readConfiguration} from '../configuration.js'
import {decideConfig} from '../decide-config.js'
import {registerSecrets} from '../register-secrets.js'
import type {Session} from '../run.js'
import {type CheckedNode, checkNode} from '../status/node-health.js'

export interface DoctorRun extends Omit<Session, 'bus'> {
  readonly dockerHost?: string | undefined
  /** The command line's options. */
  readonly given: GivenOptions
  /** Where --token-file - reads the token. */
  readonly input?: StandardInput | undefined
  /** Called for each check as it ends. */
  readonly onCheck?: (check: GroupedCheck) => void
  /** A command as typed on this host. */
  readonly typed: (name: string, baseDir: string | undefined) => string
}

const SECRETS_MS = 10_000

/** Rejects with what is wrong with the request itself, and when the signal is aborted. */
export async function runDoctor(run: DoctorRun): Promise<DoctorDocument> {
  const {assets, redactor, signal} = run
  const {clock} = run.machine
  const startedAt = clock.now()
  const {machine, waitsFor} = watchPendingEffects(rememberingMachine(readOnlyMachine(run.machine)))
  const report = (check: DoctorCheck): void =>
    run.onCheck?.(redactAll({group: groupOf(check), ...check}, redactor.redact))
  try {
    const requested = await readRequested(run, machine)
    const {baseDir, ignoreChecks} = requested
    const checked = await checkNode({...run, baseDir, ignoreChecks, machine, reviews: 'all'})
    const {health, known} = checked
    const host = openHost(machine, hostOptions(assets, requested))
    const facts = new HostFacts(await named(requested, host, checked), host, known.journal)
    await orGivenUp(clock, SECRETS_MS, registerSecrets(facts, redactor))
    const isOther = health !== undefined && isOtherNode(requested, known.config)
    const checks = !health ? CHECKS : isOther ? [...CHECKS, ...NODE_CHECKS.filter(({only}) => only)] : DOCTOR_CHECKS
    const judged = (result: CheckResult, cause?: string): DoctorCheck =>
      onNode({...result, ...(cause && {cause})}, isOther || !health ? 'absent' : stateOf(checked))
    const outcome = await runChecks(facts, clock, (...result) => report(judged(...result)), signal, waitsFor, checks)
    const preflight = outcome.results.map((result) => judged(result, outcome.causes[result.id]))
    const ofNode = health
      ? health.checks.filter(({id}) => !preflight.some((one) => one.id === id))
      : checked.problems.map((problem) => recordsRow(problem))
    for (const check of ofNode) report(check)
    const ending = {
      baseDir,
      finishedAt: clock.now(),
      groups: grouped([...preflight, ...ofNode]),
      health: health?.verdict ?? ('not set up' as const),
      node: stateOf(checked),
      problems: problemsIn(checked, outcome, [...preflight, ...ofNode]),
      simulated: machine.simulated,
      startedAt,
      notChecked: health?.notChecked ?? [],
    }
    return redactAll(doctorDocument(ending), redactor.redact)
  } catch (error) {
    if (error instanceof ProblemsError) throw error
    throw toUserError(error, 'doctor', waitsFor()) ?? error
  } finally {
    machine.http.disconnect()
  }
}

/** The problems of the health model, and those of failed checks that are not part of it. */
function problemsIn(
  {command, health, problems}: CheckedNode,
  outcome: PreflightOutcome,
  rows: readonly DoctorCheck[],
): StatusProblem[] {
  const failed = new Set(rows.filter(({result}) => result === 'fail').map(({id}) => id))
  const failures = outcome.failures.filter(({check}) => failed.has(check.id))
  const known = (health?.problems ?? problems).map(({consequences: _, explainedBy: _root, ...problem}) => problem)
  const all = [...failures, ...(health?.failures ?? [])]
  return rootCauseFirst([...known, ...problemsOf(failures, known, command)]).map((problem, index) => {
    const its = new Set(all.filter(({problem: {id}}) => id === problem.id).map(({check}) => String(check.id)))
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

const recordsRow = ({cause, next, seen, subject}: StatusProblem): DoctorCheck => ({
  cause,
  durationMs: 0,
  fix: next,
  id: 'node-records',
  message: `${subject}: ${seen}`,
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

function stateOf({known, problems}: CheckedNode): NodeState {
  if (known.state === 'absent') return 'absent'
  const [state] = problems.flatMap(({id}) => STATES[id] ?? [])
  return state ?? (known.isComparable || problems.length > 0 ? 'set-up' : 'unknown')
}

/**
 * The configuration as setup would decide it: of a node that is set up it is stored, and nothing is asked. An unusable stored
 * configuration is a finding, and does not end doctor.
 */
async function readRequested(
  {assets, dockerHost, environment, given: flags, input: standardInput, redactor, signal}: DoctorRun,
  machine: Machine,
): Promise<Decided> {
  const input = {dockerHost, environment, flags, machine, signal}
  try {
    const asked = await readAsked(input)
    const {baseDir, dockerPipe} = asked
    const host = openHost(machine, {assets, baseDir, dockerPipe})
    return await decideConfig(asked, host, signal, {
      input: standardInput,
      register: (secret) => redactor.register(secret),
      warn() {},
    })
  } catch (error) {
    if (!(error instanceof ProblemsError)) throw error
    if (!error.problems.some((problem) => storedConfigUnusable.is(problem))) throw error
    return await readConfiguration({...input, withStored: false})
  }
}

/** If the options are lost, only the check of the records reports it. */
async function named(config: Decided, host: Host, {problems}: CheckedNode): Promise<Decided> {
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
