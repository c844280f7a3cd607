// stop, start and restart: the daemons of a node that is set up, in order. One list of phases. How the services are
// registered stays as it is: Windows starts them as before.
import {DAEMON, type DaemonService, DAEMONS, inWords, stepsOfDaemon} from '../../config/daemons.js'
import {layoutOf} from '../../config/layout.js'
import {CONTAINERD} from '../../config/model.js'
import {podsWouldEnd} from '../../errors/daemons.js'
import {drainTimedOut} from '../../errors/health.js'
import {K8sWinError} from '../../errors/k8s-win-error.js'
import {pasted} from '../../errors/define.js'
import {askNode, nodeCluster} from '../../pipeline/desired/cluster/node-cluster.js'
import {haltService, podsToEnd, stopNamingPods} from '../../pipeline/desired/services/stop-service.js'
import {demandController, drainNode, evictablePods} from '../../pipeline/leave/drain-node.js'
import type {RunResultDocument} from '../../pipeline/run/events.js'
import {type Job, runRemovals} from '../../pipeline/run/run-removals.js'
import type {Step, StepContext} from '../../pipeline/run/step.js'
import {stepsFor} from '../../steps/index.js'
import {reportPause} from '../launcher/windows-event.js'
import {demandOwnNode, repairJournal} from '../recover/check-node.js'
import {readNode, readRequest} from '../recover/read-node.js'
import {type Phase, runPhases, takeRunLock} from '../run.js'
import {runWithRecords} from '../run-lifecycle.js'
import {endStop, runOn, tellingContext} from '../phases/apply.js'
import {openLog, readJournal} from '../phases/check.js'
import type {SetupInput, SetupRun} from '../phases/setup-run.js'
import {settleNode} from '../status/settle-node.js'
import {demandManaged} from './daemon-names.js'
import {type StoppedBy, stoppedBy, stoppedOn, writeStopped} from './stopped.js'

export type DaemonsCommand = 'restart' | 'start' | 'stop'

export interface DaemonsInput extends Omit<SetupInput, 'given' | 'input' | 'onConfig' | 'upgrade'> {
  readonly baseDir?: string | undefined
  /** In the order they start. */
  readonly daemons: readonly DaemonService[]
  /** How long pods have to leave; undefined where the node is not to be drained. */
  readonly drainMs?: number | undefined
  /** Pods that nothing recreates are evicted, and those of containerd end. */
  readonly yes: boolean
}

export interface DaemonsRun extends SetupRun {
  /** In the order they start. */
  daemons: readonly DaemonService[]
  readonly input: DaemonsInput & SetupInput
}

type DaemonsPhase = Phase<DaemonsRun>

const STOP_MS = 10 * 60_000
/** For the questions around the waiting. */
const MORE_MS = 2 * 60_000

/** Every command about daemons of a node that is set up begins with these. */
export const READ_NODE: readonly DaemonsPhase[] = [
  // From here on the time limit applies.
  {run: readRequest, title: 'Read the configuration'},
  {endsItself: true, run: (run) => takeRunLock(run, run.config.baseDir), title: 'Acquire the lock'},
  // Ends without a node, and where another run must be finished first: its records stay as they are.
  {run: readNode, title: 'Read the records of setup'},
  {run: openLog, title: 'Open the log'},
  {run: readJournal, title: 'Read the journal'},
  // Rights, a copy of the node, and services of these names that k8s-win did not create.
  {run: demandOwnNode, title: 'Check the host'},
  {run: completeNode, title: 'Check the host'},
]

const stops = ({command}: DaemonsRun): boolean => command !== 'start'

const CHANGE: readonly DaemonsPhase[] = [
  ...READ_NODE,
  {run: demandPodsMayLeave, title: 'Query the node', when: stops},
  {run: repairJournal, title: 'Repair the journal'},
  {run: announce, title: 'Check the host'},
  {endsItself: true, run: stopDaemons, title: 'Stop the daemons', when: stops},
  {endsItself: true, run: startDaemons, title: 'Start the daemons', when: ({command}) => command !== 'stop'},
]

