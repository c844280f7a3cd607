// Deletes k8s-win's own programs, also while they run: Windows does not delete the file of a running program, but renames
// it on its drive (learn.microsoft.com windows-hardware/drivers/ifs/executable-images), and deletes it at its next restart.
import {randomBytes} from 'node:crypto'
import {win32} from 'node:path'
import {isMovedProgram, movedProgram} from '../../../config/layout.js'
import {keyOf} from '../../../host/security/known-paths.js'
import {FileError} from '../../../machine/files.js'
import type {StepContext} from '../../run/step.js'
import {removePath} from '../files/remove-path.js'

type Context = Pick<StepContext, 'changed' | 'host' | 'journal' | 'warn'>

/** Access denied, or a sharing violation, after as long as the real files wait for a scanner to finish. */
export const isInUse = (error: unknown): boolean =>
  error instanceof FileError && ['EACCES', 'EBUSY', 'EPERM'].includes(error.code)

export async function deleteProgram(context: Context, path: string): Promise<void> {
  if (!(await context.host.files.status(path))) return
  if (await isOfThisRun(context, path)) return moveOut(context, path)
  await removePath(context, path).catch(async (error: unknown) => {
    if (!isInUse(error)) throw error
    await moveOut(context, path)
  })
}

/**
 * One that an interrupted run has moved to the root of its drive. Ordinary users may create folders there: only a file
 * that none of them can have made or changed is deleted, or marked for deletion.
 */
export async function deleteMoved(context: Context, path: string): Promise<void> {
  const {host, journal, warn} = context
  const kind = (await host.files.status(path))?.kind
  const distrust = kind === 'file' ? await host.trust.problem(path) : undefined
  if (kind === 'file' && !distrust) return deleteProgram(context, path)
  if (kind !== undefined)
    warn(`${path} stays, because it is not a program that k8s-win moved: ${distrust?.message ?? 'it is not a file'}`)
  await journal.forget(({entry}) => entry.kind === 'file' && entry.path === path)
}

/** Of these it is known without trying, which would take a minute. */
async function isOfThisRun({host}: Context, path: string): Promise<boolean> {
  const {file} = host.assets.program
  if (file !== undefined && keyOf(file) === keyOf(path)) return true
  if (keyOf(win32.basename(path)) !== 'shawl.exe') return false
  const [parent = ''] = await host.os.ancestors()
  return keyOf(parent) === 'shawl.exe'
}

/** The name that the program had is free then. */
export async function moveOut({changed, host, journal, warn}: Context, path: string): Promise<void> {
  const to = isMovedProgram(path) ? path : await freeName(host, path)
  if (to !== path) {
    // A run that is killed before Windows knows of it leaves a file that the next reset removes.
    await journal.record('base-dir', {kind: 'file', path: to})
    await host.files.rename(path, to)
  }

  await host.os.deleteAtRestart(to)
  await journal.forget(({entry}) => entry.kind === 'file' && entry.path === to)
  changed(to === path ? `mark ${to} for deletion` : `move ${path} to ${to}`)
  warn(`${to} stays until the next restart of Windows, which deletes it: this program is still running`)
}

/** One that other accounts cannot guess: a rename replaces what has its new name, also a folder. */
async function freeName({files}: Context['host'], path: string): Promise<string> {
  for (;;) {
    const name = movedProgram(path, randomBytes(4).toString('hex'))
    if (!(await files.status(name))) return name
  }
}
