// Steps that keep files: seen by content, written atomically, removed if the journal says they are ours.
import {win32} from 'node:path'
import {drifted, type Finding, inPlace, missing, type StepContext} from './step.js'
import type {StepId} from './step-id.js'

export interface DesiredFile {
  readonly content: string
  readonly path: string
  /** SDDL, where the folder's own is not enough. */
  readonly sddl?: string
}

type Context = Pick<StepContext, 'changed' | 'host' | 'journal'>

export async function inspectFiles(context: Context, wanted: readonly DesiredFile[]): Promise<Finding> {
  const seen = await Promise.all(wanted.map((file) => context.host.files.read(file.path)))
  const absent = wanted.filter((_, index) => seen[index] === undefined)
  const wrong = wanted.filter(
    (file, index) => seen[index] !== undefined && !seen[index].equals(Buffer.from(file.content)),
  )
  if (absent.length === wanted.length) return missing(...absent.map((file) => `${file.path} is not there`))
  if (absent.length + wrong.length === 0) return inPlace(...wanted.map((file) => `${file.path} is as wanted`))
  return drifted(
    ...absent.map((file) => `${file.path} is not there`),
    ...wrong.map((file) => `${file.path} has another content`),
  )
}

export async function applyFiles(context: Context, step: StepId, wanted: readonly DesiredFile[]): Promise<void> {
  for (const file of wanted) {
    const {files} = context.host
    const before = await files.read(file.path)
    if (before?.equals(Buffer.from(file.content))) continue
    await ensureFolder(context, step, win32.dirname(file.path))
    if (before === undefined) await context.journal.record(step, {kind: 'file', path: file.path})
    await files.write(file.path, file.content, file.sddl === undefined ? {} : {sddl: file.sddl})
    context.changed(`write ${file.path}`)
  }
}

/** Makes a folder and notes which of its parents were not there: only those are ever taken away again. */
export async function ensureFolder(context: Context, step: StepId, path: string): Promise<void> {
  const {files} = context.host
  const absent: string[] = []
  for (
    let folder = path;
    !(await files.status(folder)) && folder !== win32.dirname(folder);
    folder = win32.dirname(folder)
  ) {
    absent.unshift(folder)
  }

  if (absent.length === 0) return
  for (const folder of absent) await context.journal.record(step, {kind: 'directory', path: folder})
  await files.makeDirectory(path)
  context.changed(`make ${path}`)
}

/** What this step wrote, then the folders it made, innermost first, where nothing else is in them. */
export async function removeFiles(context: Context, step: StepId): Promise<void> {
  const {files} = context.host
  for (const {path} of context.journal.entries(step, 'file')) {
    if (!(await files.status(path))) continue
    await files.remove(path)
    context.changed(`remove ${path}`)
  }

  for (const {path} of context.journal.entries(step, 'directory')) {
    if (!(await files.status(path)) || (await files.list(path)).length > 0) continue
    await files.remove(path)
    context.changed(`remove ${path}`)
  }
}