/** Rejects only for a bug: the document reports every other failure. */
export function runDaemons(command: DaemonsCommand, {baseDir, ...input}: DaemonsInput): Promise<RunResultDocument> {
  const given = baseDir === undefined ? {} : {'base-dir': baseDir}
  const timeoutMs = input.drainMs === undefined ? undefined : input.drainMs + STOP_MS
  return runWithRecords<DaemonsRun>(command, {...input, given, timeoutMs}, (run) => runPhases(CHANGE, run))
}

async function completeNode(run: DaemonsRun): Promise<void> {
  const {command, facts, input} = run
  const {config} = await settleNode(facts)
  // What a user has changed of the services stays.
  run.node = {...config, revivesOnly: true}
  const asked = input.daemons
  // What "stop containerd" has stopped the others need.
  const isAll = command === 'start' && asked.length > 1
  const stopped = isAll ? stoppedBy(await stoppedOn(run), 'stop') : []
  run.daemons = DAEMONS.map(({service}) => service).filter((one) => asked.includes(one) || stopped.includes(one))
  demandManaged(config, run.daemons)
}

const contextOf = (run: DaemonsRun): StepContext => ({...tellingContext(run), config: run.node})

/** Before anything is changed. */
export async function demandPodsMayLeave(run: DaemonsRun): Promise<void> {
  const {daemons, input} = run
  const context = contextOf(run)
  // Throws unless --yes was given.
  const refused = ({pods}: {pods: string}): Error => podsWouldEnd({node: context.config.nodeName, pods})
  if (daemons.includes(CONTAINERD)) await podsToEnd(context, CONTAINERD, refused)
  if (input.drainMs !== undefined) demandController(input.yes, await evictablePods(context))
}

export async function announce(run: DaemonsRun): Promise<void> {
  const {bus, command} = run
  const listed = [...(command === 'start' ? [] : jobsOf(run)), ...(command === 'stop' ? [] : stepsOf(run))]
  bus.emit({command, steps: listed.map(({id, title}) => ({id, title})), type: 'run-started'})
}

export async function stopDaemons(run: DaemonsRun): Promise<void> {
  const {bus, host, journal, limited, node: config, report, signal} = run
  const {clock} = limited.machine
  const context = {config, host, journal}
  const removal = {bus, clock, context, jobs: jobsOf(run), signal, waitsFor: () => run.waitsFor()}
  const {failures, results} = await runRemovals(removal)
  report.steps = results
  const isPaused = results.some(({id, state}) => id === 'records' && state === 'changed')
  if (isPaused) await reportPause(limited.machine, 'Paused until "k8s-win start".').catch(() => {})
  signal.throwIfAborted()
  if (failures[0]) throw failures[0].error as Error
}

function jobsOf(run: DaemonsRun): Job[] {
  const {command, daemons, input} = run
  const {drainMs} = input
  const titles = inWords(daemons.map((name) => DAEMON[name]).toReversed())
  const by = command as StoppedBy
  const drain: Job = {
    deadlineMs: (drainMs ?? 0) + MORE_MS,
    id: 'drain',
    isVital: true,
    leavesHost: true,
    title: 'Drain the node',
    work: (context) => drainOnce(context, drainMs ?? 0, input.yes),
  }
  return [
    {
      deadlineMs: MORE_MS,
      id: 'records',
      isVital: true,
      leavesHost: true,
      title: by === 'stop' ? 'Pause the service k8s-win' : 'Record what is stopped',
      work: (context) => recordStopped(context, daemons, by, drainMs !== undefined),
    },
    ...(drainMs === undefined ? [] : [drain]),
    {
      deadlineMs: STOP_MS,
      id: 'daemons',
      title: `Stop ${titles}`,
      work: async (context) => {
        for (const name of daemons.toReversed()) await stopDaemon(context, name)
      },
    },
  ]
}

