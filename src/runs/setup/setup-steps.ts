// The work of setup once it is decided: check the host, bring every step into place, prove the node.
import {win32} from 'node:path'
import {cordoned, isCordoned} from '../../components/cordon.js'
import {layoutOf} from '../../config/layout.js'
import type {Decided, Node} from '../../config/model.js'
import {K8sWinError} from '../../errors/k8s-win-error.js'
import {hostOptions, openHost, type Host} from '../../host/host.js'
import {openTrust} from '../../host/security/trust.js'
import {orAborted, orGivenUp} from '../../host/wait.js'
import {askNode} from '../../pipeline/desired/cluster/node-cluster.js'
import {afterFailure} from '../../pipeline/desired/cluster/unfinished-upgrade.js'
import {recordLostFiles} from '../../pipeline/owned/find-owned.js'
import {openTrustedJournal, type Journal} from '../../pipeline/ledger/journal.js'
import {releaseOf} from '../../pipeline/ledger/milestone.js'
import type {EventBus, NodeReport, StepResult} from '../../pipeline/run/events.js'
import {runSteps} from '../../pipeline/run/run-steps.js'
import type {Step} from '../../pipeline/run/step.js'
import {HostFacts} from '../../preflight/facts.js'
import {resolveNode} from '../../preflight/node-config.js'
import {storeConfiguration} from '../configuration.js'
import {handOverSetup} from '../detach/detach-setup.js'
import {orTakenBack, startHandedOver} from '../detach/hand-over.js'
import {type Frame, hasFolder, RECORDS_MS, type RunMachine} from '../run-lifecycle.js'
import {demandDrained} from '../upgrade/find-upgrade.js'
import type {WayBack} from '../upgrade/roll-back.js'
import {demandHealth} from './final-health.js'
import {finalSmokeTest} from './final-smoke-test.js'
import {removeKilledWrites} from './killed-writes.js'
import {planSteps} from './plan.js'
import {preflightWithRetry} from './preflight-with-retry.js'
import type {Detaching, SetupRun} from './setup.js'

interface Parts extends Frame {
  /** Asks the host and the cluster again. */
  readonly decide: () => Promise<Decided>
  /** Whether the run continues as a service once the host is checked. */
  readonly detaching: Detaching
  readonly machine: RunMachine
  /** The way back while programs of another release are being installed; undefined when they are proven. */
  readonly onSwap: (way: WayBack | undefined) => void
  readonly steps: readonly Step[]
}

interface Checked {
  /** The node of before, where this is an upgrade. */
  readonly back: Node | undefined
  readonly facts: HostFacts
  readonly host: Host
  readonly journal: Journal
  readonly node: Node
}

export async function runSetupSteps(run: SetupRun, config: Decided, parts: Parts): Promise<void> {
  const checked = await checkHost(run, config, parts)
  if (run.dryRun) await preview(run, checked, parts)
  else if (!(await detaches(run, config, checked, parts))) await bringIntoPlace(run, config, checked, parts)
}

const phaseOf =
  ({signal}: SetupRun, {story}: Parts) =>
  <T>(title: string, work: Promise<T>): Promise<T> => {
    story.phase = title
    return orAborted(work, signal)
  }

/** Changes nothing but the records of the run, and what a killed run has left. */
async function checkHost(run: SetupRun, config: Decided, parts: Parts): Promise<Checked> {
  const {assets, bus} = run
  const {machine, story} = parts
  const phase = phaseOf(run, parts)
  const openRecords = (): Promise<unknown> =>
    orGivenUp(machine.machine.clock, RECORDS_MS, beginRecords(run, config, parts))
  bus.listen((event) => {
    // A base directory that was not there is made by its step.
    if (event.type === 'step-finished' && event.step.id === 'base-dir') void openRecords()
  })
  await phase('Open the log', openRecords())
  const host = openHost(machine.machine, hostOptions(assets, config))
  const opened = openTrustedJournal(host, layoutOf(config.baseDir).journal)
  const {distrust, journal} = await phase('Read the journal', opened)
  const {damage} = journal
  if (damage?.message !== undefined) bus.emit({level: 'warn', message: damage.message, type: 'log'})
  const preflight = preflightWithRetry(
    run,
    config,
    {host, journal, waitsFor: () => story.waitsFor()},
    (checks) => (story.checks = checks),
  )
  const facts = await phase('Check the host', preflight)
  // The check of the folders has said so, with all that is wrong beside it, unless it is ignored.
  if (distrust) throw distrust
  await phase('Query the cluster', demandDecided(config, parts))
  const node = await phase('Check the host', resolveNode(facts))
  await phase('Check the host', demandDrained({config: node, host}))
  const {upgrade} = config
  const back = upgrade && (await phase('Check the host', resolveNode(new HostFacts(upgrade.from, host, journal))))
  await phase('Remove leftovers of a killed run', removeKilledWrites(run, machine.machine, node))
  return {back, facts, host, journal, node}
}

/** The cluster may have been unreachable only while it was asked: then the answers must be the defaults that were checked. */
async function demandDecided(config: Decided, {decide}: Parts): Promise<void> {
  const {unasked} = config
  if (unasked === undefined) return
  const again = await decide()
  if (again.unasked !== undefined) throw again.unasked as Error
  const valuesOf = (one: Decided): string =>
    JSON.stringify({...one, origin: undefined, unasked: undefined, upgrade: undefined})
  if (valuesOf(again) !== valuesOf(config)) throw unasked as Error
}

