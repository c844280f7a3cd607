// What every run has, and a run with views: its events, its views, Ctrl-C, and what becomes of a bug.
import type {Launcher} from '../../config/launchers.js'
import {K8sWinError, ProblemsError} from '../../errors/k8s-win-error.js'
import {bug} from '../../errors/program.js'
import {openAssets, thisCaller} from '../../machine/real/assets.js'
import {openStandardInput} from '../../machine/real/standard-input.js'
import type {StandardInput} from '../../machine/standard-input.js'
import {chooseView} from '../../output/run/choose-view.js'
import {bannerLines, openScreen, sentenceLines} from '../../output/screen.js'
import {EventBus, type RunResultDocument} from '../../pipeline/run/events.js'
import {launcherHooks} from '../../runs/launcher/launcher-hooks.js'
import {restartWindows} from '../../runs/launcher/restart-windows.js'
import type {RunHooks, Session} from '../../runs/run.js'
import type {LockHolder} from '../../runs/run-lock.js'
import type {ChosenMachine} from '../choose-machine.js'
import {type GlobalFlags, logFolder, outputFormat} from '../arguments/flag-table.js'
import {redactor} from '../redactor.js'
import {stoppingNotice, watchSignals} from '../signals.js'

export interface CommandSession extends Omit<Session, 'bus'> {
  readonly dockerHost: string | undefined
  readonly input: StandardInput
}

/** What a run that only reads gets, too. */
export function commandSession(
  {machine, program}: Pick<ChosenMachine, 'machine' | 'program'>,
  flags: GlobalFlags,
  packageRoot: string,
  signal: AbortSignal,
): CommandSession {
  const dockerHost = flags.simulate === undefined ? process.env.DOCKER_HOST : undefined
  const input = openStandardInput(process, () => void process.emit('SIGINT'))
  const assets = {...openAssets(packageRoot), ...(program && {program})}
  return {assets, dockerHost, environment: process.env, input, machine, redactor, signal}
}

/** Ctrl-C stops the work, and prints `stopping`. */
export async function withSession<T>(
  chosen: Pick<ChosenMachine, 'machine' | 'program'>,
  flags: GlobalFlags,
  packageRoot: string,
  work: (session: CommandSession) => Promise<T>,
  stopping = '',
): Promise<T> {
  const signals = watchSignals(process, () => process.stderr.write(stopping))
  try {
    return await work(commandSession(chosen, flags, packageRoot, signals.signal))
  } finally {
    signals.close()
  }
}

/** Nothing watches a simulated host between two commands. */
export async function watchIfSimulated(session: Pick<CommandSession, 'assets' | 'machine'>): Promise<void> {
  if (session.machine.simulated) await (await import('./watch-simulated.js')).watchSimulated(session)
}

export interface WatchedRun {
  /** Of --base-dir: where the log is, after a bug. */
  readonly baseDir: string | undefined
  readonly chosen: ChosenMachine
  /** Its plan is the result: on stdout. */
  readonly dryRun?: boolean | undefined
  readonly flags: GlobalFlags
  /** It is only shown: Ctrl-C does not stop it. */
  readonly isAttached?: boolean
  /** For a run whose end a launcher reads: the value of --launcher, or `detect`. */
  readonly launcher?: 'detect' | Launcher
  /** What to try after a success. */
  readonly next: readonly string[]
  readonly packageRoot: string
}

export type ViewedSession = CommandSession & {
  readonly bus: EventBus
  /** From now on a run of another process is shown. */
  readonly follow: () => void
  readonly holder: LockHolder
  readonly launcherOf: (() => Promise<Launcher>) | undefined
} & RunHooks

const NO_LAUNCHER = {launcherOf: undefined}

/** Returns the exit code. */
export async function runWithView(
  {baseDir, chosen, dryRun, flags, isAttached = false, launcher, next, packageRoot}: WatchedRun,
  run: (session: ViewedSession) => Promise<RunResultDocument>,
): Promise<number> {
  const {called, machine} = chosen
  const {now} = machine.clock
  const bus = new EventBus(now)
  const format = outputFormat(flags)
  if (format !== 'ndjson') for (const line of bannerLines(machine.simulated)) process.stderr.write(`${line}\n`)
  const {env: environment, platform, stderr, stdout} = process
  const {redact} = redactor
  const {quiet = false, verbose = false} = flags
  const choice = {dryRun, environment, format, next, now, platform, quiet, redact, stderr, stdout, verbose}
  const view = chooseView(choice)
  bus.listen(view.listen)
  let isShown = isAttached
  const follow = (): void => void (isShown = true)
  const notice = stoppingNotice(bus)
  const signals = watchSignals(process, () => (isShown ? undefined : notice()))

  try {
    const session = commandSession(chosen, flags, packageRoot, signals.signal)
    const holder = {command: redact([called, ...process.argv.slice(2)].join(' ')), ...thisCaller()}
    const named = launcher === 'detect' ? undefined : launcher
    const hooks = launcher ? launcherHooks({bus, launcher: named, machine}) : NO_LAUNCHER
    if (!dryRun) await watchIfSimulated(session)
    const result = await run({...session, ...hooks, bus, follow, holder})
    if (!dryRun) await watchIfSimulated(session)
    const {exitCode, launcher: ended} = result
    const problem = isShown ? undefined : await restartWindows(machine, result)
    if (problem !== undefined) {
      stderr.write(`${sentenceLines(redact(problem), openScreen(stderr)).join('\n')}\n`)
      return exitCode
    }
    // The one place where the two differ: documents always have the code of docs/exit-codes.md.
    return isShown ? exitCode : (ended?.exitCode ?? exitCode)
  } catch (error) {
    view.stop()
    if (error instanceof K8sWinError || error instanceof ProblemsError) throw error
    const cause = redact(error instanceof Error ? (error.stack ?? error.message) : String(error))
    throw bug({log: logFolder(baseDir), message: redact(String(error))}, {cause})
  } finally {
    signals.close()
  }
}
