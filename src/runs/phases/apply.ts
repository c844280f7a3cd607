// The phases of setup and upgrade that change the host: every step, the proof that the node works, and what is stored of it.
import {cordoned, isCordoned} from '../../components/cordon.js'
import {layoutOf} from '../../config/layout.js'
import {hostOptions, openHost} from '../../host/host.js'
import {askNode} from '../../pipeline/desired/cluster/node-cluster.js'
import {afterFailure} from '../../pipeline/desired/cluster/unfinished-upgrade.js'
import {pauseLine} from '../../output/text/pause-text.js'
import {compareAgain} from '../../pipeline/desired/network/network-guard.js'
import {openTrustedJournal} from '../../pipeline/ledger/journal.js'
import {beginningOf, begunRun, releaseOf} from '../../pipeline/ledger/run-entries.js'
import {stoppedIn} from '../../pipeline/run/stopped-in.js'
import {recordLostFiles} from '../../pipeline/owned/find-by-marks.js'
import type {StepResult} from '../../pipeline/run/events.js'
import {runSteps, type StepsOutcome, type StepsRun} from '../../pipeline/run/run-steps.js'
import type {Step} from '../../pipeline/run/step.js'
import {demandFlanneldStays} from '../../steps/services/flanneld-service.js'
import {storeConfiguration} from '../configuration.js'
import {endStopped} from '../daemons/stopped.js'
import {reportPause} from '../launcher/windows-event.js'
import {hasFolder, limitTime} from '../run.js'
import {reportLoss} from './check.js'
import type {SetupRun} from './setup-run.js'

const contextOf = ({host, journal, node: config}: SetupRun) => ({config, host, journal})

export async function recordLost(run: SetupRun): Promise<void> {
  reportLoss(run, await recordLostFiles(contextOf(run)))
}

/**
 * What is done from here on is a part of the node only when the run has finished. A base directory that does not exist is
 * recorded and created by its step, with the release.
 */
async function recordBeginning(run: SetupRun): Promise<void> {
  const {config, hasBegun, journal, limited} = run
  if (hasBegun || !(await hasFolder(limited.machine, config.baseDir))) return
  const {upgrade} = config
  const beginning = beginningOf(journal, upgrade ? 'upgrade' : 'setup')
  await journal.record('base-dir', ...(upgrade ? [] : [releaseOf(config)]), beginning)
  run.hasBegun = true
}

/** A node that was set up before stays as it is stored, unless a reset had removed a part of it. Not within the time limit. */
export async function recordFailure({asked, assets, config, hasBegun, machine, report}: SetupRun): Promise<void> {
  if (!hasBegun) return
  const host = openHost(machine, hostOptions(assets, config))
  const {distrust, journal} = await openTrustedJournal(host, layoutOf(config.baseDir).journal)
  const began = begunRun(journal)
  if (distrust || !began) return
  const failed = asked.isStored && !began.overReset && ({failed: true} as const)
  await journal.record('base-dir', {...began, ...failed, ...stoppedIn(report.steps)})
}

export const tellingContext = (run: SetupRun) => {
  const {bus, config, host, journal, signal} = run
  const tell = (text: string): void => bus.info(text)
  const changed = (text: string): void => {
    tell(text)
    run.restored = [...(run.restored ?? []), text]
  }
  return {changed, config, host, journal, progress: ({text}: {text: string}) => tell(text), signal, warn: tell}
}

export const hasOtherFlanneldFlags = ({config, former}: SetupRun): boolean =>
  former !== undefined &&
  !config.skip.includes('flanneld-service') &&
  JSON.stringify(former.args.flanneld) !== JSON.stringify(config.args.flanneld)

export const flanneldStays = (run: SetupRun): Promise<void> =>
  demandFlanneldStays({...tellingContext(run), config: run.node})

/** Its daemons run again, so "k8s-win start" would find nothing to do. */
export async function endStop(run: SetupRun): Promise<void> {
  const isByWatch = run.input.only !== undefined
  const hasEnded = await endStopped({...tellingContext(run), config: run.node}, {isByWatch})
  const text = pauseLine({changed: true, paused: null})
  if (!hasEnded) return
  run.bus.info(text)
  await reportPause(run.limited.machine, text).catch(() => {})
}

