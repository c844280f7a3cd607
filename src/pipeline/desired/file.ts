// Steps that keep files: seen by content, written atomically, recorded before they are written.
import {win32} from 'node:path'
import {KUBELET} from '../../components/kubelet.js'
import {FileError} from '../../machine/files.js'
import {isForeignService} from './adoption.js'
import type {JournalEntry} from '../ledger/journal.js'
import {drifted, type Finding, inPlace, missing, type StepContext} from '../run/step.js'
import {noteUnread} from '../ledger/memo.js'
import type {StepId} from '../run/step-id.js'

export interface DesiredFile {
  readonly content: string
  readonly path: string
  /** The service whose daemon reads it at its start and never again. */
  readonly readBy?: string
  /** SDDL, where the folder's own is not enough. */
  readonly sddl?: string
}

type Context = Pick<StepContext, 'changed' | 'config' | 'host' | 'journal'>

export async function inspectFiles(context: Context, step: StepId, wanted: readonly DesiredFile[]): Promise<Finding> {
  const seen = await Promise.all(wanted.map((file) => context.host.files.read(file.path)))
  const absent = wanted.filter((_, index) => seen[index] === undefined)
  const wrong = wanted.filter(
    (file, index) => seen[index] !== undefined && !seen[index].equals(Buffer.from(file.content)),
  )
  if (absent.length === wanted.length) return missing(...absent.map((file) => `${file.path} is not there`))
  const evidence = [
    ...absent.map((file) => `${file.path} is not there`),
    ...wrong.map((file) => `${file.path} has different content`),
    ...wanted
      .filter((file) => toBeOurs(context, step, file.path))
      .map((file) => `${file.path} is not managed by k8s-win yet`),
  ]
  return evidence.length > 0 ? drifted(...evidence) : inPlace(...wanted.map((file) => `${file.path} is up to date`))
}

/** With --adopt also what is as wanted is claimed, so that reset takes it away. */
const toBeOurs = ({config, journal}: Context, step: StepId, path: string): boolean =>
  config.adopt && !journal.entries(step, 'file').some((entry) => entry.path === path)

export async function applyFiles(context: Context, step: StepId, wanted: readonly DesiredFile[]): Promise<void> {
  for (const file of wanted) {
    const {files} = context.host
    const before = await files.read(file.path)
    const isRight = before?.equals(Buffer.from(file.content)) ?? false
    if (isRight && !toBeOurs(context, step, file.path)) continue
    await ensureFolder(context, step, win32.dirname(file.path))
    await claimFile(context, step, file.path)
    if (isRight) {
      context.changed(`take over ${file.path}`)
      continue
    }

    if (file.readBy !== undefined) await noteUnread(context, step, file.readBy)
    await files.write(file.path, file.content, file.sddl === undefined ? {} : {sddl: file.sddl})
    context.changed(`write ${file.path}`)
  }
}

/**
 * Notes a file as ours before it is written. One that somebody else had there is kept aside, for remove to put back;
 * with --adopt it is ours from now on, unless it is the user's own.
 */
export async function claimFile(context: Context, step: StepId, path: string, owner?: 'user'): Promise<void> {
  const {files} = context.host
  const claims = context.journal.entries(step, 'file').filter((entry) => entry.path === path)
  const there = await files.status(path)
  const aside = `${path}.before-k8s-win`
  const isKept = owner === 'user' || !context.config.adopt
  if (claims.length === 0) {
    await context.journal.record(step, {kind: 'file', path, ...(there && isKept && {previous: aside})})
  }

  // Noted but not aside: a run died in between, or a removal has put it back.
  const isTheirs = claims.length === 0 ? isKept : claims.some((claim) => claim.previous !== undefined)
  if (!there || !isTheirs || (await files.status(aside))) return
  await files.rename(path, aside)
  context.changed(`keep ${path} as ${aside}`)
}

/** Makes a folder, with this SDDL from the first where one is given, and notes which of its parents were not there: only those are ever taken away again. */
export async function ensureFolder(context: Context, step: StepId, path: string, security?: string): Promise<void> {
  const absent = await absentFolders(context, path)
  await context.journal.record(step, ...[...(await adoptedFolders(context, path, absent)), ...absent].map(directory))
  if (absent.length === 0) return
  await context.host.files.makeDirectory(path, security === undefined ? {} : {security})
  // Were it not there, the next one below would be made together with it, by another access list.
  if (!(await context.host.files.status(path))) throw new FileError('make', path, 'ENOENT')
  context.changed(`make ${path}`)
}

/**
 * Notes that what a daemon makes here is ours, with all in it, where nothing is now; also what is there, where another's
 * kubelet is taken over. With one of ours the journal knows: what it does not name was there before, or nobody can tell.
 */
export async function claimTrees(context: Context, step: StepId, ...paths: readonly string[]): Promise<void> {
  const entries: JournalEntry[] = []
  const isTakenOver = await isForeignService(context, KUBELET)
  for (const path of paths) {
    if (!isTakenOver && (await context.host.files.status(path))) continue
    const parent = win32.dirname(path)
    const absent = await absentFolders(context, parent)
    entries.push(...[...(await adoptedFolders(context, parent, absent)), ...absent].map(directory))
    entries.push({kind: 'tree', path})
  }

  await context.journal.record(step, ...entries)
}

const directory = (path: string): JournalEntry => ({kind: 'directory', path})

/** This folder and its parents, outermost first, as far as they are not there. */
async function absentFolders({host}: Context, path: string): Promise<string[]> {
  const absent: string[] = []
  // A drive's root is not asked for: it is always there.
  for (let folder = path; folder !== win32.dirname(folder); folder = win32.dirname(folder)) {
    const status = await host.files.status(folder)
    if (status?.kind === 'file' || status?.kind === 'other') throw new FileError('make', folder, 'ENOTDIR')
    if (status) break
    absent.unshift(folder)
  }

  return absent
}

/**
 * Of the folders that are there: an empty one is nobody's loss. The base directory and what it is in are the user's; so are
 * those elsewhere, unless another's kubelet is taken over.
 */
async function adoptedFolders(context: Context, path: string, absent: readonly string[]): Promise<string[]> {
  const {config} = context
  if (!config.adopt) return []
  const folders: string[] = []
  const base = `${config.baseDir}\\`.toLowerCase()
  const isEverywhere = await isForeignService(context, KUBELET)
  for (let folder = path; folder !== win32.dirname(folder); folder = win32.dirname(folder)) {
    const here = `${folder}\\`.toLowerCase()
    if (absent.includes(folder) || base.startsWith(here)) continue
    if (isEverywhere || here.startsWith(base)) folders.unshift(folder)
  }

  return folders
}
