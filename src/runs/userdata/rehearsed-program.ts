// k8s-win.exe of a rehearsal: the real setup, in this process, on the simulated Windows.
import {environmentVariable, type GivenOptions} from '../../config/options/options.js'
import type {Decided} from '../../config/model.js'
import {launcher as parseLauncher} from '../../config/options/parse-option.js'
import {K8sWinError, ProblemsError} from '../../errors/k8s-win-error.js'
import type {Machine} from '../../machine/machine.js'
import {type ErrorDocument, EventBus, type RunResultDocument} from '../../pipeline/run/events.js'
import {continueRun} from '../detach/continue-run.js'
import {RUN_SERVICE} from '../detach/run-service.js'
import {launcherHooks} from '../launcher/launcher-hooks.js'
import {restartWindows} from '../launcher/restart-windows.js'
import type {Session} from '../run.js'
import {runSetup} from '../setup/setup.js'

export interface RehearsedHost {
  declare(digests: Decided['digests']): void
  readonly machine: Machine
}

export interface ProgramRequest extends Pick<Session, 'assets' | 'redactor' | 'signal'> {
  /** As the command line of setup is parsed. Throws a ProblemsError. */
  readonly parse: (argv: readonly string[]) => Promise<GivenOptions>
  /** In place of what was given: what only the simulated cluster and cloud have. */
  readonly replaced: GivenOptions
}

export type RehearsedError = Pick<ErrorDocument, 'cause' | 'fix' | 'id' | 'message'>

/** How k8s-win.exe ended. */
export interface EndedProgram extends Pick<RunResultDocument, 'exitCode' | 'restartsIn'> {
  readonly changed: number
  /** What the launcher gets. */
  readonly code: number
  readonly errors: readonly RehearsedError[]
  readonly isReady: boolean
}

export type Variables = Readonly<Record<string, string>>

const TOKEN = environmentVariable('token')

export async function runOwnProgram(
  {assets, parse, redactor, replaced, signal}: ProgramRequest,
  {declare, machine}: RehearsedHost,
  [command, ...argv]: readonly string[],
  variables: Variables,
): Promise<EndedProgram> {
  if (command !== 'setup') throw new Error(`the rehearsal does not know "k8s-win ${command}"`)
  const {SIMULATED_CLUSTER} = await import('../../simulator/index.js')
  try {
    const typed = await parse(argv)
    const named = parseLauncher(String(typed.launcher ?? ''))
    const bus = new EventBus(machine.clock.now)
    const hooks = launcherHooks({bus, launcher: 'value' in named ? named.value : undefined, machine})
    const hasToken = variables[TOKEN] !== undefined
    const result = await runSetup({
      ...hooks,
      assets,
      bus,
      dryRun: false,
      environment: {...variables, ...(hasToken && {[TOKEN]: SIMULATED_CLUSTER.token})},
      given: {...typed, ...replaced},
      machine,
      onConfig: ({digests}) => declare(digests),
      redactor,
      signal,
    })
    await restartWindows(machine, result)
    return endOf(result)
  } catch (error) {
    const problems = error instanceof ProblemsError ? error.problems : [error]
    const errors = problems.map((problem) => {
      if (!(problem instanceof K8sWinError)) throw error
      const {fix, id, message, reason: cause} = problem
      return {cause, fix, id, message}
    })
    const {exitCode} = error as K8sWinError | ProblemsError
    return {changed: 0, code: exitCode, errors, exitCode, isReady: false}
  }
}

function endOf({
  error,
  errors = error ? [error] : [],
  exitCode,
  launcher,
  node,
  recap,
  ...rest
}: RunResultDocument): EndedProgram {
  return {
    changed: recap.changed,
    code: launcher?.exitCode ?? exitCode,
    errors: errors.map(({cause, fix, id, message}) => ({cause, fix, id, message})),
    exitCode,
    isReady: exitCode === 0 && node?.ready === true,
    ...(rest.restartsIn !== undefined && {restartsIn: rest.restartsIn}),
  }
}

/** What the service k8s-win-run starts. Returns its exit code. */
export async function runService(
  machine: Machine,
  own: (argv: readonly string[], variables: Variables) => Promise<number>,
): Promise<number> {
  const {imagePath = ''} = (await machine.win32.queryServiceConfig(RUN_SERVICE)) ?? {}
  const [, named = ''] = imagePath.split('--base-dir=')
  const [, baseDir = ''] = /^([^"]+)"?$/.exec(named) ?? []
  return continueRun(machine, baseDir, ({argv, command, environment}, token) =>
    own([command, ...argv], {...environment, ...(token !== undefined && {[TOKEN]: token})}),
  )
}
