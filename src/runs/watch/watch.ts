// watch: checks the node every few seconds, has what died repaired, and tells its reporters. What takes longer than a check
// runs in a child process meanwhile: one repair at a time, and no inspection begins during it.
import {daemonsOf} from '../../config/daemons.js'
import {layoutOf} from '../../config/layout.js'
import type {Decided} from '../../config/model.js'
import {clusterAnswer, clusterBusy, serverUnreachable} from '../../errors/cluster.js'
import {serverLost} from '../../errors/health.js'
import {hostOptions, openHost} from '../../host/host.js'
import {orGivenUp, orLeft, withinOnce} from '../../host/wait.js'
import type {Assets, Machine} from '../../machine/machine.js'
import type {StepId} from '../../config/step-ids.js'
import {isStale} from '../../pipeline/run/health-document.js'
import {readKnownNode, whyNotSetUp} from '../known-node.js'
import {takeWatch} from '../run-lock.js'
import {readHealth} from './state-files.js'
import {afterRepair, afterRepairs, type DueRepair, judge, type Judgement, NOTHING_KNOWN, withRepair} from './judge.js'
import type {ChildOutcome, Trouble, WatchRepair, WatchReporter, WatchState, WatchVerdict} from './model.js'
import {movePause} from './pause.js'
import {type Aside, whyAside} from './stand-aside.js'
import {suspectAll} from './suspected-balancers.js'
import {type Observer, openObserver, othersRuntime, type Seen, type WatchedNode} from './observe.js'

const POLL_MS = 2000
const OBSERVE_MS = 15_000
const INSPECT_MS = 30 * 60_000
/** Between two checks: more is a machine that slept. */
const LONGEST_STEP_MS = 60_000
const REPORT_MS = 10_000
/** shawl ends this process 4 s after it has asked it to stop (components/shawl.ts). */
const [LEAVE_MS, END_MS] = [500, 3000]
const KEPT_REPAIRS = 20
const LOCKED = 11
const STOPPED = 130
/** A load balancer in front of a dead control plane answers, too. */
const SILENT = [serverUnreachable, serverLost, clusterBusy, clusterAnswer].map(({id}) => id)

export interface WatchInput {
  readonly assets: Assets
  readonly baseDir: string
  /** Whoever started this process, and would end it, has ended. */
  isOrphan?(): Promise<boolean>
  inspect(signal: AbortSignal): Promise<ChildOutcome>
  readonly machine: Machine
  /** Undefined: nothing is repaired. */
  repair?(steps: readonly StepId[], signal: AbortSignal): Promise<ChildOutcome>
  /** Of this node; called again when its configuration has changed. Without a node those that need no configuration. */
  reporters(node?: WatchedNode): readonly WatchReporter[]
  readonly signal: AbortSignal
}

