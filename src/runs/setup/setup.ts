// setup: check the host, then bring every step into place.
import {win32} from 'node:path'
import {loadDigests} from '../../artifacts/digests.js'
import {loadUnpacker} from '../../artifacts/unpack.js'
import {cordoned, isCordoned} from '../../components/cordon.js'
import {layoutOf} from '../../config/layout.js'
import type {SetupConfig, Upgrade} from '../../config/model.js'
import {type GivenOptions, OPTIONS} from '../../config/options.js'
import {replacesPrograms} from '../../config/upgrade.js'
import {hostOptions, openHost} from '../../host/host.js'
import {openTrust} from '../../host/security/trust.js'
import {orAborted, orGivenUp} from '../../host/wait.js'
import {DeadlineError} from '../../machine/clock.js'
import type {Assets, Machine} from '../../machine/machine.js'
import {askNode} from '../../pipeline/desired/node-cluster.js'
import {recordLostFiles} from '../../pipeline/ledger/find-owned.js'
import {openTrustedJournal} from '../../pipeline/ledger/journal.js'
import {findKilledWrites} from '../../pipeline/ledger/own-file-names.js'
import type {EventBus, NodeReport, RunResultDocument} from '../../pipeline/run/events.js'
import {runSteps} from '../../pipeline/run/run-steps.js'
import type {Step} from '../../pipeline/run/step.js'
import {toUserError} from '../../pipeline/run/to-user-error.js'
import {HostFacts} from '../../preflight/facts.js'
import {resolveNode} from '../../preflight/node-config.js'
import {stepsFor} from '../../steps/index.js'
import {readAsked, storeConfiguration} from '../configuration.js'
import {decideConfig, type DecidedConfiguration} from '../decide-config.js'
import {
  type Frame,
  hasFolder,
  type RecordedRun,
  RECORDS_MS,
  type RunMachine,
  runWithRecords,
  withinTime,
} from '../run-lifecycle.js'
import {holdLock, type LockHolder} from '../run-lock.js'
import {newerPatch} from '../upgrade/choose-release.js'
import {demandDrained, findUpgrade} from '../upgrade/find-upgrade.js'
import {rollBack, type WayBack} from '../upgrade/roll-back.js'
import {demandHealth} from './final-health.js'
import {finalSmokeTest} from './final-smoke-test.js'
import {planSteps} from './plan.js'
import {preflightWithRetry} from './preflight-with-retry.js'

export interface SetupRun extends RecordedRun {
  readonly assets: Assets
  /** DOCKER_HOST of the environment, where the machine is this one. */
  readonly dockerHost?: string | undefined
  /** Where K8S_WIN_* variables are looked for. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** The command line's options. */
  readonly given: GivenOptions
  /** For others who would like to run meanwhile. */
  readonly holder?: LockHolder
  /** Of the command upgrade. */
  readonly upgrade?: Omit<Upgrade, 'from'>
  /** Called with the requested configuration, before anything is done. */
  readonly onConfig?: (config: Pick<SetupConfig, 'digests'>) => void
}

interface Parts extends Frame {
  /** Asks the host and the cluster again. */
  readonly decide: () => Promise<DecidedConfiguration>
  readonly machine: RunMachine
  readonly steps: readonly Step[]
  readonly swap: Swap
}

/** Set while programs of another release are being installed. */
interface Swap {
  back?: WayBack | undefined
}

/** Rejects only for a bug: the document reports every other failure. */
export function runSetup(asked: SetupRun): Promise<RunResultDocument> {
  const command = asked.upgrade ? 'upgrade' : 'setup'
  return runWithRecords(command, asked, async (run, frame) => {
    const {bus, dockerHost, environment = {}, given: flags, machine, signal} = run
    const read = (given: GivenOptions) => readAsked({dockerHost, environment, flags: given, machine, signal})
    let configuration = await read(flags)
    const {asked: options} = configuration
    frame.story.baseDir = options.baseDir
    run.onConfig?.(options)
    const swap: Swap = {}
    const work = withinTime(run, options.timeoutMs, frame, async (runMachine, limit) => {
      const {baseDir, dockerPipe} = options
      const host = openHost(runMachine.machine, {assets: run.assets, baseDir, dockerPipe})
      const decide = (): Promise<DecidedConfiguration> => decideConfig(configuration, host, limit)
      // Loading is not an effect of the machine: no step may wait for it.
      await Promise.all([loadDigests(), loadUnpacker()])
      frame.story.phase = 'Acquire the lock'
      // A preview changes nothing, so it needs no lock. Others wait for nothing: neither host nor cluster is asked before.
      if (!run.dryRun) frame.story.lock = await holdLock(run.machine, layoutOf(baseDir).lock, limit)
      frame.story.phase = 'Query the cluster'
      const release = run.upgrade && (await orAborted(newerPatch(configuration, host), limit))
      if (release !== undefined) configuration = await read({...flags, release})
      const decision = await decide()
      const upgrade = configuration.isStored
        ? await orAborted(findUpgrade(run, decision.config, host), limit)
        : undefined
      const config = {...decision.config, ...(upgrade && {upgrade})}
      const steps = stepsFor(config)
      bus.emit({command, steps: steps.map(({id, title}) => ({id, title})), type: 'run-started'})
      reportDecision(decision, bus)
      if (run.upgrade) reportRelease(config, release !== undefined, bus)
      const parts = {...frame, decide, machine: runMachine, steps, swap}
      await runSetupSteps({...run, signal: limit}, {...decision, config}, parts)
    })
    await work.catch((error: unknown) => {
      if (!swap.back || run.signal.aborted) throw error
      return rollBack(run, frame, swap.back, error)
    })
  })
}

