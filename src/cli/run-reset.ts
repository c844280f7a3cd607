// reset, from its own command and from setup --reset.
import type {GivenOptions} from '../config/options.js'
import {type GivenReset, resolveReset} from '../config/reset-options.js'
import {runReset} from '../runs/reset/reset.js'
import {askOn} from './ask.js'
import {chooseMachine} from './choose-machine.js'
import type {GlobalFlags} from './flag-table.js'
import {runWithView} from './run-with-view.js'

export interface ResetRequest {
  readonly baseDir: string | undefined
  readonly configFile?: string | undefined
  readonly flags: GlobalFlags
  readonly given: GivenReset
  /** Of an administrator. */
  readonly kubeconfig?: string | undefined
  readonly packageRoot: string
}

/** The exit code. */
export async function resetNode(request: ResetRequest): Promise<number> {
  const {baseDir, configFile, flags, given, kubeconfig, packageRoot} = request
  const options = resolveReset(given, process.env)
  const chosen = await chooseMachine(flags, process.platform, options.dryRun)
  const place: GivenOptions = baseDir === undefined ? {} : {'base-dir': baseDir}
  const {launcher = 'detect'} = options
  return runWithView({chosen, flags, given: place, launcher, next: [], packageRoot}, (parts) =>
    runReset({...parts, asker: askOn(process), baseDir, configFile, kubeconfig, options}),
  )
}
