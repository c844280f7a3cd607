// The events of a run. All views, the JSON lines and the result are made from these and nothing else.
import type {Launcher} from '../../config/launchers.js'
import type {StepId} from './step.js'

/** The steps of a node, what reset does beside taking them apart, and the way back of an upgrade. */
export type RunStepId = StepId | 'containers' | 'daemons' | 'drain' | 'records' | 'roll-back' | 'runtime'
/** What is waited for outside of the steps: after those of setup, and in verify. */
export type WaitId = 'node-health' | 'smoke-test'
export type StepState = 'changed' | 'failed' | 'in-place' | 'not-run' | 'skipped' | 'would-change'
/** Not checked: nothing failed, and not everything that verify is to check could be checked. */
export type Outcome = 'detached' | 'done' | 'failed' | 'interrupted' | 'not-checked' | 'planned' | 'restart-required'

/**
 * In UTC, to the millisecond.
 *
 * @pattern ^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$
 */
export type Timestamp = string

/**
 * @asType integer
 * @minimum 0
 */
export type Count = number

export interface ErrorDocument {
  readonly cause: string
  /** The one command that fixes it, as typed on this host; null where no single command does. */
  readonly command: string | null
  readonly fix: string
  readonly id: string
  readonly message: string
  readonly url: string
}

export interface StepResult {
  readonly changes: readonly string[]
  readonly durationMs: number
  readonly error?: ErrorDocument
  readonly id: RunStepId
  readonly state: StepState
  readonly title: string
}

/** One with an error has failed, or was interrupted before it was complete. */
export const isComplete = ({error, state}: StepResult): boolean =>
  error === undefined && ['changed', 'in-place', 'would-change'].includes(state)

export interface CheckResult {
  /** The check that failed, without which this one could not be made. */
  readonly dependsOn?: string
  readonly durationMs: number
  readonly fix?: string
  readonly id: string
  readonly message: string
  /** What is worth to know and is no problem, such as a newer release. */
  readonly notice?: string
  /** It was not checked because this cluster has nothing that it could check: no pod on another node. */
  readonly nothingToCheck?: true
  readonly result: 'fail' | 'not-checked' | 'pass' | 'warn'
  readonly title: string
}

export interface Recap {
  readonly changed: Count
  readonly failed: Count
  readonly ok: Count
  readonly skipped: Count
}

export interface NodeReport {
  readonly ip: string
  readonly name: string
  readonly podCIDR: string
  readonly ready: boolean
}

/** What the launcher that started the run gets. */
export interface LauncherReport {
  /** Which try or restart this was; absent where nothing is counted. */
  readonly attempt?: Count
  /** How many there are at most. */
  readonly attempts?: Count
  /** What the process ends with. */
  readonly exitCode: Count
  readonly name: Exclude<Launcher, 'none'>
}

/** The document of `--output json` and of result.json. */
export interface RunResultDocument {
  readonly changesPending: boolean
  readonly checks: readonly CheckResult[]
  readonly command: string
  /** A service continues the run when Windows has been restarted. */
  readonly continuesAfterRestart?: boolean
  readonly durationMs: number
  readonly error?: ErrorDocument
  /** Where several things are wrong at once: all of them, `error` being the first. */
  readonly errors?: readonly ErrorDocument[]
  readonly exitCode: Count
  readonly finishedAt: Timestamp
  /** Only in result.json, and only of verify, stop, start, restart and run: the document of the last setup, upgrade or reset. */
  readonly lastRun?: Readonly<Record<string, unknown>>
  /** Only where a launcher started the run. */
  readonly launcher?: LauncherReport
  /** The run's own log, where one could be written. */
  readonly log?: string
  readonly node?: NodeReport
  readonly outcome: Outcome
  readonly recap: Recap
  /** Seconds until k8s-win restarts Windows, where --allow-restart permits it and a restart is required. */
  readonly restartsIn?: Count
  readonly schemaVersion: 1
  /** True on a simulated Windows Server: nothing of it is about this machine. */
  readonly simulated: boolean
  readonly startedAt: Timestamp
  readonly steps: readonly StepResult[]
  /** Only of a plan: what it amounts to, in at most ten lines. */
  readonly summary?: readonly string[]
  /** Where the release of a node is changed. */
  readonly upgrade?: {readonly from: string; readonly to: string}
}

export type RunEvent =
  | {
      readonly command: string
      readonly steps: readonly {readonly id: RunStepId; readonly title: string}[]
      readonly type: 'run-started'
    }
  | {readonly check: CheckResult; readonly type: 'check'}
  | {readonly id: RunStepId; readonly title: string; readonly type: 'step-started'}
  | {
      readonly current?: number
      readonly id: RunStepId | WaitId
      readonly text: string
      readonly total?: number
      readonly type: 'progress'
    }
  | {readonly step: StepResult; readonly type: 'step-finished'}
  | {readonly level: 'info' | 'warn'; readonly message: string; readonly step?: RunStepId; readonly type: 'log'}
  | {readonly result: RunResultDocument; readonly type: 'run-finished'}

/** An event with its time, as the views get it. */
export type TimedEvent = RunEvent & {readonly at: Timestamp}

export type EventListener = (event: TimedEvent) => void

/** One run's events, to any number of listeners, in order. */
export class EventBus {
  readonly #listeners: EventListener[] = []

  constructor(readonly now: () => number) {}

  emit(event: RunEvent): void {
    const timed: TimedEvent = {at: new Date(this.now()).toISOString(), ...event}
    for (const listener of this.#listeners) listener(timed)
  }

  info(message: string): void {
    this.emit({level: 'info', message, type: 'log'})
  }

  listen(listener: EventListener): void {
    this.#listeners.push(listener)
  }

  warn(message: string): void {
    this.emit({level: 'warn', message, type: 'log'})
  }
}
