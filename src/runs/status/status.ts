// status: the health of a node as a table. Reads only: no lock, nothing written.
import {noNode} from '../../errors/logs.js'
import type {NodeParts} from '../../health/check-health.js'
import {asTyped} from '../../health/run-reporting-check.js'
import {readLauncherRecord} from '../../host/launcher/record.js'
import {orAborted, orGivenUp} from '../../host/wait.js'
import type {Clock} from '../../machine/clock.js'
import {readOnlyMachine, rememberingMachine} from '../../machine/intercept.js'
import {redactAll} from '../../output/text/redact.js'
import type {StatusDocument, StatusProblem} from '../../pipeline/run/status-report.js'
import {isLockHeld} from '../run-lock.js'
import {type CheckedNode, checkNode, type HealthRun} from './node-health.js'
import {openRun} from './open-run.js'
import {elsewhere, recordProblem} from './records.js'

export type StatusRun = Omit<HealthRun, 'configFile' | 'ignoreChecks' | 'reviews'>

/** Rejects with a ProblemsError for what is wrong with the request, and when the signal is aborted. */
export async function runStatus(run: StatusRun): Promise<StatusDocument> {
  const {clock} = run.machine
  const startedAt = clock.now()
  const machine = rememberingMachine(readOnlyMachine(run.machine))
  const [checked, record] = await Promise.all([
    checkNode({...run, machine, reviews: 'others'}),
    orGivenUp(clock, RECORD_MS, readLauncherRecord(machine)),
  ])
  const active = record && (await orGivenUp(clock, RECORD_MS, isLockHeld(machine)))
  const times = {finishedAt: clock.now(), startedAt}
  const open = record && openRun(record, checked.known.config.baseDir, active ?? false)
  run.machine.http.disconnect()
  const document = {...statusDocument(checked, times), ...(open && {launcher: open}), simulated: run.machine.simulated}
  return redactAll(document, run.redactor.redact)
}

const RECORD_MS = 5000

/** 8 also if no problem was found but something could not be checked, which must not pass for healthy. */
const EXIT_CODES = {degraded: 8, healthy: 0, 'not set up': 9, unknown: 8} as const

const NO_PARTS: NodeParts = {
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

export function statusDocument(
  checked: CheckedNode,
  {finishedAt, startedAt}: {readonly finishedAt: number; readonly startedAt: number},
): Omit<StatusDocument, 'simulated'> {
  const {health, known} = checked
  const verdict = health?.verdict ?? 'not set up'
  const {problems, notChecked, warnings} = health ?? {...known, problems: absentProblems(checked)}
  return {
    baseDir: known.config.baseDir,
    command: 'status',
    durationMs: finishedAt - startedAt,
    exitCode: EXIT_CODES[verdict],
    finishedAt: new Date(finishedAt).toISOString(),
    ...(known.handedOver && {handedOver: known.handedOver}),
    ...(health?.parts ?? NO_PARTS),
    problems,
    release: known.config.release.text,
    schemaVersion: 1,
    startedAt: new Date(startedAt).toISOString(),
    notChecked,
    verdict,
    warnings,
  }
}

/** Without records there is no node here; the services may show where it is. */
function absentProblems({command, known: {config}, problems, services}: CheckedNode): readonly StatusProblem[] {
  if (problems.length > 0) return problems
  const {baseDir} = config
  return [asTyped(recordProblem(elsewhere(services, baseDir) ?? noNode({baseDir}), baseDir), command)]
}

export interface Watching {
  readonly clock: Clock
  readonly intervalMs: number
  look(): Promise<StatusDocument>
  onLook(document: StatusDocument): void
  /** Aborted on Ctrl-C, which ends it. */
  readonly signal: AbortSignal
}

const INTERRUPTED = 130

/** Returns the exit code of the last status, or that of an interruption if there was none. */
export async function watchStatus({clock, intervalMs, look, onLook, signal}: Watching): Promise<number> {
  let exitCode = INTERRUPTED
  for (;;) {
    try {
      const document = await orAborted(look(), signal)
      exitCode = document.exitCode
      onLook(document)
      await clock.sleep(intervalMs, signal)
    } catch (error) {
      if (signal.aborted) return exitCode
      throw error
    }
  }
}
