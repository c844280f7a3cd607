// Steps that keep files: compared by content, recorded before they are written, and written atomically.
import {win32} from 'node:path'
import {ASIDE} from '../../../config/layout.js'
import {KUBELET} from '../../../config/model.js'
import {keyOf} from '../../../host/security/known-paths.js'
import {FileError} from '../../../machine/files.js'
import type {JournalEntry} from '../../ledger/entries.js'
import {noteUnread} from '../../ledger/memo.js'
import {drifted, type Finding, inPlace, missing, type StepContext, type StepId} from '../../run/step.js'
import {isForeignService, isToBeClaimed} from '../adoption.js'

export interface DesiredFile {
  readonly content: string
  readonly path: string
  /** The service whose daemon reads the file only when it starts. */
  readonly readBy?: string
  /** SDDL, where the access list of the folder is not strict enough. */
  readonly sddl?: string
}

type Context = Pick<StepContext, 'changed' | 'config' | 'host' | 'journal'>

export async function inspectFiles(context: Context, step: StepId, wanted: readonly DesiredFile[]): Promise<Finding> {
  const seen = await Promise.all(wanted.map((file) => context.host.files.read(file.path)))
  const absent = wanted.filter((_, index) => seen[index] === undefined)
  const wrong = wanted.filter(
    (file, index) => seen[index] !== undefined && !seen[index].equals(Buffer.from(file.content)),
  )
  if (absent.length === wanted.length) return missing(...absent.map((file) => `${file.path} does not exist`))
  const evidence = [
    ...absent.map((file) => `${file.path} does not exist`),
    ...wrong.map((file) => `${file.path} has different content`),
    ...wanted
      .filter((file) => toBeOurs(context, step, file.path))
      .map((file) => `${file.path} is not managed by k8s-win yet`),
  ]
  return evidence.length > 0 ? drifted(...evidence) : inPlace(...wanted.map((file) => `${file.path} is up to date`))
}

const toBeOurs = (context: Context, step: StepId, path: string): boolean =>
  isToBeClaimed(context, step, 'file', (entry) => entry.path === path)

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
 * Records a file before it is written. One that was there before is kept aside for reset to restore; with --adopt it is
 * replaced, unless it belongs to the user.
 */
export async function claimFile(context: Context, step: StepId, path: string, owner?: 'user'): Promise<void> {
  const {files} = context.host
  const claims = context.journal.entries(step, 'file').filter((entry) => entry.path === path)
  const there = await files.status(path)
  const aside = `${path}${ASIDE}`
  const isKept = owner === 'user' || !context.config.adopt || isOfPresent(context, path)
  if (claims.length === 0) {
    await context.journal.record(step, {kind: 'file', path, ...(there && isKept && {previous: aside})})
  }

  // Recorded but not kept aside: a run was killed in between, or a removal has restored it.
  const isTheirs = claims.length === 0 ? isKept : claims.some((claim) => claim.previous !== undefined)
  if (!there || !isTheirs || (await files.status(aside))) return
  await files.rename(path, aside)
  context.changed(`keep ${path} as ${aside}`)
}

/** In the folders of a containerd that was there before nothing is k8s-win's to take over. */
function isOfPresent({config: {containerd}}: Context, path: string): boolean {
  const folders = [containerd.cniBinaries, containerd.cniConfigFolder, win32.dirname(containerd.config)]
  return !containerd.isOurs && folders.some((folder) => keyOf(folder) === keyOf(win32.dirname(path)))
}

/**
 * Creates a folder, and records which of its parents did not exist: reset removes only those. `beside`: recorded in the
 * same write.
 */
export async function ensureFolder(
  context: Context,
  step: StepId,
  path: string,
  security?: string,
  beside: readonly JournalEntry[] = [],
): Promise<void> {
  const absent = await absentFolders(context, path)
  const folders = [...(await adoptedFolders(context, path, absent)), ...absent].map(directory)
  await context.journal.record(step, ...folders, ...beside)
  if (absent.length === 0) return
  await context.host.files.makeDirectory(path, security === undefined ? {} : {security})
  // If it is gone again, the next folder below would create it with another access list.
  if (!(await context.host.files.status(path))) throw new FileError('create', path, 'ENOENT')
  context.changed(`create ${path}`)
}

/**
 * Records that what a daemon creates here is k8s-win's, where nothing exists yet, or where another installation's
 * kubelet is adopted. What a kubelet of k8s-win has and the journal does not name may have been there before setup.
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

/** This folder and its parents, outermost first, as far as they do not exist. */
async function absentFolders({host}: Context, path: string): Promise<string[]> {
  const absent: string[] = []
  // The root of a drive always exists.
  for (let folder = path; folder !== win32.dirname(folder); folder = win32.dirname(folder)) {
    const status = await host.files.status(folder)
    if (status?.kind === 'file' || status?.kind === 'other') throw new FileError('create', folder, 'ENOTDIR')
    if (status) break
    absent.unshift(folder)
  }

  return absent
}

/**
 * Existing folders that reset may remove when they are empty: those in the base directory, and others only where
 * another installation's kubelet is adopted.
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
