// A run of a command: what it was started with, what is known of it so far, and the phases that it consists of.
import {win32} from 'node:path'
import {layoutOf} from '../config/layout.js'
import {openTrust} from '../host/security/trust.js'
import {orAborted, orGivenUp} from '../host/wait.js'
import type {Clock, Deadline} from '../machine/clock.js'
import {cancellableMachine} from '../machine/intercept.js'
import type {Assets, Machine} from '../machine/machine.js'
import {type PendingEffects, watchPendingEffects} from '../machine/pending-effects.js'
import {retryingMachine} from '../machine/retrying.js'
import {tracedMachine} from '../machine/traced.js'
import type {RunLog} from '../output/run/run-log.js'
import type {Redactor} from '../output/text/redact.js'
import type {
  CheckResult,
  EventBus,
  NodeReport,
  RunResultDocument,
  RunStepId,
  StepResult,
} from '../pipeline/run/events.js'
import {TimeLimitError} from '../pipeline/run/to-user-error.js'
import {holdLock, type LockHolder, type RunLock} from './run-lock.js'

/** For the run's own records: a disk that hangs must not hold it up, nor keep it from reporting how it ended. */
export const RECORDS_MS = 10_000
/** A repair by watch: as a command, and in the name of its log. Other runs need not wait for its end. */
export const WATCH = 'watch'
const WAITING = 'waiting until the service k8s-win has stopped its repair'

/** What every command works with. */
export interface Session {
  readonly assets: Assets
  readonly bus: EventBus
  /** Where K8S_WIN_* variables are looked for. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly machine: Machine
  readonly redactor: Redactor
  /** Aborted on Ctrl-C, with an InterruptedError. */
  readonly signal: AbortSignal
}

/** What whoever started a run gets to know of it. Neither is called for a preview. */
export interface RunHooks {
  /** Called before the result is shown and saved, while the lock is still held. Its answer is the result. */
  readonly onEnd?: ((result: RunResultDocument, end: EndedRun) => Promise<RunResultDocument>) | undefined
  /** Called when the lock is held, before anything is changed. */
  readonly onLocked?: ((run: LockedRun) => Promise<void>) | undefined
}

