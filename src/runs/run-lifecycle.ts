// What every run that changes a host has: a log, a result however it ends, and its records.
import {layoutOf} from '../config/layout.js'
import {type K8sWinError, ProblemsError} from '../errors/k8s-win-error.js'
import {bug} from '../errors/program.js'
import {orGivenUp} from '../host/wait.js'
import type {Clock, Deadline} from '../machine/clock.js'
import {readOnlyMachine, severableMachine} from '../machine/intercept.js'
import type {Machine} from '../machine/machine.js'
import {type UnderWay, watchUnderWay} from '../machine/pending-effects.js'
import {retryingMachine} from '../machine/retrying.js'
import {type EffectEntry, tracedMachine} from '../machine/traced.js'
import {createRunLog, type RunLog} from '../output/run/run-log.js'
import {redactAll, type Redactor} from '../output/text/redact.js'
import type {CheckResult, EventBus, NodeReport, RunResultDocument, StepResult} from '../pipeline/run/events.js'
import {TimeLimitError, toUserError} from '../pipeline/run/to-user-error.js'
import {resultOf, saveResult, stacksOf} from './result.js'
import type {RunLock} from './run-lock.js'

/** For the run's own records: a disk that hangs must not hold it up, nor keep it from telling how it ended. */
export const RECORDS_MS = 10_000

/** What a run has learnt so far; the document is made of it, however the run ends. */
export interface Story {
  /** --allow-restart. */
  allowsRestart?: boolean
  /** Where its records go; undefined where it leaves none. */
  baseDir?: string | undefined
  checks: readonly CheckResult[]
  /** After a restart of Windows the run continues by itself. */
  continues?: boolean
  /** The prompt was cancelled. */
  isCancelled?: boolean
  /** The run continues as a service. */
  isDetached?: boolean
  /** Only the holder may write: the report of another run is not overwritten. */
  lock?: RunLock
  node?: NodeReport
  /** What is being done, outside of the steps, for an error about time. */
  phase: string
  steps: readonly StepResult[]
  upgrade?: RunResultDocument['upgrade']
  /** What is waited for longest, in words. */
  waitsFor: () => string | undefined
}

/** What whoever started a run gets to know of it. Neither is called for a preview. */
export interface RunHooks {
  /** Called before the result is shown and saved, while the lock is still held. Its answer is the result. */
  readonly onEnd?: OnEnd | undefined
  /** Called when the lock is held, before anything is changed. */
  readonly onLocked?: ((run: LockedRun) => Promise<void>) | undefined
}

export interface LockedRun {
  readonly baseDir: string
  readonly command: string
}

export interface RecordedRun extends RunHooks {
  readonly bus: EventBus
  /** Everything happens on a twin of the machine, or is only reported: the machine itself is only read. */
  readonly dryRun?: boolean
  readonly machine: Machine
  readonly redactor: Redactor
  /** Aborted on Ctrl-C, with an InterruptedError. */
  readonly signal: AbortSignal
}

export interface EndedRun {
  /** k8s-win may restart Windows. */
  readonly allowsRestart: boolean
  /** Empty where it is not known, or was removed. */
  readonly baseDir: string
  readonly holdsLock: boolean
  /** The prompt was cancelled. */
  readonly isCancelled: boolean
}

export type OnEnd = (result: RunResultDocument, end: EndedRun) => Promise<RunResultDocument>

export interface Frame {
  readonly log: RunLog
  readonly story: Story
}

