// The end of a reset: empty folders, and our own records. What stays is still named, so that a later reset can remove it;
// where nothing is to stay, everything goes, the base directory too if we made it.
import {win32} from 'node:path'
import {isWithin} from '../../config/base-dir.js'
import {layoutOf} from '../../config/layout.js'
import type {JournalLine} from './journal.js'
import {isDaemonLog, isRecord, isRunLog, sortOut} from './own-file-names.js'
import {shortList} from '../short-list.js'
import type {Leavings, StepContext} from '../run/step.js'
import type {StepId} from '../run/step-id.js'

/** Of a network that was cut: they are the next run's, as long as there is one. */
const NOTES = new Set(['network-before', 'network-verified'])
/** Of the journal itself: without them it would look as if its end were lost, or as if nothing were. */
const OF_JOURNAL = new Set(['loss', 'setup'])
const DAEMON_LOGS = ['flanneld', 'kubelet', 'kubeproxy']

/** What of the journal stays, by step, because what it names does. */
export type Leaving = ReadonlyMap<StepId, Leavings['claims']>

/** After a step was removed: it claims nothing any more but what stays. */
export async function forgetStep(context: StepContext, step: StepId, leaving: Leaving): Promise<void> {
  const folders = await foldersThere(context, step)
  const stays = ({entry}: JournalLine): boolean =>
    NOTES.has(entry.kind) ||
    // The one who removes it forgets it; one that could not be removed is ours still.
    entry.kind === 'node' ||
    OF_JOURNAL.has(entry.kind) ||
    isLeft({entry, step}, leaving) ||
    (entry.kind === 'directory' && folders.has(entry.path))
  await context.journal.forget((line) => line.step === step && !stays(line))
}

/** Steps that work side by side share folders: who made one may go before who has the last file in it. */
export async function removeEmptyFolders(context: StepContext): Promise<void> {
  const {files} = context.host
  const innermostFirst = [...(await foldersThere(context))].sort((a, b) => b.length - a.length)
  for (const path of innermostFirst) {
    if ((await files.list(path)).length > 0) continue
    await files.remove(path)
    context.changed(`remove ${path}`)
  }
}

/** Folders of ours that do not go, for something else is in them. `kept`: what stays of ours. */
export async function tellFilledFolders(
  context: StepContext,
  kept: readonly string[],
  records: readonly string[] = [],
): Promise<void> {
  const folders = new Set([...(await foldersThere(context)), ...records])
  for (const folder of folders) {
    if (kept.some((path) => isWithin(folder, path))) continue
    const paths = (await context.host.files.list(folder)).map((name) => win32.join(folder, name))
    const others = paths
      .filter((path) => !folders.has(path) && !kept.includes(path))
      .map((path) => win32.basename(path))
    if (others.length === 0) continue
    context.warn(`the folder ${folder} is kept because it contains files not created by k8s-win: ${shortList(others)}`)
  }
}

/** Nothing was set up here any more, and yet it is known what was left; also that not all of it could be proven. */
export async function closeJournal(context: StepContext, leaving: Leaving, isUnproven: boolean): Promise<void> {
  const {host, journal} = context
  const {nodeConfig} = layoutOf(context.config.baseDir)
  if (await host.files.status(nodeConfig)) {
    await host.files.remove(nodeConfig)
    context.changed(`remove ${nodeConfig}`)
  }

  const folders = await foldersThere(context)
  const lines = journal.all()
  // The journal that is given may show only a part of what is recorded.
  const nodes = new Set(journal.entries('node-registered', 'node').map(({name}) => name))
  const stays = (line: JournalLine): boolean =>
    isLeft(line, leaving) ||
    (line.entry.kind === 'loss' && isUnproven) ||
    (line.entry.kind === 'node' && nodes.has(line.entry.name)) ||
    (line.entry.kind === 'directory' && folders.has(line.entry.path))
  const isClosed = lines.at(-1)?.entry.kind === 'reset' && lines.slice(0, -1).every(stays)
  if (!isClosed) {
    await journal.forget((line) => !stays(line))
    if (journal.all().length > 0) await journal.record('base-dir', {kind: 'reset'})
  }
}

/** Logs and records; the journal only where nothing stays that it names. */
export async function removeRecords(context: StepContext, leaving: Leaving, isUnproven: boolean): Promise<void> {
  const {config, host, journal} = context
  const {files} = host
  const {journal: journalFile, lock, logs, result, state} = layoutOf(config.baseDir)
  const claimed = new Set(journal.all().flatMap(({entry}) => (entry.kind === 'directory' ? [entry.path] : [])))
  const remove = async (path: string): Promise<void> => {
    if (!(await files.status(path))) return
    await files.remove(path)
    context.changed(`remove ${path}`)
  }

  const removeOwn = async (folder: string, isOurs: (name: string) => boolean): Promise<void> => {
    const {others, own} = await sortOut(files, folder, isOurs)
    if (others.length === 0) return remove(folder)
    for (const path of own) await remove(path)
  }

  for (const name of DAEMON_LOGS) {
    const folder = win32.join(logs, name)
    if (claimed.has(folder)) await removeOwn(folder, isDaemonLog)
  }

  await removeOwn(win32.join(logs, 'k8s-win'), isRunLog)
  if ((await files.status(logs))?.kind === 'directory' && (await files.list(logs)).length === 0) await remove(logs)
  await removeEmptyFolders(context)
  if (journal.all().some((line) => isLeft(line, leaving))) {
    await closeJournal(context, leaving, isUnproven)
    return remove(result)
  }

  // The journal last: whoever dies on the way is gone on with.
  const last = [lock, journalFile]
  const {others, own} = await sortOut(files, state, isRecord)
  for (const path of own) if (!last.includes(path)) await files.remove(path)
  if (others.length > 0) for (const path of last) await remove(path)
  else await remove(await withEmptied(context, state, claimed))
}

/** The folder, or the outermost one that holds nothing else and was made by us: one call, so that none is left of it. */
async function withEmptied(context: StepContext, folder: string, made: ReadonlySet<string>): Promise<string> {
  const parent = win32.dirname(folder)
  const isAlone = made.has(parent) && (await context.host.files.list(parent)).length === 1
  return isAlone ? withEmptied(context, parent, made) : folder
}

const isLeft = ({entry, step}: JournalLine, leaving: Leaving): boolean =>
  leaving.get(step)?.includes(entry.kind) ?? false

async function foldersThere({host, journal}: StepContext, step?: StepId): Promise<ReadonlySet<string>> {
  const lines = journal.all().filter((line) => step === undefined || line.step === step)
  const paths = new Set(lines.flatMap(({entry}) => (entry.kind === 'directory' ? [entry.path] : [])))
  const seen = await Promise.all([...paths].map(async (path) => ((await host.files.status(path)) ? [path] : [])))
  return new Set(seen.flat())
}
