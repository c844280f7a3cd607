// reset, from its own command and from setup --reset.
import {win32} from 'node:path'
import {askedLayers, layered} from '../config/layers.js'
import type {Given, GivenOptions} from '../config/options.js'
import {type GivenReset, RESET_OPTIONS, resolveReset} from '../config/reset-options.js'
import {passedOn, type RunRequest} from '../runs/detach/request.js'
import {argumentsOf} from '../runs/detach/request-arguments.js'
import {runReset} from '../runs/reset/reset.js'
import {askOn} from './ask.js'
import {chooseMachine} from './choose-machine.js'
import {demandService} from './detach.js'
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
  if (options.detach && !options.dryRun) demandService(chosen.machine)
  const place: GivenOptions = baseDir === undefined ? {} : {'base-dir': baseDir}
  const {launcher = 'detect'} = options
  const detached = options.detach ? resetRequest(given, kubeconfig) : undefined
  return runWithView({chosen, flags, given: place, launcher, next: [], packageRoot}, (parts) =>
    runReset({...parts, asker: askOn(process), baseDir, configFile, detached, kubeconfig, options}),
  )
}

/** It has asked already, and what it asks for is on its command line: the variables of this session are not the service's. */
function resetRequest(typed: GivenReset, kubeconfig: string | undefined): RunRequest {
  const {detach: _, launcher: _launcher, ...given} = layered(askedLayers(RESET_OPTIONS, typed, process.env)).given
  const isSwitch = (flag: string): boolean =>
    RESET_OPTIONS.some((option) => option.flag === flag && option.kind === 'switch')
  const settled = Object.entries(given).map(
    ([flag, value]) => [flag, isSwitch(flag) ? String(value).toLowerCase() === 'true' : value] as const,
  )
  const files = {kubeconfig: kubeconfig && win32.resolve(kubeconfig)}
  const handedOn: Given<string> = {...files, ...Object.fromEntries(settled), launcher: 'none', yes: true}
  const argv = argumentsOf(handedOn)
  return {argv, command: 'reset', environment: passedOn(process.env)}
}