/** Until the signal is aborted. Rejects where another watch runs on this host. */
export async function runWatch(input: WatchInput): Promise<void> {
  const {machine, signal} = input
  const free = await takeWatch(machine)
  const watch = openWatch(input)
  try {
    while (!signal.aborted && !(await input.isOrphan?.())) {
      await orLeft(machine.clock, watch.check(), signal, LEAVE_MS)
      await machine.clock.sleep(POLL_MS, signal)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    await watch.end()
    await free()
  }
}

/** One check. */
export const watchOnce = (input: WatchInput): Promise<void> => openWatch(input).check()

interface Watched {
  readonly node: WatchedNode
  readonly observer: Observer
  readonly reporters: readonly WatchReporter[]
}

export function openWatch(input: WatchInput) {
  const {baseDir, machine, signal} = input
  const {clock, files} = machine
  const layout = layoutOf(baseDir)
  const once = withinOnce(clock, REPORT_MS)
  let [time, last, lastElapsed, observeAt] = [0, clock.now(), clock.elapsed(), 0]
  let inspectAt = INSPECT_MS * (0.5 + clock.random())
  let stamps: readonly string[] = []
  let watched: Watched | undefined
  let seen: Seen = {}
  let memory = NOTHING_KNOWN
  let aside: Aside | undefined
  const children = new Set<Promise<void>>()
  let [isInspecting, isBlind] = [false, false]
  let repairing: readonly StepId[] | undefined
  let drift: readonly Trouble[] = []
  let repairs: readonly WatchRepair[] = []
  let isRemembered = false
  let state: WatchState | undefined
  /** What the watch before has found, where that is not long ago. */
  let former: Pick<WatchState, 'since' | 'verdict'> | undefined

  /** The repairs of the watch before; what was lost since then nobody has seen. */
  const remember = async (): Promise<void> => {
    isRemembered = true
    const health = await readHealth(machine, baseDir)
    if (!health) return
    if (!isStale(health.at, clock.now())) former = {since: Date.parse(health.since), verdict: health.verdict}
    const done = health.repairs.map((one) => ({...one, at: Date.parse(one.at)}))
    // A clock that was set back makes none of them newer than they were.
    const after = afterRepairs(done, Math.max(clock.now(), Date.parse(health.at)))
    memory = {...after, suspicion: suspectAll({random: clock.random(), time})}
    repairs = done.map((one) => (one.outcome === 'begun' ? {...one, outcome: 'failed', why: 'it did not end'} : one))
  }

  /** Again when one of its records was changed. */
  const readNode = async (): Promise<void> => {
    const records = [layout.nodeConfig, layout.journal, layout.result]
    const now = (await Promise.all(records.map((path) => files.status(path)))).map((one) => JSON.stringify(one))
    if (watched && now.every((one, index) => one === stamps[index])) return
    // Another run has ended, and may have repaired what was found.
    if (watched && now[2] !== stamps[2]) inspectAt = time
    const known = await readKnownNode({baseDir, environment: {}, machine, signal})
    const isSame = watched !== undefined && stamps[0] === now[0]
    const unusable = known.problem ?? known.distrust
    if (unusable) throw unusable
    if (known.state !== 'set-up') {
      // The options of the node it watches were removed.
      if (watched) throw await whyNotSetUp({machine}, known)
      return
    }
    stamps = now
    const node = {
      config: known.config,
      host: openHost(machine, hostOptions(input.assets, known.config)),
      journal: known.journal,
    }
    const its = isSame && watched ? watched.reporters : input.reporters(node)
    watched = {node, observer: openObserver(node, once), reporters: its}
  }

  const note = (what: string, outcome: WatchRepair['outcome'], why?: string): void => {
    repairs = [...repairs, {at: clock.now(), outcome, what, ...(why !== undefined && {why})}].slice(-KEPT_REPAIRS)
  }

  const begin = (work: Promise<void>): void => {
    const child = work.finally(() => {
      children.delete(child)
      observeAt = time
    })
    children.add(child)
  }

  /** Written before it begins: it counts, also if this process or Windows ends meanwhile. */
  const announce = (due: DueRepair): void => {
    repairing = due.steps
    memory = withRepair(memory, due, time)
    note(due.what, 'begun')
  }

  const repair = async (due: DueRepair, run: NonNullable<WatchInput['repair']>): Promise<void> => {
    const {changed, exitCode, problems} = await run(due.steps, signal).catch(asFailure)
    repairing = undefined
    repairs = repairs.filter(({outcome}) => outcome !== 'begun')
    const isFailed = exitCode !== 0
    const error = isFailed ? problems[0]?.error : undefined
    const isRefused = signal.aborted || [LOCKED, STOPPED].includes(exitCode)
    const isSilent = problems.some((one) => SILENT.includes(one.error.id))
    memory = afterRepair(memory, due, {error, isIdle: !isFailed && changed === 0, isRefused, isSilent}, time)
    if (isFailed && !isRefused) note(due.what, 'failed', error?.message ?? `exit code ${exitCode}`)
    else if (changed > 0) note(due.what, 'repaired')
    // It has inspected the node in the end; what it has failed for is not drift.
    if (isFailed || isInspecting) inspectAt = time
    else drift = problems.map(onlyReported)
  }

  const inspect = async (): Promise<void> => {
    isInspecting = true
    inspectAt = time + INSPECT_MS * (0.5 + clock.random())
    const {problems} = await input.inspect(signal).catch(asFailure)
    drift = problems.map(onlyReported)
    isInspecting = false
  }

  const reporters = (): readonly WatchReporter[] => watched?.reporters ?? input.reporters()

  const report = async (found: Partial<WatchState> & Pick<WatchState, 'verdict'>): Promise<void> => {
    const at = clock.now()
    const components = watched ? componentsOf(watched.node.config) : []
    const before = state ?? former
    const since = before?.verdict === found.verdict ? Math.min(before.since, at) : at
    const next: WatchState = {at, components, isBusy: isBusy(aside), repairs, since, troubles: [], ...found}
    state = next
    await orGivenUp(clock, REPORT_MS, Promise.all(reporters().map((one) => one.report(next))))
  }

  const checkNode = async (): Promise<void> => {
    const [now, elapsed] = [clock.now(), clock.elapsed()]
    time += Math.min(elapsed - lastElapsed, LONGEST_STEP_MS)
    lastElapsed = elapsed
    if (!isRemembered) await once('health', remember).catch(() => {})
    if (now < last || !state) await once('pause', () => movePause(machine, baseDir, last, now))
    last = now
    const isWhole = time >= observeAt
    if (isWhole) {
      observeAt = time + OBSERVE_MS
      await once('node', readNode)
    }
    if (!watched || (isBlind && !isWhole)) return
    const {node, observer} = watched
    seen = isWhole ? await observer.observe() : {...seen, lives: undefined, states: await observer.poll()}
    const why = (): Promise<Aside | undefined> => whyAside({...node, machine, state: 'set-up'})
    // A repair of its own has the lock.
    const ask = async (): Promise<Aside | undefined> =>
      repairing ? undefined : once('aside', why).catch((error: unknown) => ({kind: 'unknown', words: String(error)}))
    if (isWhole) aside = await ask()
    const circumstances = {config: node.config, isHeld: aside !== undefined, repairing}
    const judgement = judge(seen, memory, {...circumstances, random: clock.random(), time})
    memory = judgement.memory
    for (const {what, why} of judgement.givenUp) note(what, 'gave up', why)
    const {due} = judgement
    if (due) aside = await ask()
    // After a stop nothing begins, and nothing is shown.
    signal.throwIfAborted()
    const begun = aside || !input.repair ? undefined : due
    if (begun) announce(begun)
    else if (!isInspecting && !repairing && !isBusy(aside) && time >= inspectAt) begin(inspect())
    const reported = [...(seen.certificate ? [seen.certificate] : []), ...drift]
    const troubles = [...judgement.troubles, ...reported.filter((one) => !isKnown(judgement, one))]
    const isRepairable = judgement.isRepairable && input.repair !== undefined
    const verdict = verdictOf({...judgement, isRepairable}, troubles, {
      aside,
      isBlind: !seen.states,
      isRepairing: repairing !== undefined,
    })
    const isNews = verdict !== state?.verdict || repairs.at(-1) !== state.repairs.at(-1)
    isBlind = false
    if (isWhole || isNews) await report({...(aside && {detail: aside.words}), troubles, verdict})
    if (begun && input.repair) begin(repair(begun, input.repair))
  }

  return {
    async end(): Promise<void> {
      const ends = reporters().map(async (one) => one.end?.())
      await orGivenUp(clock, END_MS, Promise.allSettled([...ends, ...children]))
    },
    // A disk that is full, or a record that is being written: the next check may find more.
    check: () =>
      checkNode().catch(async (error: unknown) => {
        isBlind = true
        if (!signal.aborted) await report({detail: String(error), verdict: 'unknown'})
      }),
  }
}

const componentsOf = (config: Decided): string[] => [
  ...daemonsOf(config).map(({service}) => service),
  ...(othersRuntime(config) === undefined ? [] : ['runtime']),
  'network',
  'node',
]

const asFailure = (): ChildOutcome => ({changed: 0, exitCode: 1, problems: []})

const onlyReported = (one: ChildOutcome['problems'][number]): Trouble => ({...one, repairedBy: []})

/** The node is being changed, or is not this host's: an inspection would report what passes. */
const isBusy = (aside: Aside | undefined): boolean => aside !== undefined && !['paused', 'restart'].includes(aside.kind)

const isKnown = ({troubles}: Judgement, {component, error}: Trouble): boolean =>
  troubles.some((one) => one.component === component && one.error.id === error.id)

function verdictOf(
  {hasGivenUp, isRepairable}: Judgement,
  troubles: readonly Trouble[],
  {aside, isBlind, isRepairing}: {aside: Aside | undefined; isBlind: boolean; isRepairing: boolean},
): WatchVerdict {
  if (isBlind) return 'unknown'
  if (aside?.kind === 'paused') return 'paused'
  if (troubles.length === 0) return 'healthy'
  // Another run is at work.
  if (aside) return ['lock', 'run'].includes(aside.kind) ? 'recovering' : 'degraded'
  if (hasGivenUp) return 'gave-up'
  return isRepairing || isRepairable ? 'recovering' : 'degraded'
}