export async function compareNetwork(run: SetupRun): Promise<void> {
  await compareAgain(tellingContext(run))
  countRestored(run)
}

/** What was restored of the host's network outside of its step is a change of that step. */
export function countRestored({report, restored = []}: SetupRun): void {
  report.steps = report.steps.map((one) =>
    one.id === 'overlay-network' && restored.length > 0
      ? {...one, changes: [...new Set([...one.changes, ...restored])], state: one.error ? one.state : 'changed'}
      : one,
  )
}

const LAST = 'uncordon-node'
const UNCORDON_MS = 60_000

export const applySteps = (run: SetupRun): Promise<void> =>
  apply(run, ({id}) => id !== LAST, {begin: () => recordBeginning(run)})

/** What is stored is what the node is by now: nothing begins again. */
export const uncordon = (run: SetupRun): Promise<void> => apply(run, ({id}) => id === LAST)

export function runOn(
  run: SetupRun,
  steps: readonly Step[],
  own: Pick<StepsRun, 'begin' | 'isUnjudged'> = {},
): Promise<StepsOutcome> {
  const {assets, bus, config, limited, signal} = run
  const {machine} = limited
  const parts = new Map(steps.map(({id}) => [id, limited.part(id)]))
  const options = {...hostOptions(assets, config), stopped: (run.stopped ??= new Set())}
  return runSteps({
    ...own,
    bus,
    clock: machine.clock,
    context: contextOf(run),
    hostFor: (id) => openHost(parts.get(id)?.machine ?? machine, options),
    signal,
    skip: config.skip,
    steps,
    // All steps share the journal.
    waitsFor: (id) => parts.get(id)?.waitsFor() ?? run.waitsFor(),
  })
}

async function apply(run: SetupRun, isDue: (step: Step) => boolean, own: Pick<StepsRun, 'begin'> = {}): Promise<void> {
  const {report} = run
  const {error, results} = await runOn(run, run.steps.filter(isDue), own)
  report.steps = [...report.steps, ...results]
  if (run.back && isDrained(results)) run.isDrained = true
  // The way back uncordons the node itself.
  if (error !== undefined && isDrained(results)) throw error as Error
  const isUndone = results.some(({error: failed, id}) => id === 'drain-node' && failed !== undefined)
  if (error === undefined) return
  throw (await afterFailure(isUndone ? await withTime(run) : afterwards(run), isUndone, error)) as Error
}

const afterwards = (run: SetupRun) => ({...contextOf(run), signal: run.signal})

/** Where --timeout ended the drain: a node of which nothing was stopped must not stay cordoned for that. */
async function withTime(run: SetupRun): Promise<ReturnType<typeof afterwards>> {
  const {assets, config, input, node, signal} = run
  if (!signal.aborted || input.signal.aborted) return afterwards(run)
  limitTime(run, UNCORDON_MS)
  const host = openHost(run.limited.machine, hostOptions(assets, config))
  const {distrust, journal} = await openTrustedJournal(host, layoutOf(config.baseDir).journal)
  return distrust ? afterwards(run) : {config: node, host, journal, signal: run.signal}
}

/** From then on nothing is as it was. */
function isDrained(results: readonly StepResult[]): boolean {
  const drain = results.find(({id}) => id === 'drain-node')
  return drain !== undefined && drain.error === undefined && drain.state !== 'not-run'
}

export async function store({config, journal, limited}: SetupRun): Promise<void> {
  await journal.record('base-dir', releaseOf(config))
  await storeConfiguration(limited.machine, journal, config)
  await journal.forget(({entry}) => entry.kind === 'began')
}

export async function reportNode(run: SetupRun): Promise<void> {
  const {bus, node, report, signal} = run
  const {nodeIP, nodeName} = node
  const found = await askNode({...contextOf(run), signal})
  if (isCordoned(found)) bus.warn(cordoned(nodeName))
  report.node = {ip: nodeIP, name: nodeName, podCIDR: found?.podCIDR ?? '', ready: found?.ready ?? false}
}
