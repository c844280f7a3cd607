// What a run of reset is given, and what its phases find.
import type {Decided} from '../../config/model.js'
import type {ResetOptions} from '../../config/options/reset-options.js'
import type {Host} from '../../host/host.js'
import type {Owned} from '../../pipeline/owned/find-owned.js'
import type {StepResult} from '../../pipeline/run/events.js'
import type {EndingPods} from '../../pipeline/leave/ending-pods.js'
import type {Failure} from '../../pipeline/run/run-removals.js'
import type {RunRequest} from '../detach/request.js'
import type {Phase, Run, RunInput} from '../run.js'

export interface Question {
  /** What reset will do, what matters most first. */
  readonly lines: readonly string[]
  /** What stays, although k8s-win created it. */
  readonly stays: readonly string[]
  readonly text: string
}

export type Answer = 'no' | 'none' | 'yes'

export interface Asker {
  /** "none" without an answer: there is no terminal, and no answer was piped in. */
  ask(question: Question, signal: AbortSignal): Promise<Answer>
  /** The question is shown; elsewhere only an answer is looked for. */
  readonly isTerminal: boolean
}

export interface ResetInput extends RunInput {
  /** Undefined if reset cannot prompt. */
  readonly asker?: Asker | undefined
  /** Of --base-dir. */
  readonly baseDir?: string | undefined
  /** How the service calls reset, where it is to continue as one. */
  readonly detached?: RunRequest | undefined
  /** From --config: for setup --reset it may name the node. */
  readonly configFile?: string | undefined
  /** Of an administrator, who may delete the node object. */
  readonly kubeconfig?: string | undefined
  readonly options: ResetOptions
}

export interface ResetPlan {
  /** Steps that would fail. */
  readonly failures: readonly Failure[]
  /** What would stay or be lost, and why. */
  readonly remarks: readonly string[]
  readonly steps: readonly StepResult[]
  /** What goes, short enough for a question. */
  readonly summary: readonly string[]
}

/** Each value is set by the phase that finds it. */
export interface ResetRun extends Run<ResetInput> {
  config: Decided
  /** Logs and reports, of a setup that went no further than its checks, or of a reset that was stopped before its end. */
  hasRecords: boolean
  /** Only a person or an option may agree to their end; undefined where one did. */
  endingPods: EndingPods | undefined
  host: Host
  own: Owned
  /** Empty if it is not shown. */
  plan: ResetPlan
}

export type ResetPhase = Phase<ResetRun>
