// An upgrade that failed after it had begun to replace programs: the old release is restored, and proven like a setup.
import {decide} from '../../config/decide.js'
import {layoutOf} from '../../config/layout.js'
import type {Node} from '../../config/model.js'
import {withOpened} from '../../config/upgrade.js'
import type {Version} from '../../config/version.js'
import {interrupted} from '../../errors/health.js'
import {type K8sWinError, ProblemsError} from '../../errors/k8s-win-error.js'
import {upgradeRolledBack, upgradeStuck} from '../../errors/upgrade.js'
import {hostOptions, openHost} from '../../host/host.js'
import type {Machine} from '../../machine/machine.js'
import {rootOpenedBy, stopUnopened} from '../../pipeline/desired/containers/containerd-root.js'
import {afterFailure} from '../../pipeline/desired/cluster/unfinished-upgrade.js'
import {openTrustedJournal} from '../../pipeline/ledger/journal.js'
import {releaseOf} from '../../pipeline/ledger/milestone.js'
import {EventBus, type StepResult} from '../../pipeline/run/events.js'
import {runSteps} from '../../pipeline/run/run-steps.js'
import type {Progress, Step} from '../../pipeline/run/step.js'
import {runList, type TaskOutcome} from '../../pipeline/run/task-list.js'
import {documentOf, toUserError} from '../../pipeline/run/to-user-error.js'
import {stepsFor} from '../../steps/index.js'
import {readAsked, storeConfiguration} from '../configuration.js'
import {type Frame, type RunMachine, withinTime} from '../run-lifecycle.js'
import {demandHealth} from '../setup/final-health.js'
import type {SetupRun} from '../setup/setup.js'

export interface WayBack {
  /** As it was before, and still is in what is stored. */
  readonly node: Node
  /** The release that could not be installed. */
  readonly to: string
}

/** Rejects with what the run ends with: the failure that led here, and what became of the node. */
export async function rollBack(run: SetupRun, frame: Frame, way: WayBack, failure: unknown): Promise<never> {
  const {node, to} = way
  const {story} = frame
  const first = toUserError(failure, story.phase, story.waitsFor())
  // A bug is reported as such; the next run finishes what was begun.
  if (!first) throw failure
  const from = node.release.text
  run.bus.emit({level: 'warn', message: `${first.message}: restoring ${from}`, type: 'log'})
  let outcome: TaskOutcome | undefined
  await withinTime(run, node.timeoutMs, frame, async (machine, signal) => {
    const title = `Restore ${from}`
    const restore = (progress: (progress: Progress) => void): Promise<TaskOutcome> =>
      restored({...run, signal}, node, machine, title, progress).then((ended) => (outcome = ended))
    const due = async (): Promise<undefined> => undefined
    const results = await runList(run.bus, [{due, id: 'roll-back', run: restore, title}], {concurrent: false})
    story.steps = [...story.steps, ...results]
  })
  const reason = `${first.message}. ${first.reason}`
  if (outcome?.error === undefined) throw upgradeRolledBack({fix: first.fix, from, reason, to}, {cause: first})
  const second = outcome.error as K8sWinError
  if (interrupted.is(second)) throw second
  throw new ProblemsError([upgradeStuck({from, left: `${second.message}. ${second.reason}`, to}), first, second], 7)
}

async function restored(
  run: SetupRun,
  node: Node,
  {machine}: RunMachine,
  title: string,
  progress: (progress: Progress) => void,
): Promise<TaskOutcome> {
  const {assets, signal} = run
  const {baseDir} = node
  const {clock} = machine
  const started = clock.now()
  const bus = new EventBus(() => clock.now())
  bus.listen((event) => {
    if (event.type === 'log') run.bus.emit(event)
    if (event.type === 'step-started') progress({text: event.title})
  })
  const results: StepResult[] = []
  const work = async (): Promise<void> => {
    const host = openHost(machine, hostOptions(assets, node))
    await stopUnopened(host, baseDir, signal)
    const opened = await rootOpenedBy(host, baseDir)
    const config = withOpened(node, opened)
    const kept = `containerd ${opened?.text} stays: it has opened the data of this node`
    if (config !== node) bus.emit({level: 'warn', message: kept, type: 'log'})
    const {distrust, journal} = await openTrustedJournal(host, layoutOf(baseDir).journal)
    if (distrust) throw distrust
    const context = {config, host, journal}
    const runAll = async (steps: readonly Step[]): Promise<void> => {
      const outcome = await runSteps({bus, clock, context, signal, steps})
      results.push(...outcome.results)
      if (outcome.error !== undefined) throw (await afterFailure({...context, signal}, false, outcome.error)) as Error
    }
    const steps = stepsFor({...config, upgrade: {from: config}})
    await runAll(steps.filter(({id}) => id !== 'uncordon-node'))
    await demandHealth({assets, bus, config, journal, machine, node: config, signal})
    // The upgrade may have recorded its own.
    await journal.record('base-dir', releaseOf(config))
    if (config !== node) await storeKept({baseDir, machine, opened, signal})
    await runAll(steps.filter(({id}) => id === 'uncordon-node'))
  }
  const failure = await work().then(
    () => undefined,
    (error: unknown) => error,
  )
  const error = failure === undefined ? undefined : toUserError(failure, title)
  if (failure !== undefined && !error) throw failure as Error
  const changes = results.flatMap((result) => result.changes)
  const state = error ? 'failed' : 'changed'
  const result = {changes, durationMs: clock.now() - started, id: 'roll-back', state, title} as const
  return error ? {error, result: {...result, error: documentOf(error)}} : {result}
}

interface Kept {
  readonly baseDir: string
  readonly machine: Machine
  readonly opened: Version | undefined
  readonly signal: AbortSignal
}

/** The node keeps the newer containerd: what is stored says so, or status would call it drifted. */
async function storeKept({baseDir, machine, opened, signal}: Kept): Promise<void> {
  const asked = await readAsked({environment: {}, flags: {'base-dir': baseDir}, machine, signal})
  await storeConfiguration(machine.files, decide(asked, {...(opened && {rootOpenedBy: opened})}))
}
