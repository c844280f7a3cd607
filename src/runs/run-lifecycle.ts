// What every run that changes a host has: a log, a result however it ends, and its records.
import {win32} from 'node:path'
import {layoutOf} from '../config/layout.js'
import {isRecord} from '../config/shape.js'
import {type K8sWinError, ProblemsError} from '../errors/k8s-win-error.js'
import {bug} from '../errors/program.js'
import {ADMINISTRATORS_ONLY} from '../host/security/security.js'
import {openTrust, trustedFilesOf} from '../host/security/trust.js'
import {orGivenUp} from '../host/wait.js'
import {readOnlyMachine} from '../machine/intercept.js'
import type {Machine} from '../machine/machine.js'
import {watchPendingEffects} from '../machine/pending-effects.js'
import {createRunLog, logName} from '../output/run/run-log.js'
import {redactAll} from '../output/text/redact.js'
import type {RunResultDocument} from '../pipeline/run/events.js'
import {keepsLastRun, readLastRun} from '../pipeline/run/last-run.js'
import {toUserError} from '../pipeline/run/to-user-error.js'
import {resultOf, stacksOf} from './result.js'
import {hasFolder, RECORDS_MS, type Run, type RunInput, WATCH} from './run.js'

/**
 * Rejects only for a bug: the document reports every other failure. What a command adds to its run is set by its phases,
 * each before the first one that reads it.
 */
export async function runWithRecords<R extends Run>(
  command: string,
  input: R['input'],
  work: (run: R) => Promise<unknown>,
): Promise<RunResultDocument> {
  const run = beginRun(command, input)
  const {bus, dryRun, log, machine, redactor, report} = run
  const [startedAt, began] = [machine.clock.now(), machine.clock.elapsed()]
  let failure: unknown
  try {
    await work(run as R)
  } catch (error) {
    failure = error
  } finally {
    run.limited.end()
  }

  const logFile = await reportLog(run)
  const error = failure === undefined ? undefined : known(failure, run)
  const [finishedAt, durationMs] = [machine.clock.now(), machine.clock.elapsed() - began]
  const {simulated} = machine
  const ending = {
    command,
    dryRun,
    durationMs,
    finishedAt,
    log: logFile,
    simulated,
    startedAt,
    ...report,
    ...(error ? {error} : {}),
  }
  const isBug = error === undefined && failure !== undefined
  const found = redactAll(resultOf(isBug ? {...ending, error: bugOf(failure)} : ending), redactor.redact)
  const {allowsRestart, baseDir = '', isCancelled, lock} = run
  const end = {allowsRestart, baseDir, holdsLock: lock !== undefined, isCancelled}
  const result = dryRun ? found : ((await input.onEnd?.(found, end)) ?? found)
  for (const message of stacksOf(failure, error))
    log.event({at: result.finishedAt, level: 'warn', message, type: 'log'})
  if (!isBug) bus.emit({result, type: 'run-finished'})
  // With the lock: what another run writes next is not to be mixed with this.
  const records = async (): Promise<void> => {
    // People look for the last run of a person: what watch repaired is in its own records.
    const isSaved = !isBug && !dryRun && command !== WATCH && baseDir !== '' && (await hasFolder(machine, baseDir))
    if (isSaved) await saveResult(machine, layoutOf(baseDir).result, result)
    await log.flush()
  }
  if (lock) {
    await orGivenUp(machine.clock, RECORDS_MS, records())
    await orGivenUp(machine.clock, RECORDS_MS, lock.release())
  }
  if (isBug) throw failure as Error
  return result
}

function beginRun(command: string, input: RunInput): Run {
  const {assets, bus, dryRun = false, environment = {}, redactor, signal} = input
  const {machine, waitsFor} = watchPendingEffects(dryRun ? readOnlyMachine(input.machine) : input.machine)
  // Not watched: nothing waits for the log.
  const log = createRunLog(input.machine.files, redactor.redact, logName(command, machine.clock.now()))
  bus.listen((event) => log.event(event))
  return {
    allowsRestart: false,
    assets,
    bus,
    command,
    dryRun,
    environment,
    input,
    isCancelled: false,
    limited: {end() {}, machine, part: () => watchPendingEffects(machine)},
    log,
    machine,
    phase: 'Read the configuration',
    redactor,
    report: {checks: [], steps: []},
    signal,
    waitsFor,
  }
}

/** Where it is; undefined where there is none. What is missing in it is reported. */
async function reportLog({bus, input, log}: Run): Promise<string | undefined> {
  const {path} = log
  if (path === undefined) return undefined
  await orGivenUp(input.machine.clock, RECORDS_MS, log.flush())
  if (!log.problem) return path
  const {isEmpty, reason} = log.problem
  bus.warn(`the log ${path} ${isEmpty ? 'could not be written' : 'is not complete'}: ${reason}`)
  return isEmpty ? undefined : path
}

/** For whoever records the end: the program reports a bug itself. */
const bugOf = (failure: unknown): K8sWinError => bug({log: '', message: String(failure)})

/** Undefined for a bug. */
function known(error: unknown, {phase, waitsFor}: Run): K8sWinError | ProblemsError | undefined {
  return error instanceof ProblemsError ? error : toUserError(error, phase, waitsFor())
}

/** Best effort: the run's own report must not turn a success into a failure. */
async function saveResult(
  {files, win32: calls}: Pick<Machine, 'files' | 'win32'>,
  path: string,
  ended: RunResultDocument,
): Promise<void> {
  if (await openTrust(calls).problem(win32.dirname(path), 'folder')) return
  // What status reads of the last run that changed the node must outlive a run that changes nothing.
  const last = keepsLastRun(ended) ? await readLastRun(trustedFilesOf({files, win32: calls}), path) : undefined
  const result = isRecord(last) ? {...ended, lastRun: last} : ended
  await files.makeDirectory(win32.dirname(path), {security: ADMINISTRATORS_ONLY})
  await files.write(path, `${JSON.stringify(result, undefined, 2)}\n`)
}
