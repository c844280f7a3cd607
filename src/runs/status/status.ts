// status: the health of a node as a table. A list of phases. Reads only: no lock, nothing written.
import {whyNoRecords} from '../../pipeline/run/missing-node.js'
import {hasOtherSettings, NO_SETTINGS} from '../../config/settings/daemon-settings.js'
import {serviceDown} from '../../errors/unhealthy-node.js'
import {NO_PARTS} from '../../health/check-health.js'
import {readLauncherRecord} from '../../host/launcher/record.js'
import {orAborted, orGivenUp} from '../../host/wait.js'
import type {Clock} from '../../machine/clock.js'
import {readOnlyMachine, rememberingMachine} from '../../machine/intercept.js'
import {isStale} from '../../pipeline/run/health-document.js'
import type {OpenRun, StatusDocument, StatusProblem} from '../../pipeline/run/status-report.js'
import {type Phase, runPhases} from '../run.js'
import {isRunActive} from '../run-lock.js'
import {readHealth} from '../watch/state-files.js'
import {pauseStatus, readPause} from '../watch/pause.js'
import {CHECK_NODE, type HealthInput, type NodeRun, shown} from './node-health.js'
import {openRun} from './open-run.js'
import {recordProblem} from './records.js'

interface StatusRun extends NodeRun {
  /** The run that a launcher has started, and that did not succeed. */
  open?: OpenRun | undefined
  /** By the records of the service k8s-win. */
  watched?: Pick<StatusDocument, 'paused' | 'watch'>
}

const STATUS: readonly Phase<StatusRun>[] = [
  ...CHECK_NODE,
  {run: readLauncher, title: 'Read the record of the launcher'},
  {run: readWatch, title: 'Read the records of watch'},
]

const RECORD_MS = 5000

async function readLauncher(run: StatusRun): Promise<void> {
  const {known, machine} = run
  const {clock} = machine
  const record = await orGivenUp(clock, RECORD_MS, readLauncherRecord(machine))
  const active = record && (await orGivenUp(clock, RECORD_MS, isRunActive(machine)))
  run.open = record && openRun(record, known.config.baseDir, active ?? false)
}

async function readWatch(run: StatusRun): Promise<void> {
  const {known, machine} = run
  const {clock} = machine
  const {baseDir, watch} = known.config
  const pause = await orGivenUp(clock, RECORD_MS, readPause(machine, baseDir))
  run.watched = pause ? {paused: pauseStatus(pause)} : {}
  if (!run.health || watch !== true) return
  const found = await orGivenUp(clock, RECORD_MS, readHealth(machine, baseDir))
  if (!found) return void (run.watched = {...run.watched, watch: null})
  const {schemaVersion: _, simulated: _simulated, ...health} = found
  run.watched = {...run.watched, watch: {...health, stale: isStale(found.at, clock.now())}}
}

/** Rejects with a ProblemsError for what is wrong with the request, and when the signal is aborted. */
export async function runStatus(input: HealthInput): Promise<StatusDocument> {
  const {clock} = input.machine
  const [startedAt, began] = [clock.now(), clock.elapsed()]
  const machine = rememberingMachine(readOnlyMachine(input.machine))
  const run = {...input, machine, phase: '', reviews: 'others'} as StatusRun
  await runPhases(STATUS, run)
  input.machine.http.disconnect()
  return shown(run, statusDocument(run, startedAt, Math.round(clock.elapsed() - began)))
}

/** 8 also if no problem was found but something could not be checked, which must not pass for healthy. */
const EXIT_CODES = {degraded: 8, healthy: 0, 'not set up': 9, unknown: 8} as const

/** Not recover, which would end the pause of a patch day. */
const BY_STOP = {cause: 'It was stopped by "k8s-win stop".', command: 'k8s-win start', next: 'Run "k8s-win start".'}

function statusDocument(run: StatusRun, startedAt: number, durationMs: number): StatusDocument {
  const {health, known, machine, open, watched} = run
  const finishedAt = machine.clock.now()
  const verdict = health?.verdict ?? 'not set up'
  const {problems: found, notChecked, warnings} = health ?? {...known, problems: absentProblems(run)}
  const stopped: readonly string[] = watched?.paused?.stopped ?? []
  const problems = found.map((one) =>
    one.id === serviceDown.id && stopped.includes(one.subject) ? {...one, ...BY_STOP} : one,
  )
  return {
    baseDir: known.config.baseDir,
    command: 'status',
    durationMs,
    exitCode: EXIT_CODES[verdict],
    finishedAt: new Date(finishedAt).toISOString(),
    ...(known.handedOver && {handedOver: known.handedOver}),
    ...(open && {launcher: open}),
    notices: health?.judged.flatMap(({row}) => row.notice ?? []) ?? [],
    ...(health?.parts ?? NO_PARTS),
    problems,
    release: known.config.release.text,
    schemaVersion: 1,
    ...(hasOtherSettings(NO_SETTINGS, known.config) && {
      settings: {args: known.config.args, kubeletConfig: known.config.kubeletConfig},
    }),
    simulated: machine.simulated,
    startedAt: new Date(startedAt).toISOString(),
    notChecked,
    verdict,
    ...watched,
    warnings,
  }
}

/** Without records there is no node here; the services may show where it is. */
function absentProblems({known: {config, problems, readBack}, services}: StatusRun): readonly StatusProblem[] {
  if (problems.length > 0) return problems
  const {baseDir} = config
  return [recordProblem(whyNoRecords(services, baseDir, readBack), baseDir)]
}

export interface Watching {
  readonly clock: Clock
  readonly intervalMs: number
  check(): Promise<StatusDocument>
  onDocument(document: StatusDocument): void
  /** Aborted on Ctrl-C, which ends it. */
  readonly signal: AbortSignal
}

const INTERRUPTED = 130

/** Returns the exit code of the last status, or that of an interruption if there was none. */
export async function watchStatus({check, clock, intervalMs, onDocument, signal}: Watching): Promise<number> {
  let exitCode = INTERRUPTED
  for (;;) {
    try {
      const document = await orAborted(check(), signal)
      exitCode = document.exitCode
      onDocument(document)
      await clock.sleep(intervalMs, signal)
    } catch (error) {
      if (signal.aborted) return exitCode
      throw error
    }
  }
}