export interface LockedRun {
  readonly baseDir: string
  readonly command: string
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

/** What a run is started with. */
export interface RunInput extends Omit<Session, 'environment'>, Partial<Pick<Session, 'environment'>>, RunHooks {
  /** DOCKER_HOST of the environment, where the machine is this one. */
  readonly dockerHost?: string | undefined
  /** Everything happens on a twin of the machine, or is only reported: the machine itself is only read. */
  readonly dryRun?: boolean
  /** For others who would like to run meanwhile. */
  readonly holder?: LockHolder
}

/** What the phases have found so far; the document is made of it, however the run ends. */
export interface Run<Input extends RunInput = RunInput> extends Session, PhasedRun {
  /** --allow-restart. */
  allowsRestart: boolean
  /** Where its records go; undefined where it leaves none. */
  baseDir?: string | undefined
  readonly command: string
  readonly dryRun: boolean
  readonly input: Input
  /** The prompt was cancelled. */
  isCancelled: boolean
  /** The machine within the run's time limit. */
  limited: LimitedMachine
  /** Only the holder may write: the report of another run is not overwritten. */
  lock?: RunLock
  readonly log: RunLog
  readonly report: RunReport
  /** Aborted as that of the input, and when the time limit has passed. */
  signal: AbortSignal
  /** What is waited for longest, in words. */
  waitsFor: () => string | undefined
}

export interface RunReport {
  checks: readonly CheckResult[]
  /** Checks are all that the run is for, and some could not be made. */
  lacksChecks?: boolean
  /** After a restart of Windows the run continues by itself. */
  continues?: boolean
  /** The run continues as a service. */
  isDetached?: boolean
  node?: NodeReport
  steps: readonly StepResult[]
  /** Of a plan. */
  summary?: readonly string[]
  upgrade?: RunResultDocument['upgrade'] | undefined
}

/** What phases need of their run. */
export interface PhasedRun {
  /** The title of the phase, for an error about time. */
  phase: string
  signal: AbortSignal
}

/** A part of a run. A command is a list of them, which is read from top to bottom. */
export interface Phase<R extends PhasedRun> {
  /** It ends by itself when the run is aborted, and is waited for: it reports or cleans up what it has begun. */
  readonly endsItself?: boolean
  readonly title: string
  when?(run: R): boolean
  /** `ended`: nothing of the list follows. */
  run(run: R): Promise<'ended' | void>
}

export async function runPhases<R extends PhasedRun>(phases: readonly Phase<R>[], run: R): Promise<'ended' | void> {
  for (const phase of phases) {
    if (phase.when && !phase.when(run)) continue
    run.phase = phase.title
    const work = phase.run(run)
    if ((await (phase.endsItself ? work : orAborted(work, run.signal))) === 'ended') return 'ended'
  }
}

export interface LimitedMachine {
  /** From here on nothing begins: what a step that was left there still wants to do does not happen. */
  end(): void
  readonly machine: Machine
  /** The same machine for one step, which knows what that step waits for, and reports what it tries again. */
  part(step: RunStepId): PendingEffects
}

/** From here on the run has this much time, on a machine that logs and retries. */
export function limitTime(run: Run, ms: number): void {
  const {bus, input, limited: before, log, machine} = run
  before.end()
  const limit = timeLimit(machine.clock, ms, input.signal)
  const cut = new AbortController()
  const traced = tracedMachine(machine, (entry) => log.effect(entry))
  const limitedFor = (step?: RunStepId): Machine => {
    const onRetry = (message: string): void => bus.emit({level: 'info', message, ...(step && {step}), type: 'log'})
    return cancellableMachine(retryingMachine(traced, {onRetry, signal: limit.signal}), cut.signal)
  }
  // What listens to the signal is not waited for any more when it is asked.
  const note = (): void => {
    const waiting = run.waitsFor()
    run.waitsFor = () => waiting
  }
  limit.signal.addEventListener('abort', note)
  run.signal = limit.signal
  run.limited = {
    end() {
      limit.cancel()
      limit.signal.removeEventListener('abort', note)
      cut.abort(new Error('the run is over'))
      machine.http.disconnect()
    },
    machine: limitedFor(),
    part: (step) => watchPendingEffects(limitedFor(step)),
  }
}

/** A signal that is aborted by the other one, or with a TimeLimitError after `ms`. */
export function timeLimit(clock: Clock, ms: number, other: AbortSignal): Deadline {
  const limit = new AbortController()
  const deadline = clock.deadline(ms)
  deadline.signal.addEventListener('abort', () => limit.abort(new TimeLimitError(ms)), {once: true})
  return {cancel: deadline.cancel, signal: AbortSignal.any([other, limit.signal])}
}

/** Not through the limited machine: the lock is released after that has ended. */
export async function takeRunLock(run: Run, baseDir: string): Promise<void> {
  const {bus, command, machine, signal} = run
  const onWait = (): void => bus.emit({level: 'info', message: WAITING, type: 'log'})
  run.lock = await holdLock(machine, layoutOf(baseDir).lock, {onWait, signal, yields: command === WATCH})
  await run.input.onLocked?.({baseDir, command: run.command})
}

/** The log in its usual place and the record of who holds the lock, where there is a base directory to keep them in. */
export async function openRecords(run: Run, baseDir: string, hasOwnLog = false): Promise<void> {
  const {dryRun, input, log, machine} = run
  const open = async (): Promise<void> => {
    if (dryRun || !(await hasFolder(machine, baseDir))) return
    run.baseDir = baseDir
    const folder = win32.join(layoutOf(baseDir).logs, 'k8s-win')
    if (!hasOwnLog && log.path === undefined && !(await openTrust(machine.win32).problem(folder)))
      await log.openIn(folder).catch(() => {})
    if (input.holder) await run.lock?.sign({...input.holder, log: log.path})
  }
  await orGivenUp(machine.clock, RECORDS_MS, open())
}

export async function hasFolder(machine: Machine, path: string): Promise<boolean> {
  return (await machine.files.status(path))?.kind === 'directory'
}
