// setup, upgrade and recover: when a run continues as a service, and with which options.
import {UPGRADE_OPTIONS} from '../../config/options/upgrade-options.js'
import type {Launcher} from '../../config/launchers.js'
import {layoutOf} from '../../config/layout.js'
import {K8sWinError, ProblemsError} from '../../errors/k8s-win-error.js'
import {restartRequired} from '../../errors/restart.js'
import {hostOptions, openHost} from '../../host/host.js'
import {orAborted} from '../../host/wait.js'
import {demandProgram} from '../../pipeline/desired/programs/service-program.js'
import {openTrustedJournal} from '../../pipeline/ledger/journal.js'
import {completeNode} from '../../preflight/node-config.js'
import {baseDir as baseDirStep} from '../../steps/base-dir.js'
import {restartsWindowsUnder, startsOnce} from '../launcher/restart-windows.js'
import type {SetupRun} from '../phases/setup-run.js'
import {handOver, orTakenBack, quietContext, startHandedOver} from './hand-over.js'
import {passedOn, type RunRequest} from './request.js'
import {fieldsFile, setupArguments} from './request-arguments.js'
import {isServiceActive} from './run-service.js'

/** Where it must not be this session, the reason why it cannot be a service is the run's error. */
export async function handOverSetup(run: SetupRun): Promise<'ended' | void> {
  const {bus, config, detaching, host, report} = run
  const {baseDir} = config
  try {
    await orTakenBack(run, baseDir, createService(run))
  } catch (error) {
    if (detaching === 'yes' || !(error instanceof K8sWinError)) throw error
    bus.warn(`the run continues in this session, and ends with it: ${error.message} (${error.id})`)
    return
  }
  run.phase = 'Start the service'
  await orTakenBack(run, baseDir, startHandedOver({host}))
  report.isDetached = true
  return 'ended'
}

/** Changes only the base directory. `isResumed`: it is to continue when Windows has been started again. */
async function createService(run: SetupRun, isResumed = false): Promise<void> {
  const {command, config, environment, host, input, journal} = run
  const {folder = '', launcherOf, timeoutMs, upgrade, yes = false} = input
  // The step needs nothing of the node but its options.
  const context = quietContext(run, {config: completeNode(config, {}), host, journal})
  await demandProgram(context)
  // Copies the kubeconfigs, which may be in a folder that the launcher deletes.
  await baseDirStep.apply(context)
  const isKnown = (flag: string): boolean => command === 'setup' || (command === 'upgrade' && isOfUpgrade(flag))
  const place = {baseDir: config.baseDir, folder, isKnown}
  const drain = upgrade?.drainMs === undefined ? [] : ['--drain', `--drain-timeout=${upgrade.drainMs / 1000}s`]
  const launcher = launcherOfService((await launcherOf?.()) ?? 'none')
  const limit = timeoutMs === undefined ? [] : [`--timeout=${timeoutMs / 1000}s`]
  const own = command === 'recover' ? [...limit, ...(yes ? ['--yes'] : [])] : [...drain, `--launcher=${launcher}`]
  const file = command === 'setup' ? fieldsFile(config.origin) : undefined
  const named = file === undefined ? [] : [`--config=${layoutOf(config.baseDir).requestConfig}`]
  const argv = [...setupArguments(config.origin, place), ...named, ...own]
  const request = {argv, command: command as RunRequest['command'], environment: passedOn(environment)}
  // One that was fetched is fetched again: by then it may be another one.
  const token = config.join?.tokenFrom ? undefined : config.bootstrap?.token
  await handOver(context, {...request, ...(isResumed && {isResumed})}, token, file)
}

const isOfUpgrade = (flag: string): boolean => UPGRADE_OPTIONS.some((option) => option.flag === flag)

/** Those that restart Windows by themselves do so for the exit code of a process that they started. */
const launcherOfService = (launcher: Launcher): Launcher => (startsOnce(launcher) ? launcher : 'none')

/** Prepares the service, where the error is that Windows must be restarted, and nothing else would start the run again. */
export async function prepareRestart(run: SetupRun, error: unknown): Promise<void> {
  const {assets, bus, config, dryRun, input, limited, report, signal} = run
  const {machine} = limited
  const code = error instanceof K8sWinError || error instanceof ProblemsError ? error.exitCode : undefined
  if (code !== restartRequired.exitCode || dryRun) return
  const launcher = (await input.launcherOf?.()) ?? 'none'
  const isOwn = config.allowRestart && restartsWindowsUnder(launcher)
  if (!isOwn && !startsOnce(launcher) && !(await isServiceActive(machine))) return
  try {
    const host = openHost(machine, hostOptions(assets, config))
    const {distrust, journal} = await openTrustedJournal(host, layoutOf(config.baseDir).journal)
    if (distrust) throw distrust
    await orAborted(createService({...run, host, journal}, true), signal)
    report.continues = true
  } catch (problem) {
    const reason = problem instanceof K8sWinError ? `${problem.id}: ${problem.message}` : String(problem)
    bus.warn(`the run cannot continue by itself after the restart: run the same command again then (${reason})`)
  }
}
