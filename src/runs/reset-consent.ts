// Before anything is removed: is there anything, is it wanted, and what would it be.
import {win32} from 'node:path'
import {KUBELET} from '../components/kubelet.js'
import {layoutOf} from '../config/layout.js'
import type {SetupConfig} from '../config/model.js'
import {yesNeeded} from '../errors/reset.js'
import type {Host} from '../host/host.js'
import {claimsOf, foldersTold} from '../pipeline/claims.js'
import type {StepResult} from '../pipeline/events.js'
import {GoingFiles} from '../pipeline/going-files.js'
import type {EntryOf, Journal, JournalKind, JournalLine} from '../pipeline/journal.js'
import {isOwnNode} from '../pipeline/leave-cluster.js'
import {notRun} from '../pipeline/perform.js'
import type {StepContext} from '../pipeline/step.js'
import type {Job} from '../pipeline/take-down.js'
import {REMOVALS} from '../steps/removal.js'
import type {OwnThings} from './reset-claims.js'
import {leavingOf, resetJobs} from './reset-jobs.js'
import {nodeToReset} from './reset-node.js'
import type {ResetRun} from './reset-run.js'
import type {Story} from './run-frame.js'

/** What was seen before anything is asked or removed. */
export interface Look {
  /** Logs and reports, of a setup that went no further than its checks, or of a reset that did not come to its very end. */
  readonly hasRecords: boolean
  readonly own: OwnThings
  /** Empty where nobody is to see it. */
  readonly plan: readonly StepResult[]
}

/** False where there is nothing of ours, and where the answer is no; both are told. */
export async function isWanted(run: ResetRun, config: SetupConfig, {hasRecords, own, plan}: Look): Promise<boolean> {
  const {ask, bus, options, signal} = run
  const info = (message: string): void => bus.emit({level: 'info', message, type: 'log'})
  const isNothing = own.journal.all().length === 0 && own.marked.length === 0
  if (isNothing && options.purge && hasRecords) return true
  if (isNothing) {
    info(`nothing of k8s-win is set up in ${config.baseDir}: there is nothing to remove`)
    return false
  }

  const isLost = own.marked.length > 0
  // What is stopped is named where it is removed.
  const lines = plan.filter(({id}) => id !== 'daemons').flatMap(({changes}) => changes)
  if (options.dryRun || options.yes || lines.length === 0) return true
  if (!ask && isLost) throw yesNeeded({found: lines.join('; '), journal: layoutOf(config.baseDir).journal})
  if (!ask) return true
  const lost = isLost ? 'The journal is lost, and this is known by our marks only. ' : ''
  if (await ask({lines, stays: staying(options), text: `${lost}Remove all of it?`}, signal)) return true
  info('answered with no: nothing was changed')
  return false
}

export async function hasRecords({files}: Host, {baseDir}: SetupConfig): Promise<boolean> {
  const {logs, state} = layoutOf(baseDir)
  const seen = await Promise.all([state, win32.join(logs, 'k8s-win')].map((path) => files.status(path)))
  return seen.some((status) => status !== undefined)
}

/** --dry-run: the steps, with what each would take away. */
export function tellPlan({bus, options}: ResetRun, steps: readonly StepResult[], story: Story): void {
  bus.emit({command: 'reset', steps: steps.map(({id, title}) => ({id, title})), type: 'run-started'})
  for (const step of steps) {
    bus.emit({id: step.id, title: step.title, type: 'step-started'})
    bus.emit({step, type: 'step-finished'})
  }

  const stays = staying(options)
  if (stays.length > 0) bus.emit({level: 'info', message: `this stays: ${stays.join(', ')}`, type: 'log'})
  story.steps = steps
}

/** As resetJobs has them, one after the other. */
export async function planSteps(
  {options}: ResetRun,
  setup: SetupConfig,
  host: Host,
  own: OwnThings,
): Promise<StepResult[]> {
  const leaving = leavingOf(options)
  const going = new GoingFiles(host.files)
  const journal = withMarked(own)
  const context = {config: await nodeToReset(setup, host, journal), host, journal}
  const kept = new Set(own.foreign.flatMap(({keeps}) => keeps))
  const plan: (readonly [Pick<Job, 'id' | 'title'>, readonly string[]])[] = []
  const isLeft = (id: Job['id']): boolean => kept.has(id) || (id === 'node-registered' && options.keepNode)
  const jobs = resetJobs(options, {closeLog: () => Promise.resolve(), onGone: () => {}}, own.foreign)
  for (const job of jobs) {
    if (isLeft(job.id)) {
      plan.push([job, []])
      continue
    }

    const removal = REMOVALS.find(({step}) => step.id === job.id)
    const changes = removal
      ? await claimsOf(context, removal, leaving.get(removal.step.id) ?? [], going)
      : await besides(context, job.id, {going, kept, purge: options.purge})
    plan.push([job, changes])
  }

  return plan.map(([{id, title}, changes]) => {
    if (isLeft(id)) return {...notRun({id, title}), state: 'skipped'}
    return {...notRun({id, title}), changes, state: changes.length > 0 ? 'would-change' : 'in-place'}
  })
}

/** What goes beside the things of the steps. */
async function besides(
  {config, host, journal}: Pick<StepContext, 'config' | 'host' | 'journal'>,
  id: Job['id'],
  {going, kept, purge}: {going: GoingFiles; kept: ReadonlySet<Job['id']>; purge: boolean},
): Promise<string[]> {
  const services = journal.all().flatMap(({entry}) => (entry.kind === 'service' ? [entry.name] : []))
  switch (id) {
    case 'containers': {
      const count = services.includes(KUBELET) ? await host.docker.pods().catch(() => undefined) : 0
      return count === 0 ? [] : [`${count ?? 'the'} containers of its pods`]
    }
    case 'daemons': {
      return stopping(host, services)
    }
    case 'drain': {
      // A cluster that cannot be asked now ends the run there.
      if (!(await isOwnNode({config, host}, config.nodeName).catch(() => true))) return []
      return ['the pods on the node: they are asked to leave']
    }
    case 'records': {
      const {nodeConfig} = layoutOf(config.baseDir)
      const lines = journal.all().filter(({step}) => !kept.has(step))
      const folders = lines.flatMap(({entry}) => (entry.kind === 'directory' ? [entry.path] : []))
      const empty = await going.takeEmpty([...new Set(folders)].sort((a, b) => b.length - a.length))
      const records = purge ? ['our logs and records'] : await going.take([nodeConfig])
      return [...foldersTold(empty), ...records]
    }
    default: {
      return []
    }
  }
}

/** Those of ours that run. */
async function stopping({services}: Host, names: readonly string[]): Promise<string[]> {
  const lines: string[] = []
  for (const name of new Set(names)) {
    const state = (await services.status(name))?.state ?? 'stopped'
    if (state !== 'stopped' && (await services.isOurs(name))) lines.push(`stop the service ${name}`)
  }

  return lines
}

const withMarked = ({journal, marked}: OwnThings): Journal => ({
  ...journal,
  all: () => [...journal.all(), ...marked],
  entries: <K extends JournalKind>(step: JournalLine['step'], kind: K) => [
    ...marked
      .flatMap((line) => (line.step === step && line.entry.kind === kind ? [line.entry as EntryOf<K>] : []))
      .reverse(),
    ...journal.entries(step, kind),
  ],
})

function staying({keepDownloads, keepImages, purge}: ResetRun['options']): string[] {
  return [...(keepImages ? ['images'] : []), ...(keepDownloads ? ['downloads'] : []), ...(purge ? [] : ['logs'])]
}
