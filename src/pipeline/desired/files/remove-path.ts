// Removing files, with what an interrupted write left beside them.
import {win32} from 'node:path'
import type {Files} from '../../../machine/files.js'
import type {StepContext} from '../../run/step.js'

/** How the line of a folder ends: the same words in plans, in the question of reset and in docs. */
export const WITH_CONTENT = ', with everything in it'
export const IF_EMPTY = ', only if empty'

/** Removes a file, or a folder with everything in it, if it exists, and reports it. */
export async function removePath(
  {changed, host}: Pick<StepContext, 'changed' | 'host'>,
  path: string,
  remark = '',
): Promise<void> {
  const found = await host.files.status(path)
  if (!found) return
  await host.files.remove(path)
  changed(`remove ${path}${remark}${found.kind === 'directory' ? WITH_CONTENT : ''}`)
}

/** A folder; what others put into it after the question is kept, and the folder with it. */
export async function removeIfEmpty(
  {changed, host: {files}}: Pick<StepContext, 'changed' | 'host'>,
  path: string,
  remark = '',
): Promise<void> {
  if ((await files.status(path))?.kind !== 'directory' || (await files.list(path)).length > 0) return
  if (await files.removeEmpty(path)) changed(`remove ${path}${remark}${IF_EMPTY}`)
}

/** Removes a recorded file, with what interrupted writes left of it; one that was there before setup is restored. */
export async function removeFile<C extends Pick<StepContext, 'changed' | 'host'>>(
  context: C,
  path: string,
  previous: string | undefined,
  remove: (context: C, path: string) => Promise<void> = removePath,
): Promise<void> {
  const {files} = context.host
  for (const temporary of await temporariesOf(files, path)) await files.remove(temporary)
  const isAside = previous !== undefined && (await files.status(previous)) !== undefined
  // Not kept aside: it was never touched, or is restored already, so it is not k8s-win's.
  if (previous !== undefined && !isAside) return
  await remove(context, path)
  if (!isAside) return
  await files.rename(previous, path)
  context.changed(`restore ${path}`)
}

/** How the name of a temporary file of an atomic write ends (src/machine/real/files.ts). */
export const TEMPORARY = /\.[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.tmp$/i

/** Temporary files that interrupted writes of this file left. */
export async function temporariesOf(files: Files, path: string): Promise<string[]> {
  const [folder, start] = [win32.dirname(path), win32.basename(path).toLowerCase()]
  const isTemporary = (name: string): boolean =>
    TEMPORARY.test(name) && name.toLowerCase().replace(TEMPORARY, '') === start
  return (await files.list(folder)).filter(isTemporary).map((name) => win32.join(folder, name))
}