/** Before anything is stopped, and before the node is cordoned: what a killed run has left is known. */
async function recordStopped(
  context: StepContext,
  names: readonly DaemonService[],
  by: StoppedBy,
  isCordoned: boolean,
): Promise<void> {
  const {changed, config, host} = context
  const before = await stoppedOn(context)
  // A node that was cordoned before stays so.
  const cordoned = before?.cordoned || (isCordoned && (await askNode(context))?.isUnschedulable === false)
  if (before?.cordoned === cordoned && names.every((name) => before.daemons[name] === by)) return
  const daemons = {...before?.daemons, ...Object.fromEntries(names.map((name) => [name, by]))}
  await writeStopped(host.files, config.baseDir, {cordoned, daemons, since: before?.since ?? host.clock.now()})
  if (by === 'stop' && stoppedBy(before, 'stop').length === 0)
    changed('pause the service k8s-win until "k8s-win start"')
}

async function drainOnce(context: StepContext, drainMs: number, losesPods: boolean): Promise<void> {
  const node = await askNode(context)
  if (node?.isUnschedulable && (await evictablePods(context)).length === 0) return
  await drainNode(context, drainMs, losesPods).catch(async (error: unknown) => {
    await forgetRunning(context)
    if (!drainTimedOut.is(error)) throw error
    const {fix} = error as K8sWinError
    throw (error as K8sWinError).with({fix: `${fix} "k8s-win start" lets the node take pods again.`})
  })
}

/** Nothing was stopped after all, so nothing is paused. A node that was cordoned stays so until "k8s-win start". */
async function forgetRunning(context: StepContext): Promise<void> {
  const {config, host} = context
  const stopped = await stoppedOn(context)
  if (!stopped) return
  const states = await Promise.all(
    stoppedBy(stopped, 'restart', 'run', 'stop').map(async (name) => ({
      name,
      state: (await host.services.status(name))?.state,
    })),
  )
  const down = states.filter(({state}) => state !== 'running').map(({name}) => [name, stopped.daemons[name]] as const)
  const remove = (): Promise<void> => host.files.remove(layoutOf(config.baseDir).stopped)
  // Neither stopped nor cordoned by k8s-win: a record of nothing would count as damaged.
  if (down.length === 0 && !stopped.cordoned) return remove()
  await writeStopped(host.files, config.baseDir, {...stopped, daemons: Object.fromEntries(down)})
  // It was not allowed to be cordoned: whoever cordons it later does so on purpose.
  if (down.length === 0 && (await isUncordoned(context))) await remove()
}

/** False where the cluster does not respond. */
async function isUncordoned({config, host, signal}: StepContext): Promise<boolean> {
  if (signal.aborted) return false
  try {
    return (await (await nodeCluster({config, host})).node(config.nodeName))?.isUnschedulable !== true
  } catch (error) {
    if (error instanceof K8sWinError) return false
    throw error
  }
}

async function stopDaemon(context: StepContext, name: DaemonService): Promise<void> {
  const {changed, host} = context
  const isUp = async (): Promise<boolean> => ((await host.services.status(name))?.state ?? 'stopped') !== 'stopped'
  const wasUp = await isUp()
  await stopNamingPods(context, name, () => haltService(context, name))
  if (wasUp && !(await isUp())) changed(`stop the service ${name}`)
}

/** One after the other. */
export async function startDaemons(run: DaemonsRun): Promise<void> {
  const {bus, host, report} = run
  const {error, results} = await runOn(run, stepsOf(run))
  report.steps = [...report.steps, ...results]
  if (error !== undefined) throw error as Error
  await endStop(run)
  // What had to stop with them.
  const {failed, started} = await host.services.startAgain([])
  for (const name of started) bus.info(`the service ${name} runs again`)
  for (const name of failed) bus.warn(`the service ${name} does not start again. Run: net start ${pasted(name)}`)
}

function stepsOf({config, daemons}: DaemonsRun): Step[] {
  const ids = daemons.flatMap((name) => stepsOfDaemon(DAEMON[name]))
  const steps = stepsFor(config).filter(({id}) => ids.includes(id))
  return steps.map((step, nth) => ({...step, needs: steps.slice(0, nth).map(({id}) => id)}))
}
