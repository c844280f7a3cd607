// status: the health of a node as a table. Reads only: no lock, nothing written.
import {homeOfService, isSameHome} from '../../components/node-home.js'
import {nodeElsewhere} from '../../errors/host.js'
import {noNode} from '../../errors/logs.js'
import {orAborted} from '../../host/wait.js'
import type {Clock} from '../../machine/clock.js'
import {readOnlyMachine, rememberingMachine} from '../../machine/intercept.js'
import {redactAll} from '../../output/text/redact.js'
import type {StatusDocument, StatusProblem} from '../../pipeline/run/status-report.js'
import {type CheckedNode, checkNode, type HealthRun} from './node-health.js'

export type StatusRun = Omit<HealthRun, 'configFile' | 'ignoreChecks'>

/** Rejects with a ProblemsError for what is wrong with the request, and when the signal is aborted. */
export async function runStatus(run: StatusRun): Promise<StatusDocument> {
  const {clock} = run.machine
  const startedAt = clock.now()
  const look = await checkNode({...run, machine: rememberingMachine(readOnlyMachine(run.machine))})
  const times = {finishedAt: clock.now(), startedAt}
  return redactAll({...statusDocument(look, times), simulated: run.machine.simulated}, run.redactor.redact)
}

/** Contract: 8 also where no problem was found but something could not be checked: nobody may take that for healthy. */
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

export const absentProblems = (look: CheckedNode): readonly StatusProblem[] =>
  look.problems.length > 0 ? look.problems : [notSetUp(look)]

function notSetUp({command, known: {config}, services}: CheckedNode): StatusProblem {
  const homes = services.flatMap(({imagePath}) => homeOfService(imagePath) ?? [])
  const home = homes.find((one) => !isSameHome(one, config.baseDir))
  const {baseDir} = config
  const error = home === undefined ? noNode({baseDir}) : nodeElsewhere({asked: baseDir, home, services: ''})
  return {
    area: 'setup',
    cause:
      home === undefined
        ? 'Setup was never run for this folder, or reset has removed the node.'
        : `The services of this host run from ${home}: the node was set up there.`,
    id: error.id,
    command: home === undefined ? command('setup') : null,
    next: home === undefined ? command('setup') : `the same command with --base-dir "${home}"`,
    seen: 'k8s-win has created nothing there',
    subject: baseDir,
    wanted: 'a node that was set up',
  }
}

export interface Watching {
  readonly clock: Clock
  readonly intervalMs: number
  look(): Promise<StatusDocument>
  onLook(document: StatusDocument): void
  /** Aborted on Ctrl-C, which is how one ends. */
  readonly signal: AbortSignal
}

const INTERRUPTED = 130

/** The exit code: of the last look, or that of an interruption where there was none. */
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
