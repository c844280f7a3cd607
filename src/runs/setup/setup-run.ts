// What a run of setup is given.
import type {SetupConfig} from '../../config/model.js'
import type {GivenOptions} from '../../config/options.js'
import type {Assets} from '../../machine/assets.js'
import type {RecordedRun} from '../run-lifecycle.js'
import type {LockHolder} from '../run-lock.js'

export interface SetupRun extends RecordedRun {
  readonly assets: Assets
  /** DOCKER_HOST of the environment, where the machine is this one. */
  readonly dockerHost?: string | undefined
  /** Where K8S_WIN_* variables are looked for. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** The command line's options. */
  readonly given: GivenOptions
  /** For others who would like to run meanwhile. */
  readonly holder?: LockHolder
  /** Told what was asked for, before anything is done. */
  readonly onConfig?: (config: SetupConfig) => void
}