/** An unreadable journal was reported already. */
const reportLoss =
  ({bus}: SetupRun, {damage}: Journal) =>
  (message: string | undefined): void => {
    if (message !== undefined && damage?.message === undefined) bus.emit({level: 'warn', message, type: 'log'})
  }

async function preview(run: SetupRun, {facts, journal, node}: Checked, parts: Parts): Promise<void> {
  const {assets, bus, signal} = run
  const {
    machine: {machine},
    steps,
    story,
  } = parts
  const phase = phaseOf(run, parts)
  const kubeconfig = await phase('Plan', facts.kubeconfig('kubelet'))
  const onLoss = reportLoss(run, journal)
  const plan = await phase('Plan', planSteps({assets, bus, config: node, kubeconfig, machine, onLoss, signal, steps}))
  Object.assign(story, {node: plan.node, steps: plan.results})
  if (plan.error !== undefined) throw plan.error as Error
}

/** Everything that could be wrong with the host is known by now: whoever started the run learns it here. */
async function detaches(run: SetupRun, config: Decided, {host, journal}: Checked, parts: Parts): Promise<boolean> {
  const {detaching, story} = parts
  const {baseDir} = config
  if (detaching === 'no') return false
  const phase = phaseOf(run, parts)
  if (journal.damage) await phase('Repair the journal', journal.damage.repair())
  try {
    const handingOver = phase('Hand the run over to a service', handOverSetup(run, config, {host, journal}))
    await orTakenBack(run.machine, baseDir, handingOver)
  } catch (error) {
    if (detaching === 'yes' || !(error instanceof K8sWinError)) throw error
    const message = `the run continues in this session, and ends with it: ${error.message} (${error.id})`
    run.bus.emit({level: 'warn', message, type: 'log'})
    return false
  }

  await orTakenBack(run.machine, baseDir, phase('Start the service', startHandedOver({host})))
  story.isDetached = true
  return true
}

async function bringIntoPlace(
  run: SetupRun,
  config: Decided,
  {back, host, journal, node}: Checked,
  parts: Parts,
): Promise<void> {
  const {assets, bus, signal} = run
  const {machine, onSwap, steps, story} = parts
  const {clock, files} = machine.machine
  const phase = phaseOf(run, parts)
  const context = {config: node, host, journal}
  if (journal.damage) await phase('Repair the journal', journal.damage.repair())
  reportLoss(run, journal)(await phase('Repair the journal', recordLostFiles(context)))
  // The first line of a setup. A base directory that does not exist is recorded and created by its step, with this line.
  if (!back && (await phase('Record the release', hasFolder(machine.machine, config.baseDir))))
    await phase('Record the release', journal.record('base-dir', releaseOf(config)))
  const own = new Map(steps.map(({id}) => [id, machine.part()]))
  const runAll = async (some: readonly Step[]): Promise<void> => {
    const {error, results} = await runSteps({
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
    story.steps = [...story.steps, ...results]
    if (back && isDrained(results)) onSwap({node: back, to: config.release.text})
    // The way back uncordons the node itself.
    if (error !== undefined && isDrained(results)) throw error as Error
    const isUndone = results.some(({error: failed, id}) => id === 'drain-node' && failed !== undefined)
    if (error !== undefined) throw (await afterFailure({...context, signal}, isUndone, error)) as Error
  }
  const prove = (): Promise<void> =>
    phase('Check node health', demandHealth({assets, bus, config, journal, machine: machine.machine, node, signal}))
  await runAll(steps.filter(({id}) => id !== 'uncordon-node'))
  // An upgrade is stored only when it is proven: until then the way back leads to what is stored.
  if (back) await prove()
  await phase('Store the configuration', journal.record('base-dir', releaseOf(config), {kind: 'setup'}))
  await phase('Store the configuration', storeConfiguration(files, config))
  onSwap(undefined)
  if (back) await runAll(steps.filter(({id}) => id === 'uncordon-node'))
  story.node = await phase('Query the node', reportNode({...context, signal}, bus))
  if (!back) await prove()
  story.phase = 'Run the smoke test'
  await finalSmokeTest({
    bus,
    config: node,
    host,
    onChecks: (checks) => (story.checks = [...story.checks, ...checks]),
    signal,
  })
}

/** From then on nothing is as it was. */
function isDrained(results: readonly StepResult[]): boolean {
  const drain = results.find(({id}) => id === 'drain-node')
  return drain !== undefined && drain.error === undefined && drain.state !== 'not-run'
}

/** The log and the record of who holds the lock, where there is a base directory to keep them in. */
async function beginRecords(run: SetupRun, config: Decided, {log, machine, story}: Parts): Promise<void> {
  const {logs} = layoutOf(config.baseDir)
  if (run.dryRun || !(await hasFolder(machine.machine, config.baseDir))) return
  const folder = win32.join(logs, 'k8s-win')
  if (log.path === undefined && !(await openTrust(machine.machine.win32).problem(folder)))
    await log.openIn(folder).catch(() => {})
  if (run.holder) await story.lock?.sign({...run.holder, log: log.path})
}

async function reportNode(context: Parameters<typeof askNode>[0], bus: EventBus): Promise<NodeReport> {
  const {nodeIP, nodeName} = context.config
  const node = await askNode(context)
  if (isCordoned(node)) bus.emit({level: 'warn', message: cordoned(nodeName), type: 'log'})
  return {ip: nodeIP, name: nodeName, podCIDR: node?.podCIDR ?? '', ready: node?.ready ?? false}
}
