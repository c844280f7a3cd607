// What reset does, in order: stop the daemons, leave the cluster, remove what setup created.
import {win32} from 'node:path'
import {daemonsOf, inWords, WATCH} from '../../config/daemons.js'
import {CONTAINERD_DATA, layoutOf} from '../../config/layout.js'
import {type Decided, fits, type RuntimeName} from '../../config/model.js'
import {removalFlags, type ResetOptions} from '../../config/options/reset-options.js'
import {drainForReset} from '../../pipeline/leave/drain-node.js'
import {keepNode} from '../../pipeline/leave/leave-cluster.js'
import {
  closeJournal,
  forgetStep,
  type Leaving,
  removeEmptyFolders,
  removeRecords,
  tellFilledFolders,
} from '../../pipeline/owned/close-journal.js'
import type {Owned} from '../../pipeline/owned/find-owned.js'
import {removeStep} from '../../pipeline/owned/kinds.js'
import {narrowed} from '../../pipeline/ledger/journal.js'
import {pathOf} from '../../pipeline/ledger/entries.js'
import type {RunStepId, StepState} from '../../pipeline/run/events.js'
import type {Job} from '../../pipeline/run/run-removals.js'
import {boundTo, neededBy} from '../../pipeline/run/step-needs.js'
import type {Step, StepContext, StepId} from '../../pipeline/run/step.js'
import {REMOVALS, STEPS} from '../../steps/index.js'
import {keepsData} from './last-resort.js'
import {removeContainers, removeRemainingImages, withRuntime} from './runtime.js'
import {isShared, newFindings, type RuntimeFindings} from './runtime-findings.js'

const STOP_MS = 10 * 60_000
const CONTAINERS_MS = 10 * 60_000
const RECORDS_MS = 5 * 60_000
/** For the questions around the waiting. */
const DRAIN_MORE_MS = 2 * 60_000

export const PURGE_TITLE = 'Remove logs and records'

export interface Ending {
  /** Rejects where pods would end that nobody has agreed to. */
  afterDrain?(context: StepContext): Promise<void>
  /** Our log goes away with the rest. */
  closeLog(): Promise<void>
  /** The service that a run continues as: before its programs are removed, whose place others could take. */
  deleteService?(): Promise<void>
  /** Something stays that only a whole journal could have proven to be k8s-win's: the next reset must know. */
  readonly isUnproven: boolean
  /** No report of this run is to be left behind. */
  onGone(): void
}

/** Removed through the runtime. */
const IMAGES: readonly RunStepId[] = ['base-images', 'sandbox-image']

const LAST_OF_IMAGES = REMOVALS.findLast(({id}) => IMAGES.includes(id))?.id

interface Order {
  /** Removed through a runtime that is stopped afterwards. */
  readonly images: readonly RunStepId[]
  /** Daemons without which pods cannot be removed: their network is removed by the CNI plugins. */
  readonly last: readonly StepId[]
  /** Without them nothing could remove pods and images that are still there: a later reset must find them. */
  readonly needed: readonly StepId[]
}

/** With containerd its pods are removed through it, so it is stopped after them. Docker is not k8s-win's to stop. */
const ORDERS: Readonly<Record<RuntimeName, Order>> = {
  containerd: {
    images: IMAGES,
    last: ['flanneld-service', 'containerd-service'],
    needed: ['containerd-service', 'cni-config'],
  },
  docker: {images: [], last: [], needed: []},
}

/** What the jobs of one reset share. */
interface Reset extends Ending {
  readonly config: Decided
  readonly findings: RuntimeFindings
  /** What an unmanaged service uses. */
  readonly kept: ReadonlySet<RunStepId>
  readonly options: ResetOptions
  readonly order: Order
  readonly own: ResetOwned
  /** Steps whose daemons could not be stopped. */
  readonly running: StepId[]
}

type ResetOwned = Pick<Owned, 'foreign' | 'foundByMarks' | 'isIncomplete' | 'journal'>

export const findingsFor = (options: ResetOptions, config: Decided): RuntimeFindings =>
  newFindings(options.purge && !keepsImages(options, config))

