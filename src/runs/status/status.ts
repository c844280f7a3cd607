// status: the health of a node as a table. Reads only: no lock, nothing written.
import {noNode} from '../../errors/logs.js'
import {asTyped} from '../../health/probe.js'
import {orAborted} from '../../host/wait.js'
import type {Clock} from '../../machine/clock.js'
import {readOnlyMachine, rememberingMachine} from '../../machine/intercept.js'
import {redactAll} from '../../output/text/redact.js'
import type {StatusDocument, StatusProblem} from '../../pipeline/run/status-report.js'
import {type CheckedNode, checkNode, type HealthRun} from './node-health.js'
import {elsewhere, recordProblem} from './records.js'

export type StatusRun = Omit<HealthRun, 'configFile' | 'ignoreChecks'>

/** Rejects with a ProblemsError for what is wrong with the request, and when the signal is aborted. */
export async function runStatus(run: StatusRun): Promise<StatusDocument> {
  const {clock} = run.machine
  const startedAt = clock.now()
  const look = await checkNode({...run, machine: rememberingMachine(readOnlyMachine(run.machine))})
  const times = {finishedAt: clock.now(), startedAt}
  return redactAll({...statusDocument(look, times), simulated: run.machine.simulated}, run.redactor.redact)
}

/** 8 also if no problem was found but something could not be checked, which must not pass for healthy. */
const EXIT_CODES = {degraded: 8, healthy: 0, 'not set up': 9, unknown: 8} as const

export function statusDocument(
  look: CheckedNode,
  times: {readonly finishedAt: number; readonly startedAt: number},
): Omit<StatusDocument, 'simulated'> {
  const {health, known} = look
  const verdict = health?.verdict ?? 'not set up'
  return {
    baseDir: known.config.baseDir,
    command: 'status',
    drift: health?.drift ?? null,
    durationMs: times.finishedAt - times.startedAt,
    exitCode: EXIT_CODES[verdict],
    finishedAt: new Date(times.finishedAt).toISOString(),
    firewall: health?.firewall ?? null,
    identities: health?.identities ?? null,
    images: health?.images ?? null,
    network: health?.network ?? null,
    node: health?.node?.status ?? null,
    problems: health?.problems ?? absentProblems(look),
    programs: health?.programs ?? null,
    release: known.config.release.text,
    runtime: health?.runtime ?? null,
    schemaVersion: 1,
    services: health?.services ?? [],
    startedAt: new Date(times.startedAt).toISOString(),
    unseen: health?.unseen ?? known.unseen,
    verdict,
    warnings: health?.warnings ?? known.warnings,
  }
}

/** Without records there is no node here; the services may show where it is. */
export function absentProblems({command, known: {config}, problems, services}: CheckedNode): readonly StatusProblem[] {
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
