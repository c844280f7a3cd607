// Removing files, with what an interrupted write left beside them.
import {win32} from 'node:path'
import type {Files} from '../../machine/files.js'
import type {StepContext} from '../run/step.js'

/** Removes a file or folder that exists, and reports it. */
export async function removePath(
  {changed, host}: Pick<StepContext, 'changed' | 'host'>,
  path: string,
  remark = '',
): Promise<void> {
  if (!(await host.files.status(path))) return
  await host.files.remove(path)
  changed(`remove ${path}${remark}`)
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