export function resetJobs(
  options: ResetOptions,
  ending: Ending,
  own: ResetOwned,
  config: Decided,
  findings: RuntimeFindings = findingsFor(options, config),
): Job[] {
  const kept = new Set(own.foreign.flatMap(({keeps}) => keeps))
  const order = ORDERS[config.runtime]
  const {images, last, needed} = order
  const needs = [...STEPS].reverse().filter(({id, restore}) => restore && neededBy(needed, STEPS).has(id))
  const reset: Reset = {...ending, config, findings, kept, options, order, own, running: []}
  const isEarly = ({id}: Step): boolean => images.includes(id)
  const isWatch = ({id}: Step): boolean => id === WATCH.step
  // A node that is not watched has no such row.
  const removals = REMOVALS.filter((step) => (fits(step, config) && !isWatch(step)) || isOwned(step, own))
  const titles = config.containerd.isOurs ? {} : presentTitles(own)
  const stopTitle = (isDue: (step: StepId) => boolean): string =>
    `Stop ${inWords(
      daemonsOf(config)
        .filter(({step}) => isDue(step))
        .reverse(),
    )}`
  const isLast = (step: StepId): boolean => last.includes(step)
  const remove = (step: Step): Job => removalJob(reset, step, titles[step.id] ?? step.removal ?? step.title)
  const {drainMs} = options
  const drain: Job = {
    deadlineMs: drainMs + DRAIN_MORE_MS,
    id: 'drain',
    isVital: true,
    leavesHost: true,
    title: 'Drain the node',
    async work(context) {
      await drainForReset(context, drainMs)
      await ending.afterDrain?.(context)
    },
  }
  const stopRuntime: Job = {
    deadlineMs: STOP_MS,
    id: 'runtime',
    left: (failed) => (boundSteps(reset, failed).has('containerd-service') ? 'not-run' : undefined),
    title: stopTitle(isLast),
    work: (context) => stopDaemons(reset, context, isLast),
  }
  const entry = {flags: removalFlags(options), kind: 'began', run: 'reset'} as const
  /** With the first change of the host: from then on there is only a part of a node. */
  const recorded = (job: Job): Job => ({
    ...job,
    async work(context) {
      if (context.journal.all().length > 0) await context.journal.record('base-dir', entry)
      return (await job.work(context)) ?? undefined
    },
  })
  const jobs: Job[] = [
    // First: where it fails, the node stays an ordinary one, which is watched.
    ...(options.drain ? [drain] : []),
    // It would start again what is stopped.
    ...removals.filter(isWatch).map(remove),
    {
      deadlineMs: STOP_MS,
      id: 'daemons',
      title: stopTitle((step) => !isLast(step)),
      work: (context) => stopDaemons(reset, context, (step) => !isLast(step)),
    },
    {
      deadlineMs: CONTAINERS_MS,
      id: 'containers',
      left: () => (reset.running.includes('kubelet-service') ? 'not-run' : undefined),
      title: "Remove the kubelet's containers",
      work: (context) =>
        withRuntime(context, config.runtime, findings, () => removeContainers(context, findings, needs)),
    },
    ...removals.filter(isEarly).map(remove),
    ...(last.length > 0 ? [stopRuntime] : []),
    ...removals.filter((step) => !isEarly(step) && !isWatch(step)).map(remove),
    {
      deadlineMs: RECORDS_MS,
      id: 'records',
      // They say what is left.
      left: (failed) => (failed.length > 0 ? 'not-run' : undefined),
      title: options.purge ? PURGE_TITLE : 'Close the journal',
      work: (context) => endRecords(reset, context),
    },
  ]
  return jobs
    .map((job) => (job.leavesHost ? job : recorded(job)))
    .map<Job>((job) => (kept.has(job.id) ? {...job, left: () => 'skipped'} : job))
}

/** What a daemon that runs on needs, and what needs it. */
function boundSteps({order, running}: Reset, failed: readonly RunStepId[]): ReadonlySet<StepId> {
  const isLeft = failed.some((id) => id === 'containers' || order.images.includes(id))
  return boundTo([...running, ...(isLeft ? order.needed : [])], STEPS)
}

/** Of a containerd that was on the host before nothing is removed, and what --adopt has changed of it is restored. */
function presentTitles({journal}: ResetOwned): Readonly<Partial<Record<StepId, string>>> {
  const isAdopted = journal.entries('containerd-config', 'file').some(({previous}) => previous !== undefined)
  return {
    'containerd-binaries': 'Remove crictl',
    'containerd-config': isAdopted ? 'Restore the containerd configuration' : 'Remove crictl.yaml',
    'containerd-service': 'Keep the containerd of this host',
  }
}

/** Where the journal lacks lines, every step may have something on the host. */
const isOwned = ({id}: Step, {foundByMarks, isIncomplete, journal}: ResetOwned): boolean =>
  isIncomplete || [...journal.all(), ...foundByMarks].some(({step}) => step === id)

/** Without crictl nothing could remove images from a containerd that was there before: they go with it. */
export const keepsImages = (
  {keepImages}: Pick<ResetOptions, 'keepImages'>,
  {containerd}: Pick<Decided, 'containerd'>,
): boolean => keepImages && containerd.isOurs

const isLeft = ({leaves}: Step, {config, options}: Reset): boolean =>
  leaves !== undefined && {downloads: options.keepDownloads, images: keepsImages(options, config)}[leaves.kind]

/** Of each step what stays, as asked. Images of containerd stay with its data, and are no longer known one by one. */
function leavingOf(reset: Reset): Leaving {
  const left = STEPS.filter((step) => isLeft(step, reset) && !reset.order.images.includes(step.id))
  return new Map(left.map(({id, leaves}) => [id, leaves?.claims ?? []]))
}

