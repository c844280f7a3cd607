// What reset would do, step by step, without doing it: for --dry-run, and for who is asked.
import {isWithin} from '../../config/base-dir.js'
import {KUBELET} from '../../components/kubelet.js'
import {layoutOf} from '../../config/layout.js'
import type {SetupConfig} from '../../config/model.js'
import type {Host} from '../../host/host.js'
import {claimsOf, foldersTold} from '../../pipeline/plan/removal-preview.js'
import {planDrain} from '../../pipeline/desired/drain-node.js'
import type {StepResult} from '../../pipeline/run/events.js'
import {GoingFiles} from '../../pipeline/plan/pretend-removal.js'
import type {EntryOf, Journal, JournalKind, JournalLine} from '../../pipeline/ledger/journal.js'
import {notRun} from '../../pipeline/run/run-task.js'
import type {StepContext} from '../../pipeline/run/step.js'
import type {Job} from '../../pipeline/run/run-removals.js'
import {STEPS} from '../../steps/index.js'
import {REMOVALS} from '../../steps/removal.js'
import type {OwnThings} from './reset-claims.js'
import {leavingOf, resetJobs} from './jobs.js'
import {nodeToReset} from './reset-node.js'
import type {ResetRun} from './run.js'

/** More names would push the rest of the question off the screen. */
const MOST_PODS = 10

export interface ResetPlan {
  /** What would stay or be lost, and why. */
  readonly remarks: readonly string[]
  readonly steps: readonly StepResult[]
}

/** As resetJobs has them, one after the other. */
export async function planReset(
  {options, signal}: ResetRun,
  setup: SetupConfig,
  host: Host,
  own: OwnThings,
): Promise<ResetPlan> {
  const leaving = leavingOf(options)
  const going = new GoingFiles(host.files)
  const journal = inMemory([...own.journal.all(), ...own.marked])
  const remarks: string[] = []
  const context: StepContext = {
    changed: () => {},
    config: await nodeToReset(setup, host, journal),
    host,
    journal,
    progress: () => {},
    signal,
    warn: (message) => remarks.push(message),
  }
  const kept = new Set(own.foreign.flatMap(({keeps}) => keeps))
  const steps: StepResult[] = []
  for (const job of resetJobs(
    options,
    {closeLog: () => Promise.resolve(), isUnproven: false, onGone: () => {}},
    own.foreign,
  )) {
    const result = notRun(job)
    if (kept.has(job.id) || (job.id === 'node-registered' && options.keepNode)) {
      steps.push({...result, state: 'skipped'})
      continue
    }

    const removal = REMOVALS.find(({step}) => step.id === job.id)
    const changes = removal
      ? await claimsOf(context, removal, leaving.get(removal.step.id) ?? [], going)
      : await besides(context, job, {going, kept, purge: options.purge})
    steps.push({...result, changes, state: changes.length > 0 ? 'would-change' : 'in-place'})
  }

  return {remarks, steps}
}

/** What goes beside the things of the steps. */
async function besides(
  context: StepContext,
  job: Job,
  {going, kept, purge}: {going: GoingFiles; kept: ReadonlySet<Job['id']>; purge: boolean},
): Promise<string[]> {
  const {host, journal} = context
  switch (job.id) {
    case 'containers': {
      const isKubelets = journal.all().some(({entry}) => entry.kind === 'service' && entry.name === KUBELET)
      return isKubelets ? podsGoing(await host.docker.pods().catch(() => undefined)) : []
    }
    case 'daemons': {
      return stopping(context, kept)
    }
    case 'drain': {
      return planDrain(context)
    }
    case 'records': {
      return recordsGoing(context, job, going, purge)
    }
    default: {
      return []
    }
  }
}

/** What runs is named: it is what somebody would miss. */
function podsGoing(pods: {readonly containers: number; readonly running: readonly string[]} | undefined): string[] {
  if (pods?.containers === 0) return []
  const {containers = 'the', running = []} = pods ?? {}
  const more = running.length - MOST_PODS
  const names = `${running.slice(0, MOST_PODS).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  const live =
    running.length === 0 ? '' : `, of which ${running.length} ${running.length === 1 ? 'is' : 'are'} running: ${names}`
  return [`${containers} containers of its pods${live}`]
}

/** Those of ours that run, in the order they are stopped in. */
async function stopping({host: {services}, journal}: StepContext, kept: ReadonlySet<Job['id']>): Promise<string[]> {
  const daemons = STEPS.filter(({id, stop}) => stop && !kept.has(id))
  const names = daemons.flatMap(({id}) => journal.entries(id, 'service').map(({name}) => name))
  const lines: string[] = []
  for (const name of new Set(names.reverse())) {
    const state = (await services.status(name))?.state ?? 'stopped'
    if (state !== 'stopped' && (await services.isOurs(name))) lines.push(`stop the service ${name}`)
  }

  return lines
}

/** The deed itself, on files that only seem to go. */
async function recordsGoing(context: StepContext, job: Job, going: GoingFiles, purge: boolean): Promise<string[]> {
  const {config, host} = context
  const {logs, state} = layoutOf(config.baseDir)
  const removed: string[] = []
  await job.work({...context, host: {...host, files: going.remaining((path) => removed.push(path))}})
  const isRecord = (path: string): boolean => purge && (isWithin(path, logs) || isWithin(path, state))
  const folders: string[] = []
  const files: string[] = []
  for (const path of removed.filter((one) => !isRecord(one))) {
    const isFolder = (await host.files.status(path))?.kind === 'directory'
    ;(isFolder ? folders : files).push(path)
  }

  return [...foldersTold(folders), ...files, ...(removed.some(isRecord) ? ['our logs and records'] : [])]
}

/** The same lines, and none of them in a file. */
function inMemory(noted: readonly JournalLine[]): Journal {
  let lines = noted
  return {
    all: () => lines,
    entries: <K extends JournalKind>(step: JournalLine['step'], kind: K) =>
      lines
        .flatMap((line) => (line.step === step && line.entry.kind === kind ? [line.entry as EntryOf<K>] : []))
        .reverse(),
    forget(isForgotten) {
      lines = lines.filter((line) => !isForgotten(line))
      return Promise.resolve()
    },
    record: () => Promise.resolve(),
    recordLines: () => Promise.resolve(),
  }
}