/** Rejects only for a bug: the document reports every other failure. */
export async function runWithRecords<R extends RecordedRun>(
  command: string,
  asked: R,
  work: (run: R, frame: Frame) => Promise<void>,
): Promise<RunResultDocument> {
  const {bus, dryRun = false, redactor} = asked
  const {machine, waitsFor} = watchUnderWay(dryRun ? readOnlyMachine(asked.machine) : asked.machine)
  const startedAt = machine.clock.now()
  const name = `${command}-${new Date(startedAt).toISOString().replaceAll(/[:.]/g, '-')}.log`
  // Not watched: nothing waits for the log.
  const log = createRunLog(asked.machine.files, redactor.redact, name)
  const story: Story = {checks: [], phase: 'Read the configuration', steps: [], waitsFor}
  bus.listen((event) => log.event(event))

  let failure: unknown
  try {
    await work({...asked, machine}, {log, story})
  } catch (error) {
    failure = error
  }

  const logFile = await reportLog(asked, log)
  const error = failure === undefined ? undefined : known(failure, story)
  const finishedAt = machine.clock.now()
  const {checks, continues, isDetached, lock, node, steps, upgrade} = story
  const report = {checks, continues, isDetached, steps, ...(node && {node}), ...(upgrade && {upgrade})}
  const {simulated} = machine
  const ending = {command, dryRun, finishedAt, log: logFile, simulated, startedAt, ...report, ...(error ? {error} : {})}
  const isBug = error === undefined && failure !== undefined
  const found = redactAll(resultOf(isBug ? {...ending, error: bugOf(failure)} : ending), redactor.redact)
  const {allowsRestart = false, baseDir: recordedIn = '', isCancelled = false} = story
  const end = {allowsRestart, baseDir: recordedIn, holdsLock: lock !== undefined, isCancelled}
  const result = dryRun ? found : ((await asked.onEnd?.(found, end)) ?? found)
  for (const message of stacksOf(failure, error))
    log.event({at: result.finishedAt, level: 'warn', message, type: 'log'})
  if (!isBug) bus.emit({result, type: 'run-finished'})
  // With the lock: what another run writes next is not to be mixed with this.
  const records = async (): Promise<void> => {
    const {baseDir} = story
    const isSaved = !isBug && !dryRun && baseDir !== undefined && (await hasFolder(machine, baseDir))
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

/** Where it is; undefined where there is none. What is missing in it is reported. */
async function reportLog({bus, machine}: RecordedRun, log: RunLog): Promise<string | undefined> {
  const {path} = log
  if (path === undefined) return undefined
  await orGivenUp(machine.clock, RECORDS_MS, log.flush())
  if (!log.problem) return path
  const {isEmpty, reason} = log.problem
  const message = `the log ${path} ${isEmpty ? 'could not be written' : 'is not complete'}: ${reason}`
  bus.emit({level: 'warn', message, type: 'log'})
  return isEmpty ? undefined : path
}

/** The work on a machine that logs and retries, within the time that the whole run has. */
export async function withinTime(
  run: RecordedRun,
  timeoutMs: number,
  {log, story}: Frame,
  work: (machine: RunMachine, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const limit = timeLimit(run.machine.clock, timeoutMs, run.signal)
  const onRetry = (message: string): void => run.bus.emit({level: 'info', message, type: 'log'})
  const onEffect = (entry: EffectEntry): void => log.effect(entry)
  const machine = openRunMachine(run.machine, {onEffect, onRetry, signal: limit.signal})
  // What listens to the signal is not waited for any more when it is asked.
  limit.signal.addEventListener('abort', () => {
    const waiting = story.waitsFor()
    story.waitsFor = () => waiting
  })
  try {
    await work(machine, limit.signal)
  } finally {
    limit.cancel()
    machine.end()
  }
}

/** For whoever records the end: the program reports a bug itself. */
const bugOf = (failure: unknown): K8sWinError => bug({log: '', message: String(failure)})

/** Undefined for a bug. */
function known(error: unknown, {phase, waitsFor}: Story): K8sWinError | ProblemsError | undefined {
  return error instanceof ProblemsError ? error : toUserError(error, phase, waitsFor())
}

export async function hasFolder(machine: Machine, path: string): Promise<boolean> {
  return (await machine.files.status(path))?.kind === 'directory'
}

interface RunMachineOptions {
  readonly onEffect: (entry: EffectEntry) => void
  readonly onRetry: (message: string) => void
  readonly signal: AbortSignal
}

export interface RunMachine {
  /** From here on nothing begins: what a step that was left there still wants to do does not happen. */
  end(): void
  readonly machine: Machine
  /** The same machine for one part of the run, which knows what that part waits for. */
  part(): UnderWay
}

function openRunMachine(machine: Machine, {onEffect, onRetry, signal}: RunMachineOptions): RunMachine {
  const cut = new AbortController()
  const traced = tracedMachine(machine, onEffect)
  const patient = severableMachine(retryingMachine(traced, {onRetry, signal}), cut.signal)
  return {
    end() {
      cut.abort(new Error('the run is over'))
      machine.http.disconnect()
    },
    machine: patient,
    part: () => watchUnderWay(patient),
  }
}

/** A signal that is aborted by the other one, or with a TimeLimitError after `ms`. */
export function timeLimit(clock: Clock, ms: number, other: AbortSignal): Deadline {
  const limit = new AbortController()
  const deadline = clock.deadline(ms)
  deadline.signal.addEventListener('abort', () => limit.abort(new TimeLimitError(ms)), {once: true})
  return {cancel: deadline.cancel, signal: AbortSignal.any([other, limit.signal])}
}
