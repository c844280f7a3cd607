// reset, from its own command and from setup --reset.
import {win32} from 'node:path'
import {type GivenReset, resolveReset} from '../../config/options/reset-options.js'
import {passedOn, type RunRequest} from '../../runs/detach/request.js'
import {resetArguments} from '../../runs/detach/request-arguments.js'
import {runReset} from '../../runs/reset/reset.js'
import {askOn} from '../ask.js'
import {chooseMachine} from '../choose-machine.js'
import {demandService} from './detach.js'
import type {GlobalFlags} from '../arguments/flag-table.js'
import {runWithView} from './run-with-view.js'

export interface ResetRequest {
  readonly baseDir: string | undefined
  readonly configFile?: string | undefined
  readonly flags: GlobalFlags
  readonly given: GivenReset
  /** The kubeconfig of an administrator. */
  readonly kubeconfig?: string | undefined
  readonly packageRoot: string
}

/** The exit code. */
export async function resetNode(asked: ResetRequest): Promise<number> {
  const {baseDir, configFile, flags, given, kubeconfig, packageRoot} = asked
  const options = resolveReset(given, process.env)
  const chosen = await chooseMachine(flags, process.platform, options.dryRun)
  if (options.detach && !options.dryRun) demandService(chosen.machine)
  const {launcher = 'detect'} = options
  const argv = resetArguments(given, process.env, kubeconfig && win32.resolve(kubeconfig))
  const request: RunRequest = {argv, command: 'reset', environment: passedOn(process.env)}
  const detached = options.detach ? request : undefined
  const {dryRun} = options
  return runWithView({baseDir, chosen, dryRun, flags, launcher, next: [], packageRoot}, (parts) =>
    runReset({...parts, asker: askOn(process), baseDir, configFile, detached, kubeconfig, options}),
  )
}
