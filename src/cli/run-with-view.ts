// A run that people watch: its events, its views, Ctrl-C, and what becomes of a bug.
import type {GivenOptions} from '../config/options.js'
import {K8sWinError, ProblemsError} from '../errors/k8s-win-error.js'
import {bug} from '../errors/program.js'
import type {Assets} from '../machine/assets.js'
import type {Machine} from '../machine/machine.js'
import type {Redactor} from '../output/redact.js'
import {bannerLines} from '../output/text/simulated-banner.js'
import type {EventBus, RunResultDocument} from '../pipeline/run/events.js'
import type {LockHolder} from '../runs/run-lock.js'
import type {ChosenMachine} from './choose-machine.js'
import {type GlobalFlags, logFolder, outputFormat} from './flag-table.js'
import {stoppingNotice, watchSignals} from './signals.js'

/** What every run gets. */
export interface RunParts {
  readonly assets: Assets
  readonly bus: EventBus
  readonly dockerHost: string | undefined
  readonly environment: NodeJS.ProcessEnv
  readonly holder: LockHolder
  readonly machine: Machine
  readonly redactor: Redactor
  readonly signal: AbortSignal
}

export interface WatchedRun {
  readonly chosen: ChosenMachine
  readonly flags: GlobalFlags
  /** Where its log is looked for, after a bug. */
  readonly given: GivenOptions
  /** What to try after a success. */
  readonly next: readonly string[]
  readonly packageRoot: string
}

/** The exit code. */
export async function runWithView(
  {chosen, flags, given, next, packageRoot}: WatchedRun,
  run: (parts: RunParts) => Promise<RunResultDocument>,
): Promise<number> {
  const {called, machine} = chosen
  const [{chooseView}, {EventBus: Bus}, {redactor}, {openAssets}, {thisCaller}] = await Promise.all([
    import('../output/run/choose-view.js'),
    import('../pipeline/run/events.js'),
    import('./redactor.js'),
    import('../machine/real/assets.js'),
    import('../machine/real/caller.js'),
  ])
  const {now} = machine.clock
  const bus = new Bus(now)
  const format = outputFormat(flags)
  if (format !== 'ndjson') for (const line of bannerLines(machine.simulated)) process.stderr.write(`${line}\n`)
  const view = chooseView({
    environment: process.env,
    format,
    next,
    now,
    platform: process.platform,
    redact: redactor.redact,
    stderr: process.stderr,
    stdout: process.stdout,
    verbose: flags.verbose ?? false,
  })
  bus.listen(view.listen)
  const signals = watchSignals(process, stoppingNotice(bus))

  try {
    const {exitCode} = await run({
      assets: openAssets(packageRoot),
      bus,
      dockerHost: flags.simulate === undefined ? process.env.DOCKER_HOST : undefined,
      environment: process.env,
      holder: {command: redactor.redact([called, ...process.argv.slice(2)].join(' ')), ...thisCaller()},
      machine,
      redactor,
      signal: signals.signal,
    })
    return exitCode
  } catch (error) {
    view.stop()
    if (error instanceof K8sWinError || error instanceof ProblemsError) throw error
    const cause = redactor.redact(error instanceof Error ? (error.stack ?? error.message) : String(error))
    throw bug({log: logFolder(given), message: redactor.redact(String(error))}, {cause})
  } finally {
    signals.close()
  }
}
