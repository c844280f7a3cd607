// What a run of reset is given.
import type {ResetOptions} from '../../config/reset-options.js'
import type {Assets} from '../../machine/machine.js'
import type {RecordedRun} from '../run-lifecycle.js'
import type {RunRequest} from '../detach/request.js'
import type {LockHolder} from '../run-lock.js'

export interface Question {
  /** What will be removed, one thing a line. */
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

export interface ResetRun extends RecordedRun {
  /** Undefined if reset cannot prompt. */
  readonly asker?: Asker | undefined
  readonly assets: Assets
  /** Of --base-dir. */
  readonly baseDir?: string | undefined
  /** How the service calls reset, where it is to continue as one. */
  readonly detached?: RunRequest | undefined
  /** From --config: for setup --reset it may name the node. */
  readonly configFile?: string | undefined
  /** DOCKER_HOST of the environment, where the machine is this one. */
  readonly dockerHost?: string | undefined
  /** Of an administrator, who may delete the node object. */
  readonly kubeconfig?: string | undefined
  /** Where K8S_WIN_BASE_DIR is looked for. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** For others who would like to run meanwhile. */
  readonly holder?: LockHolder
  readonly options: ResetOptions
}
