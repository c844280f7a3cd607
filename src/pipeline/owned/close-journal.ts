// The end of a reset: empty folders and k8s-win's records. What stays remains recorded, so that a later reset can
// remove it; with --purge everything goes, also a base directory that setup created.
import {win32} from 'node:path'
import {isWithin} from '../../config/base-dir.js'
import {DAEMONS, logsOf} from '../../config/daemons.js'
import {layoutOf} from '../../config/layout.js'
import {keyOf} from '../../host/security/known-paths.js'
import {programsThere, removePrograms} from '../desired/programs/own-program.js'
import {removeIfEmpty, removePath} from '../desired/files/remove-path.js'
import type {Leavings, StepContext, StepId} from '../run/step.js'
import {shortList} from '../short-list.js'
import type {JournalLine} from '../ledger/journal.js'
import {isDaemonLog, isRecord, isRunLog, sortOut} from './own-file-names.js'

/** The next run needs them as long as the host's network may be cut off. */
const NOTES = new Set(['network-before', 'network-verified'])
/** Without them the journal would read as if its end were lost, or as if nothing were. */
const OF_JOURNAL = new Set(['began', 'loss', 'setup'])

/** Kinds of entries that stay, by step, because what they name does. */
export type Leaving = ReadonlyMap<StepId, Leavings['claims']>

/** After a step was removed: forgets its entries, except those of what stays. */
export async function forgetStep(context: StepContext, step: StepId, leaving: Leaving): Promise<void> {
  const [folders, isProgram] = [await foldersThere(context, step), await programFinder(context)]
  const stays = ({entry}: JournalLine): boolean =>
    NOTES.has(entry.kind) ||
    // Forgotten by whoever removes the node; one that could not be removed stays recorded.
    entry.kind === 'node' ||
    OF_JOURNAL.has(entry.kind) ||
    isLeft({entry, step}, leaving) ||
    isProgram({entry, step}) ||
    (entry.kind === 'directory' && folders.has(entry.path))
  await context.journal.forget((line) => line.step === step && !stays(line))
}

/** Steps share folders: the one that created a folder may be removed before the one that has the last file in it. */
export async function removeEmptyFolders(context: StepContext): Promise<void> {
  const innermostFirst = [...(await foldersThere(context))].sort((a, b) => b.length - a.length)
  for (const path of innermostFirst) await removeIfEmpty(context, path)
}

/** Reports folders of k8s-win that contain other files. `kept`: paths that stay on purpose. */
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

/** Leaves a journal that says that nothing is set up, what was left, and whether something could not be proven. */
export async function closeJournal(context: StepContext, leaving: Leaving, isUnproven: boolean): Promise<void> {
  const {journal} = context
  const {health, nodeConfig, nodeConfigCopy, pause, registries, stopped} = layoutOf(context.config.baseDir)
  // There is no node any more that has a health, and a later one is not paused; what node.yaml names goes with it.
  for (const path of [health, pause, stopped, registries, nodeConfigCopy, nodeConfig]) {
    // A folder there is not a record of k8s-win, and neither is what is in it.
    if ((await context.host.files.status(path))?.kind !== 'directory') await removePath(context, path)
  }

  const [folders, isProgram] = [await foldersThere(context), await programFinder(context)]
  const lines = journal.all()
  // The given journal may show only a part of what is recorded.
  const nodes = new Set(journal.entries('node-registered', 'node').map(({name}) => name))
  const stays = (line: JournalLine): boolean =>
    isLeft(line, leaving) ||
    isProgram(line) ||
    (line.entry.kind === 'loss' && isUnproven) ||
    (line.entry.kind === 'node' && nodes.has(line.entry.name)) ||
    (line.entry.kind === 'directory' && folders.has(line.entry.path))
  const isClosed = lines.at(-1)?.entry.kind === 'reset' && lines.slice(0, -1).every(stays)
  if (!isClosed) {
    await journal.forget((line) => !stays(line))
    if (journal.all().length > 0) await journal.record('base-dir', {kind: 'reset'})
  }
}

/** Removes logs and records, and the journal where it names nothing that stays. */
export async function removeRecords(context: StepContext, leaving: Leaving, isUnproven: boolean): Promise<void> {
  const {config, host, journal} = context
  const {files} = host
  const {journal: journalFile, lock, logs, result, state} = layoutOf(config.baseDir)
  const claimed = new Set(journal.all().flatMap(({entry}) => (entry.kind === 'directory' ? [entry.path] : [])))
  const remove = (path: string): Promise<void> => removePath(context, path)
  const removeOwn = async (folder: string, isOurs: (name: string) => boolean): Promise<void> => {
    const {others, own} = await sortOut(files, folder, isOurs)
    if (others.length === 0) return remove(folder)
    for (const path of own) await remove(path)
  }

  for (const daemon of DAEMONS) {
    const folder = logsOf(context.config, daemon)
    if (claimed.has(folder)) await removeOwn(folder, isDaemonLog)
  }

  await removeOwn(win32.join(logs, 'k8s-win'), isRunLog)
  await removeIfEmpty(context, logs)
  await removeEmptyFolders(context)
  if (journal.all().some((line) => isLeft(line, leaving))) {
    await remove(result)
    await removePrograms(context)
    return closeJournal(context, leaving, isUnproven)
  }

  // The journal last, so that a killed reset can be resumed.
  const last = [lock, journalFile]
  const {own} = await sortOut(files, state, isRecord)
  for (const path of own) if (!last.includes(path)) await files.remove(path)
  await removePrograms(context)
  const {others} = await sortOut(files, state, isRecord)
  if (others.length > 0) for (const path of last) await remove(path)
  else await remove(await withEmptied(context, state, claimed))
}

/** The folder, or its outermost parent that holds nothing else and was created by setup: removed in one call. */
async function withEmptied(context: StepContext, folder: string, made: ReadonlySet<string>): Promise<string> {
  const parent = win32.dirname(folder)
  const isAlone = made.has(parent) && (await context.host.files.list(parent)).length === 1
  return isAlone ? withEmptied(context, parent, made) : folder
}

const isLeft = ({entry, step}: JournalLine, leaving: Leaving): boolean =>
  leaving.get(step)?.includes(entry.kind) ?? false

/** k8s-win's own programs stay until --purge: the next run may need them. */
async function programFinder(context: StepContext): Promise<(line: JournalLine) => boolean> {
  const there = await programsThere(context)
  return ({entry, step}) => step === 'base-dir' && entry.kind === 'file' && there.has(keyOf(entry.path))
}

async function foldersThere({host, journal}: StepContext, step?: StepId): Promise<ReadonlySet<string>> {
  const lines = journal.all().filter((line) => step === undefined || line.step === step)
  const paths = new Set(lines.flatMap(({entry}) => (entry.kind === 'directory' ? [entry.path] : [])))
  const seen = await Promise.all([...paths].map(async (path) => ((await host.files.status(path)) ? [path] : [])))
  return new Set(seen.flat())
}