/** In reverse: kube-proxy before flanneld before the kubelet. One that does not stop keeps the others from nothing. */
async function stopDaemons(
  {kept, running}: Reset,
  context: StepContext,
  isDue: (step: StepId) => boolean,
): Promise<void> {
  const {host, journal} = context
  let failure: unknown
  for (const step of [...STEPS].reverse()) {
    const names = new Set(journal.entries(step.id, 'service').map(({name}) => name))
    if (!step.stop || names.size === 0 || kept.has(step.id) || !isDue(step.id)) continue
    const before = await Promise.all([...names].map(async (name) => ({name, status: await host.services.status(name)})))
    try {
      await step.stop(context)
    } catch (error) {
      if (context.signal.aborted) throw error
      failure ??= error
      running.push(step.id)
      continue
    }

    for (const {name, status} of before) {
      if (status && status.state !== 'stopped' && (await host.services.isOurs(name)))
        context.changed(`stop the service ${name}`)
    }
  }

  if (failure !== undefined) throw failure as Error
}

function removalJob(reset: Reset, step: Step, title: string): Job {
  const {findings, options} = reset
  const isKept = step.id === 'node-registered' && options.keepNode
  const work = async (asked: StepContext): Promise<StepState | undefined> => {
    const said = new Set<'changed' | 'warn'>()
    const noting =
      (word: 'changed' | 'warn') =>
      (text: string): void => {
        said.add(word)
        asked[word](text)
      }
    const context: StepContext = {...asked, changed: noting('changed'), warn: noting('warn')}
    if (isKept) {
      await keepNode(context)
      return 'skipped'
    }

    const isDiscarded =
      !isLeft(step, reset) && !(step.id === 'containerd-service' && (await keepsData(context, findings)))
    await removeStep(step, context, options.purge)
    if (isDiscarded) await step.leaves?.discard(context)
    if (!isLeft(step, reset) && step.id === LAST_OF_IMAGES) await removeRemainingImages(context, findings)
    await forgetStep(context, step.id, leavingOf(reset))
    // What stays, with a warning, was not removed: no tick.
    return said.has('warn') && !said.has('changed') ? 'not-run' : undefined
  }
  return {
    deadlineMs: step.deadlineMs,
    id: step.id,
    left: (failed) => (boundSteps(reset, failed).has(step.id) ? 'not-run' : undefined),
    title,
    work: isOfRuntime(step)
      ? (context) =>
          withRuntime(context, runtimeOfStep(step, context), findings, async () => void (await work(context)))
      : work,
  }
}

const isOfRuntime = ({id, leaves}: Step): boolean => leaves?.kind === 'images' && id !== 'containerd-service'

/** Of a node that had Docker before, its image is still there. */
const runtimeOfStep = ({id}: Step, {config}: StepContext): RuntimeName =>
  id === 'pause-image' ? 'docker' : config.runtime

async function endRecords(reset: Reset, context: StepContext): Promise<void> {
  const {closeLog, deleteService, findings, isUnproven, kept, onGone, options, own} = reset
  const leaving = leavingOf(reset)
  const {downloads, journal, logs, state} = layoutOf(context.config.baseDir)
  const isDataLeft = isShared(findings) || leaving.has('containerd-service')
  const left = [...(options.keepDownloads ? [downloads] : []), ...(isDataLeft ? [CONTAINERD_DATA] : [])]
  // What k8s-win created and an unmanaged service uses: it stays with the node's records, for a later reset.
  const held = new Set<RunStepId>(own.foreign.flatMap(({isOnOurs, keeps}) => (isOnOurs ? keeps : [])))
  // What an unmanaged service uses is not removed, not even an empty folder; nor is a node that stays.
  const isGivenUp = (step: StepId): boolean =>
    (kept.has(step) && !held.has(step)) || (options.keepNode && step === 'node-registered')
  await context.journal.forget(({step}) => isGivenUp(step))
  if (held.size > 0) {
    const gone = {...context, journal: narrowed(context.journal, ({step}) => !held.has(step))}
    const theirs = context.journal.all().flatMap((line) => (held.has(line.step) ? (pathOf(line.entry) ?? []) : []))
    await removeEmptyFolders(gone)
    return tellFilledFolders(gone, [logs, state, ...left, ...theirs])
  }

  await removeEmptyFolders(context)
  if (!options.purge) {
    await closeJournal(context, leaving, isUnproven)
    return tellFilledFolders(context, [logs, state, ...left])
  }

  await deleteService?.()
  await closeLog()
  await removeRecords(context, leaving, isUnproven)
  const isJournalLeft = (await context.host.files.status(journal)) !== undefined
  const records = [logs, win32.join(logs, 'k8s-win'), state]
  await tellFilledFolders(context, [...left, ...(isJournalLeft ? [state] : [])], records)
  onGone()
}
