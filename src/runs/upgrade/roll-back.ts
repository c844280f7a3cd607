// An upgrade that failed after it had begun to replace programs, or settings with which a daemon does not work: the node of
// before is restored, and proven like a setup.
import {decide} from '../../config/decide.js'
import {layoutOf} from '../../config/layout.js'
import type {Node} from '../../config/model.js'
import {withOpened} from '../../config/upgrade.js'
import type {Version} from '../../config/version.js'
import {interrupted} from '../../errors/health.js'
import {type K8sWinError, ProblemsError} from '../../errors/k8s-win-error.js'
import {settingsRolledBack, settingsStuck, upgradeRolledBack, upgradeStuck} from '../../errors/upgrade.js'
import {hostOptions, openHost} from '../../host/host.js'
import {rootOpenedBy, stopUnopened} from '../../pipeline/desired/containers/containerd-root.js'
import {openTrustedJournal} from '../../pipeline/ledger/journal.js'
import {releaseOf} from '../../pipeline/ledger/run-entries.js'
import {EventBus} from '../../pipeline/run/events.js'
import type {Progress} from '../../pipeline/run/step.js'
import {runList, type TaskOutcome} from '../../pipeline/run/task-list.js'
import {documentOf, toUserError} from '../../pipeline/run/to-user-error.js'
import {stepsFor} from '../../steps/index.js'
import {readAsked, storeConfiguration} from '../configuration.js'
import {prepareRestart} from '../detach/detach-setup.js'
import {limitTime, runPhases, type RunReport} from '../run.js'
import {applySteps, endStop, uncordon} from '../phases/apply.js'
import {isSilence} from '../phases/check.js'
import {demandHealth, NOT_HEALTHY_EXIT} from '../phases/final-health.js'
import type {SetupPhase, SetupRun} from '../phases/setup-run.js'
import {skippedIn} from '../status/records.js'

/**
 * These phases. Where one of them fails once the node is drained, or the node does not become healthy with other settings, the
 * node of before is restored, unless the user stops the run.
 */
export const orRestored = (phases: readonly SetupPhase[]): SetupPhase => ({
  endsItself: true,
  async run(run) {
    try {
      await runPhases(phases, run)
    } catch (error) {
      if (!run.back || !(run.isDrained || isOfSettings(run, error)) || run.input.signal.aborted) throw error
      await prepareRestart(run, error)
      await rollBack(run, run.back, error)
    }
  },
  title: 'Upgrade',
})

/** Not what only the cluster could judge: it does not respond. */
const isOfSettings = ({former, phase}: SetupRun, error: unknown): boolean =>
  former !== undefined && !isSilence(error) && toUserError(error, phase)?.exitCode === NOT_HEALTHY_EXIT

/** Rejects with what the run ends with: the failure that led here, and what became of the node. */
async function rollBack(run: SetupRun, node: Node, failure: unknown): Promise<never> {
  const {bus, config, report} = run
  const first = toUserError(failure, run.phase, run.waitsFor())
  // A bug is reported as such; the next run finishes what was begun.
  if (!first) throw failure
  const isOfRelease = run.former === undefined
  const [from, to] = [isOfRelease ? node.release.text : 'the settings of the last setup', config.release.text]
  bus.warn(`${first.message}: restoring ${from}`)
  // What is left of the upgrade's time may be nothing. The node of before has the default: --timeout is not stored.
  limitTime(run, Math.max(config.timeoutMs, node.timeoutMs))
  const title = `Restore ${from}`
  let outcome: TaskOutcome | undefined
  const restore = async (progress: (progress: Progress) => void): Promise<TaskOutcome> =>
    (outcome = await restored(run, node, title, progress))
  const due = async (): Promise<undefined> => undefined
  const results = await runList(bus, [{due, id: 'roll-back', run: restore, title}], {concurrent: false})
  report.steps = [...report.steps, ...results]
  const reason = `${first.message}. ${first.reason}`
  if (outcome?.error === undefined)
    throw isOfRelease
      ? upgradeRolledBack({fix: first.fix, from, reason, to}, {cause: first})
      : settingsRolledBack({reason}, {cause: first})
  const second = outcome.error as K8sWinError
  if (interrupted.is(second)) throw second
  const left = `${second.message}. ${second.reason}`
  const stuck = isOfRelease ? upgradeStuck({from, left, to}) : settingsStuck({left})
  throw new ProblemsError([stuck, first, second], 7)
}

async function restored(
  run: SetupRun,
  node: Node,
  title: string,
  progress: (progress: Progress) => void,
): Promise<TaskOutcome> {
  const {clock} = run.limited.machine
  const began = clock.elapsed()
  const bus = new EventBus(() => clock.now())
  bus.listen((event) => {
    if (event.type === 'log') run.bus.emit(event)
    if (event.type === 'step-started') progress({text: event.title})
  })
  const report: RunReport = {checks: [], steps: []}
  const failure = await restore({...run, bus, report}, node).then(
    () => undefined,
    (error: unknown) => error,
  )
  const error = failure === undefined ? undefined : toUserError(failure, title)
  if (failure !== undefined && !error) throw failure as Error
  const changes = report.steps.flatMap((result) => result.changes)
  const state = error ? 'failed' : 'changed'
  const result = {changes, durationMs: Math.round(clock.elapsed() - began), id: 'roll-back', state, title} as const
  return error ? {error, result: {...result, error: documentOf(error)}} : {result}
}

async function restore({back: _, ...run}: SetupRun, node: Node): Promise<void> {
  const {assets, bus, limited, signal} = run
  const {baseDir} = node
  const host = openHost(limited.machine, hostOptions(assets, node))
  await stopUnopened(host, baseDir, signal)
  const opened = await rootOpenedBy(host, baseDir)
  const config = withOpened(node, opened)
  const kept = `containerd ${opened?.text} stays: it has opened the data of this node`
  if (config !== node) bus.warn(kept)
  const {distrust, journal} = await openTrustedJournal(host, layoutOf(baseDir).journal)
  if (distrust) throw distrust
  const steps = stepsFor(run.former ? config : {...config, upgrade: {from: config}})
  const storeAgain = (all: SetupRun): Promise<void> => storeRestored(all, config === node ? undefined : opened)
  const phases: readonly SetupPhase[] = [
    {endsItself: true, run: applySteps, title: 'Apply the steps'},
    {run: demandHealth, title: 'Check node health'},
    {run: storeAgain, title: 'Store the configuration'},
    {endsItself: true, run: uncordon, title: 'Uncordon the node'},
    // The daemons of before run again, also those that "k8s-win stop" had stopped.
    {run: endStop, title: 'End the pause'},
  ]
  await runPhases(phases, {...run, config, host, journal, node: config, steps})
}

/** `opened`: the newer containerd that the node keeps. What is stored names it, or status would call it drifted. */
async function storeRestored({config, journal, limited, signal}: SetupRun, opened: Version | undefined): Promise<void> {
  // The upgrade may have recorded its own.
  await journal.record('base-dir', releaseOf(config))
  if (!opened) return
  const {machine} = limited
  const asked = await readAsked({environment: {}, flags: {'base-dir': config.baseDir}, machine, signal})
  await storeConfiguration(machine, journal, decide(asked, {rootOpenedBy: opened}), skippedIn(journal))
}
