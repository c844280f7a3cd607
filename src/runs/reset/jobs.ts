// What reset does, in order: stop the daemons, leave the cluster, remove what setup created.
import {win32} from 'node:path'
import {layoutOf} from '../../config/layout.js'
import type {RuntimeName} from '../../config/model.js'
import type {ResetOptions} from '../../config/reset-options.js'
import {containerdFailed} from '../../errors/bytes.js'
import {containerdAbsent, containerdStopped, dockerStopped} from '../../errors/host.js'
import {RUNTIME_TITLES} from '../../host/runtime.js'
import {waitFor} from '../../host/wait.js'
import {Win32Error} from '../../machine/win32.js'
import {drainNode} from '../../pipeline/desired/drain-node.js'
import type {ForeignService} from '../../pipeline/desired/foreign-services.js'
import {
  closeJournal,
  forgetStep,
  type Leaving,
  removeEmptyFolders,
  removeRecords,
  tellFilledFolders,
} from '../../pipeline/ledger/close-journal.js'
import {pathOf} from '../../pipeline/ledger/journal-guard.js'
import {narrowed} from '../../pipeline/ledger/journal.js'
import type {RunStepId} from '../../pipeline/run/events.js'
import {boundTo, type Job, type Removal} from '../../pipeline/run/run-removals.js'
import type {Step, StepContext, StepId} from '../../pipeline/run/step.js'
import {shortList} from '../../pipeline/short-list.js'
import {STEPS} from '../../steps/index.js'
import {REMOVALS} from '../../steps/removal.js'

const STOP_MS = 10 * 60_000
const CONTAINERS_MS = 10 * 60_000
const RECORDS_MS = 5 * 60_000
const RUNTIME_MS = 2 * 60_000
/** For the questions around the waiting. */
const DRAIN_MORE_MS = 2 * 60_000
/** More names would push the rest of a question off the screen. */
const MOST_PODS = 10

export const PURGE_TITLE = 'Remove logs and records'

export interface Ending {
  /** Our log goes away with the rest. */
  closeLog(): Promise<void>
  /** Something stays that only a whole journal could have proven to be k8s-win's: the next reset must know. */
  readonly isUnproven: boolean
  /** No report of this run is to be left behind. */
  onGone(): void
}

/** `runtime`: with containerd its pods are removed through it, so it is stopped after them, and flanneld with it. */
export function resetJobs(
  options: ResetOptions,
  ending: Ending,
  foreign: readonly ForeignService[],
  runtime: RuntimeName,
): Job[] {
  const running: StepId[] = []
  const {drainMs} = options
  const drain: Job = {
    deadlineMs: drainMs + DRAIN_MORE_MS,
    id: 'drain',
    isVital: true,
    leavesHost: true,
    title: 'Drain the node',
    work: (context) => drainNode(context, drainMs),
  }
  const kept = new Set(foreign.flatMap(({keeps}) => keeps))
  const remove = (removal: Removal): Job => removalJob(removal, options, running)
  // Images are containerd's to remove, Docker is not k8s-win's to stop.
  const isOfImages = ({step: {id}}: Removal): boolean => id === 'base-images' || id === 'sandbox-image'
  const stopRuntime: Job = {
    deadlineMs: STOP_MS,
    id: 'runtime',
    title: 'Stop flanneld and containerd',
    work: (context) => stopDaemons(context, running, kept, (step) => lastOf(runtime).includes(step)),
  }
  const jobs: Job[] = [
    ...(options.drain ? [drain] : []),
    {
      deadlineMs: STOP_MS,
      id: 'daemons',
      title: runtime === 'docker' ? 'Stop kube-proxy, flanneld and the kubelet' : 'Stop kube-proxy and the kubelet',
      work: (context) => stopDaemons(context, running, kept, (step) => !lastOf(runtime).includes(step)),
    },
    {
      deadlineMs: CONTAINERS_MS,
      id: 'containers',
      left: () => (running.includes('kubelet-service') ? 'not-run' : undefined),
      title: "Remove the kubelet's containers",
      work: (context) => withRuntime(context, () => removeContainers(context)),
    },
    ...(runtime === 'docker'
      ? REMOVALS.map(remove)
      : [
          ...REMOVALS.filter(isOfImages).map(remove),
          stopRuntime,
          ...REMOVALS.filter((one) => !isOfImages(one)).map(remove),
        ]),
    {
      deadlineMs: RECORDS_MS,
      id: 'records',
      // They say what is left.
      left: (failed) => (failed.length > 0 ? 'not-run' : undefined),
      title: options.purge ? PURGE_TITLE : 'Close the journal',
      work: (context) => endRecords(context, options, {...ending, foreign}),
    },
  ]
  return jobs.map<Job>((job) => (kept.has(job.id) ? {...job, left: () => 'skipped'} : job))
}

