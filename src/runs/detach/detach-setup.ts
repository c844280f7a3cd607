// setup and upgrade: when a run continues as a service, and with which options.
import {type Decided, NETWORK_NAME} from '../../config/model.js'
import {UPGRADE_OPTIONS} from '../../config/upgrade-options.js'
import type {Launcher} from '../../config/launchers.js'
import {layoutOf} from '../../config/layout.js'
import {K8sWinError, ProblemsError} from '../../errors/k8s-win-error.js'
import {restartRequired} from '../../errors/restart.js'
import {type Host, hostOptions, openHost} from '../../host/host.js'
import {orAborted} from '../../host/wait.js'
import type {Machine} from '../../machine/machine.js'
import {openTrustedJournal, type Journal} from '../../pipeline/ledger/journal.js'
import {completeNode} from '../../preflight/node-config.js'
import {baseDir as baseDirStep} from '../../steps/base-dir.js'
import {restartsWindowsUnder, startsOnce} from '../launcher/restart-windows.js'
import type {SetupRun} from '../setup/setup.js'
import {demandProgram, handOver} from './hand-over.js'
import {passedOn} from './request.js'
import {setupArguments} from './request-arguments.js'
import {isServiceActive} from './run-service.js'

/** The network of the host is interrupted for seconds where the overlay network is created: a remote session ends there. */
export async function interruptsNetwork({hns}: Pick<Host, 'hns'>): Promise<boolean> {
  // Without the library there is no network either.
  return (await hns.network(NETWORK_NAME).catch(() => undefined)) === undefined
}

interface ToHandOver {
  readonly host: Host
  /** It is to continue when Windows has been started again. */
  readonly isResumed?: boolean
  readonly journal: Journal
}

/** Changes only the base directory, and creates the service. */
export async function handOverSetup(
  run: SetupRun,
  config: Decided,
  {host, isResumed = false, journal}: ToHandOver,
): Promise<void> {
  const {bus, environment = {}, folder = '', launcherOf, signal, upgrade} = run
  const context = {
    changed: () => {},
    // The step needs nothing of the node but its options.
    config: completeNode(config, {}),
    host,
    journal,
    progress: () => {},
    signal,
    warn: (message: string) => bus.emit({level: 'warn', message, type: 'log'}),
  }
  await demandProgram(context)
  // Copies the kubeconfigs, which may be in a folder that the launcher deletes.
  await baseDirStep.apply(context)
  const place = {baseDir: config.baseDir, folder, isKnown: upgrade ? isOfUpgrade : () => true}
  const drain = upgrade?.drainMs === undefined ? [] : ['--drain', `--drain-timeout=${upgrade.drainMs / 1000}s`]
  const launcher = launcherOfService((await launcherOf?.()) ?? 'none')
  const argv = [...setupArguments(config.origin, place), ...drain, `--launcher=${launcher}`]
  const request = {argv, command: upgrade ? 'upgrade' : 'setup', environment: passedOn(environment)} as const
  await handOver(context, {...request, ...(isResumed && {isResumed})}, config.bootstrap?.token)
}

const isOfUpgrade = (flag: string): boolean => UPGRADE_OPTIONS.some((option) => option.flag === flag)

/** Those that restart Windows by themselves do so for the exit code of a process that they started. */
const launcherOfService = (launcher: Launcher): Launcher => (startsOnce(launcher) ? launcher : 'none')

/** Prepares the service, where the error is that Windows must be restarted, and nothing else would start the run again. */
export async function continuesAfterRestart(
  run: SetupRun,
  config: Decided,
  machine: Machine,
  error: unknown,
): Promise<boolean> {
  const code = error instanceof K8sWinError || error instanceof ProblemsError ? error.exitCode : undefined
  if (code !== restartRequired.exitCode || run.dryRun) return false
  const launcher = (await run.launcherOf?.()) ?? 'none'
  const isOwn = config.allowRestart && restartsWindowsUnder(launcher)
  if (!isOwn && !startsOnce(launcher) && !(await isServiceActive(machine))) return false
  try {
    const host = openHost(machine, hostOptions(run.assets, config))
    const {distrust, journal} = await openTrustedJournal(host, layoutOf(config.baseDir).journal)
    if (distrust) throw distrust
    await orAborted(handOverSetup(run, config, {host, isResumed: true, journal}), run.signal)
    return true
  } catch (problem) {
    const reason = problem instanceof K8sWinError ? `${problem.id}: ${problem.message}` : String(problem)
    const message = `the run cannot continue by itself after the restart: run the same command again then (${reason})`
    run.bus.emit({level: 'warn', message, type: 'log'})
    return false
  }
}
