// setup and upgrade: one run, with the options of either command.
import {askedLayers, isOn, layered} from '../../config/options/layers.js'
import type {Decided} from '../../config/model.js'
import {type GivenOptions, OPTIONS} from '../../config/options/options.js'
import {launcher as parseLauncher} from '../../config/options/parse-option.js'
import type {SetupInput} from '../../runs/phases/setup-run.js'
import {runSetup} from '../../runs/setup/setup.js'
import {chooseMachine} from '../choose-machine.js'
import {type GlobalFlags, textOf} from '../arguments/flag-table.js'
import {runDetachable} from './run-detachable.js'
import {commandTyper} from '../arguments/typed-commands.js'
import {reportTarget, watchRun} from './write-report.js'

export interface SetupRequest {
  readonly flags: GlobalFlags
  /** The options on the command line. */
  readonly given: GivenOptions
  readonly packageRoot: string
  /** Of k8s-win. */
  readonly version: string
  readonly upgrade?: SetupInput['upgrade']
}

/** The exit code. */
export async function setupNode({flags, given, packageRoot, upgrade, version}: SetupRequest): Promise<number> {
  const {env, platform} = process
  const asked = layered(askedLayers(OPTIONS, given, env))
  const [baseDir, config] = [textOf(asked.given['base-dir']), textOf(asked.given.config)]
  const dryRun = isOn(asked, 'dry-run')
  const chosen = await chooseMachine(flags, platform, dryRun)
  const typed = commandTyper(chosen.called, flags, platform)
  // Which folder a file names is not known yet.
  const status = config === undefined ? typed('status', baseDir) : undefined
  const next = [...(status === undefined ? [] : [status]), ...chosen.next]
  const onConfig = ({digests}: Pick<Decided, 'digests'>): void => chosen.declare(digests)
  // One that is not valid is reported with all other problems, by exit code 2, which is the same for every launcher.
  const named = parseLauncher(String(asked.given.launcher ?? ''))
  const launcher = 'value' in named ? named.value : 'detect'
  const run = {dryRun, folder: process.cwd(), given, onConfig}
  const report = textOf(asked.given.report)
  const target = report === undefined ? undefined : await reportTarget(flags, report, chosen.machine)
  const upgraded = upgrade && {upgrade: {...upgrade, losesPods: isOn(asked, 'yes')}}
  const watched = {asked, baseDir, chosen, configFile: config, dryRun, flags, next, packageRoot}
  return runDetachable({...watched, launcher}, async (parts) => {
    const finish = target && watchRun(parts.bus, {...parts, baseDir, configFile: config, version}, target)
    const result = await runSetup({...parts, ...run, ...upgraded})
    // A service writes the page of the run that it continues.
    if (result.outcome !== 'detached') await finish?.(result)
    return result
  })
}
