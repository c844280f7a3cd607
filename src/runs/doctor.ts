// doctor: all checks of the host and the cluster on their own, and those of the node where there is one. Reads only: no
// lock, nothing written.
import {layoutOf} from '../config/layout.js'
import type {SetupConfig} from '../config/model.js'
import type {GivenOptions} from '../config/options.js'
import {storedConfigUnusable} from '../errors/configuration.js'
import {ProblemsError} from '../errors/k8s-win-error.js'
import {type Host, openHost} from '../host/host.js'
import {trustedFilesOf} from '../host/trust.js'
import {orGivenUp} from '../host/wait.js'
import type {Assets} from '../machine/assets.js'
import type {Machine} from '../machine/machine.js'
import {readOnlyMachine} from '../machine/read-only.js'
import {rememberingMachine} from '../machine/remembering.js'
import {watchUnderWay} from '../machine/under-way.js'
import {
  type DoctorCheck,
  type DoctorDocument,
  doctorDocument,
  type DoctorGroup,
  type NodeState,
} from '../output/doctor-document.js'
import type {GroupedCheck} from '../output/doctor-view.js'
import {type Redactor, redactAll} from '../output/redact.js'
import type {CheckResult} from '../pipeline/events.js'
import {explain} from '../pipeline/explain.js'
import type {Journal} from '../pipeline/journal.js'
import {keptName} from '../pipeline/kept-name.js'
import {servicesHere} from '../pipeline/node-elsewhere.js'
import {HostFacts} from '../preflight/facts.js'
import {GROUP_OF, type GroupId, GROUPS} from '../preflight/groups.js'
import {CHECKS, runChecks} from '../preflight/index.js'
import {nodeChecks, type NodeRecords} from '../health/node-checks.js'
import {readConfiguration} from './configuration.js'
import {readKnownNode} from './known-node.js'
import {registerSecrets} from './qualify.js'
import {readRuns, resetAgain, unfinishedRun} from './unfinished-run.js'

export interface DoctorRun {
  readonly assets: Assets
  readonly dockerHost?: string | undefined
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The command line's options. */
  readonly given: GivenOptions
  readonly machine: Machine
  /** Told of each check as it ends. */
  readonly onCheck?: (check: GroupedCheck) => void
  readonly redactor: Redactor
  readonly signal: AbortSignal
}

const SECRETS_MS = 10_000

/** Rejects with what is wrong with the request itself, and when the signal is aborted. */
export async function runDoctor(run: DoctorRun): Promise<DoctorDocument> {
  const {assets, redactor, signal} = run
  const {clock} = run.machine
  const startedAt = clock.now()
  const {machine, waitsFor} = watchUnderWay(rememberingMachine(readOnlyMachine(run.machine)))
  try {
    const {config, problem} = await readAsked(run, machine)
    const host = openHost(machine, {assets, baseDir: config.baseDir, dockerPipe: config.dockerPipe})
    const {journal, node, records} = await readRecords(run, machine, host, config)
    const facts = new HostFacts(await named(config, host, records), host, journal)
    await orGivenUp(clock, SECRETS_MS, registerSecrets(facts, redactor))
    const checks = [
      ...CHECKS,
      ...(node === 'absent' && !problem ? [] : nodeChecks({...records, ...(problem && {problem})})),
    ]
    const tell = (check: CheckResult, cause?: string): void =>
      run.onCheck?.(redactAll({group: groupOf(check), ...withCause(check, cause)}, redactor.redact))
    const {causes, results} = await runChecks(facts, clock, tell, signal, waitsFor, checks)
    const ending = {
      baseDir: config.baseDir,
      finishedAt: clock.now(),
      groups: grouped(results.map((check) => withCause(check, causes[check.id]))),
      node,
      simulated: machine.simulated,
      startedAt,
    }
    return redactAll(doctorDocument(ending), redactor.redact)
  } catch (error) {
    if (error instanceof ProblemsError) throw error
    throw explain(error, 'doctor', waitsFor()) ?? error
  }
}

/** As setup puts it together. What the last setup stored and cannot be used is a finding, not the end. */
async function readAsked(
  {dockerHost, environment, given: flags, signal}: DoctorRun,
  machine: Machine,
): Promise<{config: SetupConfig; problem?: ProblemsError}> {
  const input = {dockerHost, environment, flags, machine, signal}
  try {
    return {config: (await readConfiguration(input)).config}
  } catch (error) {
    if (!(error instanceof ProblemsError)) throw error
    const stored = error.problems.filter(({id}) => id === storedConfigUnusable.id)
    if (stored.length === 0) throw error
    const {config} = await readConfiguration({...input, withStored: false})
    return {config, problem: new ProblemsError(stored)}
  }
}

/** Where its options are lost the check of the records tells so, and no other one has to. */
async function named(config: SetupConfig, host: Host, {areOptionsLost, orphans}: NodeRecords): Promise<SetupConfig> {
  const kept =
    (areOptionsLost || orphans) && config.nodeName === undefined
      ? await keptName(host).catch(() => undefined)
      : undefined
  return kept === undefined ? config : {...config, nodeName: kept}
}

interface Records {
  readonly journal: Pick<Journal, 'all' | 'entries'>
  readonly node: NodeState
  readonly records: NodeRecords
}

async function readRecords(run: DoctorRun, machine: Machine, host: Host, {baseDir}: SetupConfig): Promise<Records> {
  const {dockerHost, environment, signal} = run
  try {
    const {damage, distrust, journal, state} = await readKnownNode({baseDir, dockerHost, environment, machine, signal})
    if (distrust) throw distrust
    const isAbsent = state === 'absent' && !damage
    // Where Windows does not tell its services, checks of their own say so.
    const orphans = isAbsent ? await servicesHere(host, baseDir).catch(() => []) : []
    if (orphans.length > 0) return {journal, node: 'unknown', records: {orphans, state: 'unknown'}}
    if (isAbsent) return {journal, node: 'absent', records: {state}}
    const runs = await readRuns(trustedFilesOf(machine), layoutOf(baseDir))
    const cut = unfinishedRun(state, ...runs)
    if (cut === 'reset') return {journal, node: 'leaving', records: {leavingBy: resetAgain(...runs), state}}
    const told = damage?.message === undefined ? {} : {damage: damage.message}
    if (state === 'set-up') return {journal, node: state, records: {state, ...told}}
    const areOptionsLost = cut === undefined
    return {journal, node: areOptionsLost ? 'unknown' : 'begun', records: {areOptionsLost, state: 'begun', ...told}}
  } catch (error) {
    signal.throwIfAborted()
    // The rest of the node is seen without them.
    const unread = explain(error, 'read the records')?.message ?? String(error)
    return {journal: {all: () => [], entries: () => []}, node: 'unknown', records: {state: 'unknown', unread}}
  }
}

const withCause = (check: CheckResult, cause: string | undefined): DoctorCheck => ({...check, ...(cause && {cause})})

function grouped(results: readonly DoctorCheck[]): DoctorGroup[] {
  return (Object.keys(GROUPS) as GroupId[]).flatMap((id) => {
    const checks = results.filter((check) => groupOf(check) === id)
    return checks.length === 0 ? [] : [{checks, id, title: GROUPS[id]}]
  })
}

const groupOf = ({id}: CheckResult): GroupId => GROUP_OF[id as keyof typeof GROUP_OF]