/** What k8s-win created and an unmanaged service uses: it stays with the node's records, for a later reset. */
const heldFor = (foreign: readonly ForeignService[]): ReadonlySet<RunStepId> =>
  new Set(foreign.flatMap(({isOnOurs, keeps}) => (isOnOurs ? keeps : [])))

/** Of each step what stays, as asked. */
function leavingOf({keepDownloads, keepImages}: ResetOptions): Leaving {
  const stays = {downloads: keepDownloads, images: keepImages}
  return new Map(STEPS.flatMap(({id, leaves}) => (leaves && stays[leaves.kind] ? [[id, leaves.claims]] : [])))
}

/** Daemons without which pods cannot be removed: their network is taken down through the CNI plugins. */
const lastOf = (runtime: RuntimeName): readonly StepId[] =>
  runtime === 'docker' ? [] : ['flanneld-service', 'containerd-service']

/** In reverse: kube-proxy before flanneld before the kubelet. One that does not stop keeps the others from nothing. */
async function stopDaemons(
  context: StepContext,
  running: StepId[],
  kept: ReadonlySet<RunStepId>,
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

async function removeContainers(context: StepContext): Promise<void> {
  const {changed, host, journal} = context
  await startOwnRuntime(context)
  if (journal.entries('kubelet-service', 'service').length === 0) return
  const {running} = await host.runtime.pods()
  const count = await host.runtime.removePods()
  if (count === 0) return
  // Running containers are named, because their loss matters.
  const names = shortList(running, MOST_PODS)
  const live =
    running.length === 0 ? '' : `, of which ${running.length} ${running.length === 1 ? 'is' : 'are'} running: ${names}`
  changed(`remove ${count} ${count === 1 ? 'container' : 'containers'} of pods${live}`)
}

function removalJob({step, title}: Removal, options: ResetOptions, running: readonly StepId[]): Job {
  const leaving = leavingOf(options)
  const work = async (context: StepContext): Promise<void> => {
    await step.remove?.(context, options.purge)
    if (step.leaves && !leaving.has(step.id)) await step.leaves.discard(context)
    await forgetStep(context, step.id, leaving)
  }
  return {
    deadlineMs: step.deadlineMs,
    id: step.id,
    left() {
      if (step.id === 'node-registered' && options.keepNode) return 'skipped'
      return boundTo(running, STEPS).has(step.id) ? 'not-run' : undefined
    },
    title,
    work: isOfRuntime(step) ? (context) => withRuntime(context, () => work(context)) : work,
  }
}

const isOfRuntime = ({leaves}: Step): boolean => leaves?.kind === 'images'

/** Without the runtime its containers and images are gone; one that is only stopped still has them. */
async function withRuntime(context: StepContext, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const {name} = context.host.runtime
    const isSilent = [dockerStopped, containerdStopped, containerdAbsent, containerdFailed].some((one) => one.is(error))
    if (!isSilent || (await context.host.services.status(name))) throw error
    context.warn(`${RUNTIME_TITLES[name]} is no longer installed on this host, so there is nothing to remove from it`)
  }
}

/** For pods and images: an earlier reset may have stopped it. One that does not start is reported by what needs it. */
async function startOwnRuntime({host, signal}: StepContext): Promise<void> {
  const {clock, runtime, services} = host
  const state = async (): Promise<string | undefined> => (await services.status(runtime.name))?.state
  if (runtime.name === 'docker' || (await state()) === 'running' || !(await services.isOurs(runtime.name))) return
  await services.stop(runtime.name, signal)
  await services.start(runtime.name).catch((error: unknown) => {
    if (!(error instanceof Win32Error)) throw error
  })
  await waitFor(clock, {deadlineMs: RUNTIME_MS, everyMs: 1000, signal}, async () =>
    (await state()) === 'stopped' ? 'stopped' : runtime.version().catch(() => undefined),
  )
}

async function endRecords(
  context: StepContext,
  options: ResetOptions,
  {closeLog, foreign, isUnproven, onGone}: Ending & {readonly foreign: readonly ForeignService[]},
): Promise<void> {
  const leaving = leavingOf(options)
  const {downloads, journal, logs, state} = layoutOf(context.config.baseDir)
  const left = options.keepDownloads ? [downloads] : []
  const held = heldFor(foreign)
  const kept = new Set(foreign.flatMap(({keeps}) => keeps))
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

  await closeLog()
  await removeRecords(context, leaving, isUnproven)
  const isJournalLeft = (await context.host.files.status(journal)) !== undefined
  const records = [logs, win32.join(logs, 'k8s-win'), state]
  await tellFilledFolders(context, [...left, ...(isJournalLeft ? [state] : [])], records)
  onGone()
}
