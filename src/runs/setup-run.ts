// What a run of setup is given.
import type {SetupConfig} from '../config/model.js'
import type {GivenOptions} from '../config/options.js'
import type {Assets} from '../machine/assets.js'
import type {Machine} from '../machine/machine.js'
import type {Redactor} from '../output/redact.js'
import type {EventBus} from '../pipeline/events.js'
import type {LockHolder} from './run-lock.js'

export interface SetupRun {
  readonly assets: Assets
  readonly bus: EventBus
  /** DOCKER_HOST of the environment, where the machine is this one. */
  readonly dockerHost?: string | undefined
  /** Everything is tried on a twin of the machine, which itself is only looked at. */
  readonly dryRun?: boolean
  /** Where K8S_WIN_* variables are looked for. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** The command line's options. */
  readonly given: GivenOptions
  /** For others who would like to run meanwhile. */
  readonly holder?: LockHolder
  readonly machine: Machine
  /** Told what was asked for, before anything is done. */
  readonly onConfig?: (config: SetupConfig) => void
  readonly redactor: Redactor
  /** Aborted on Ctrl-C, with an InterruptedError. */
  readonly signal: AbortSignal
}