/** The release that setup chose, and what is not as the documentation says, must be shown, not only logged. */
function reportDecision({config, given, sources, where}: DecidedConfiguration, bus: EventBus): void {
  const isAsked = !['host', 'stored', undefined].includes(sources['containerd-version'])
  if (config.runtime === 'containerd' && !config.containerd.isOurs && isAsked) {
    const asked = `${String(where['containerd-version'])} ${String(given['containerd-version'])} has no effect`
    const message = `${asked}: containerd ${config.versions.containerd.text} of this host is used`
    bus.emit({level: 'warn', message, type: 'log'})
  }
  for (const {default: initial, flag} of OPTIONS) {
    const isChosen =
      sources[flag] === 'cluster' || sources[flag] === 'host' || (flag === 'release' && sources[flag] === 'default')
    if (!isChosen || (flag !== 'release' && given[flag] === initial)) continue
    const message = `using --${flag} ${String(given[flag])}: ${String(where[flag])}`
    bus.emit({level: 'info', message, type: 'log'})
  }
}

function reportRelease(config: SetupConfig, isNewest: boolean, bus: EventBus): void {
  const {text} = config.release
  const chosen = `using --release ${text}: the newest known patch of the API server's minor version`
  const message = replacesPrograms(config) ? (isNewest ? chosen : '') : `the node is at ${text} already`
  if (message !== '') bus.emit({level: 'info', message, type: 'log'})
}

/** The cluster may have been unreachable only while it was asked: then the answers must be the defaults that were checked. */
async function demandDecided({config, unlearned}: DecidedConfiguration, {decide}: Parts): Promise<void> {
  if (unlearned === undefined) return
  const again = await decide()
  if (again.unlearned !== undefined) throw again.unlearned as Error
  if (JSON.stringify(again.config) !== JSON.stringify({...config, upgrade: undefined})) throw unlearned as Error
}

async function runSetupSteps(run: SetupRun, configuration: DecidedConfiguration, parts: Parts): Promise<void> {
  const {bus, signal} = run
  const {config} = configuration
  const {machine, steps, story} = parts
  const {clock, files} = machine.machine
  const layout = layoutOf(config.baseDir)
  const phase = <T>(title: string, work: Promise<T>): Promise<T> => {
    story.phase = title
    return orAborted(work, signal)
  }

  const openRecords = (): Promise<unknown> => orGivenUp(clock, RECORDS_MS, beginRecords(run, config, parts))
  bus.listen((event) => {
    // A base directory that was not there is made by its step.
    if (event.type === 'step-finished' && event.step.id === 'base-dir') void openRecords()
  })
  await phase('Open the log', openRecords())
  const {assets} = run
  const host = openHost(machine.machine, hostOptions(assets, config))
  const {distrust, journal} = await phase('Read the journal', openTrustedJournal(host, layout.journal))
  const {damage} = journal
  if (damage?.message !== undefined) bus.emit({level: 'warn', message: damage.message, type: 'log'})
  // An unreadable journal was reported already.
  const reportLoss = (message: string | undefined): void => {
    if (message !== undefined && damage?.message === undefined) bus.emit({level: 'warn', message, type: 'log'})
  }
  const facts = await phase(
    'Check the host',
    preflightWithRetry(
      run,
      config,
      {host, journal, waitsFor: () => story.waitsFor()},
      (checks) => (story.checks = checks),
    ),
  )
  // The check of the folders has said so, with all that is wrong beside it, unless it is ignored.
  if (distrust) throw distrust
  await phase('Query the cluster', demandDecided(configuration, parts))
  const node = await phase('Check the host', resolveNode(facts))
  await phase('Check the host', demandDrained({config: node, host}))
  const {upgrade} = config
  const back = upgrade && (await phase('Check the host', resolveNode(new HostFacts(upgrade.from, host, journal))))
  await phase('Remove leftovers of a killed run', removeKilledWrites(run, machine.machine, node))
  if (run.dryRun) {
    const kubeconfig = await phase('Plan', facts.kubeconfig('kubelet'))
    const wanted = {assets, bus, config: node, kubeconfig, machine: machine.machine, onLoss: reportLoss, signal, steps}
    const plan = await phase('Plan', planSteps(wanted))
    Object.assign(story, {node: plan.node, steps: plan.results})
    if (plan.error !== undefined) throw plan.error as Error
    return
  }

  if (damage) await phase('Repair the journal', damage.mend())

  const context = {config: node, host, journal}
  reportLoss(await phase('Repair the journal', recordLostFiles(context)))
  const own = new Map(steps.map(({id}) => [id, machine.part()]))
  const runAll = async (some: readonly Step[]): Promise<void> => {
    const outcome = await runSteps({
      bus,
      clock,
      context,
      hostFor: (id) => openHost(own.get(id)?.machine ?? machine.machine, hostOptions(assets, config)),
      signal,
      skip: config.skip,
      steps: some,
      // All steps share the journal.
      waitsFor: (id) => own.get(id)?.waitsFor() ?? story.waitsFor(),
    })
    story.steps = [...story.steps, ...outcome.results]
    if (outcome.error !== undefined) throw outcome.error as Error
  }
  const prove = (): Promise<void> =>
    phase('Check node health', demandHealth({assets, bus, config, journal, machine: machine.machine, node, signal}))
  const store = async (): Promise<void> => {
    await phase('Store the configuration', journal.record('base-dir', {kind: 'setup'}))
    await phase('Store the configuration', storeConfiguration(files, configuration))
  }
  // From here on nothing is as it was.
  bus.listen((event) => {
    const isDrained = event.type === 'step-finished' && event.step.id === 'drain-node' && event.step.error === undefined
    if (isDrained && event.step.state !== 'not-run') parts.swap.back = back && {node: back, to: config.release.text}
  })
  await runAll(steps.filter(({id}) => id !== 'uncordon-node'))
  // An upgrade is stored only when it is proven: until then the way back leads to what is stored.
  if (upgrade) await prove()
  await store()
  parts.swap.back = undefined
  if (upgrade) await runAll(steps.filter(({id}) => id === 'uncordon-node'))
  story.node = await phase('Query the node', reportNode({...context, signal}, bus))
  if (!upgrade) await prove()
  story.phase = 'Run the smoke test'
  await finalSmokeTest({
    bus,
    config: node,
    host,
    onChecks: (checks) => (story.checks = [...story.checks, ...checks]),
    signal,
  })
}

/** A folder that cannot be read is an error of the step that needs it; here it is only a warning. */
async function removeKilledWrites(
  {bus, dryRun, signal}: SetupRun,
  {clock, files}: Pick<Machine, 'clock' | 'files'>,
  config: SetupConfig,
): Promise<void> {
  const deadline = clock.deadline(RECORDS_MS)
  const remove = async (): Promise<void> => {
    for (const path of await findKilledWrites(files, config)) {
      // Later it could be one of this run's own.
      deadline.signal.throwIfAborted()
      if (!dryRun) await files.remove(path)
      const what = dryRun ? 'would remove' : 'removed'
      bus.emit({level: 'info', message: `${what} ${path}, which a killed run had left`, type: 'log'})
    }
  }
  try {
    await orAborted(remove(), deadline.signal)
  } catch (error) {
    signal.throwIfAborted()
    const known = error instanceof DeadlineError ? error : toUserError(error, 'setup')
    if (!known) throw error
    const message = `partial files of a killed run, which may contain keys, may remain: ${known.message}`
    bus.emit({level: 'warn', message, type: 'log'})
  } finally {
    deadline.cancel()
  }
}

/** The log and the record of who holds the lock, where there is a base directory to keep them in. */
async function beginRecords(run: SetupRun, config: SetupConfig, {log, machine, story}: Parts): Promise<void> {
  const {logs} = layoutOf(config.baseDir)
  if (run.dryRun || !(await hasFolder(machine.machine, config.baseDir))) return
  if (run.holder) await story.lock?.sign(run.holder)
  const folder = win32.join(logs, 'k8s-win')
  if (log.path !== undefined || (await openTrust(machine.machine.win32).problem(folder))) return
  await log.openIn(folder).catch(() => {})
}

async function reportNode(context: Parameters<typeof askNode>[0], bus: EventBus): Promise<NodeReport> {
  const {nodeIP, nodeName} = context.config
  const node = await askNode(context)
  if (isCordoned(node)) bus.emit({level: 'warn', message: cordoned(nodeName), type: 'log'})
  return {ip: nodeIP, name: nodeName, podCIDR: node?.podCIDR ?? '', ready: node?.ready ?? false}
}
