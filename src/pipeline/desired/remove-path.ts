// Removing files, with what a write that was cut short left beside them.
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

/** How the name ends of what an atomic write that was cut short leaves (src/machine/real/atomic-write.ts). */
export const TEMPORARY = /\.[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.tmp$/i

/** What an atomic write that was cut short leaves beside its file. */
export async function temporariesOf(files: Files, path: string): Promise<string[]> {
  const [folder, start] = [win32.dirname(path), win32.basename(path).toLowerCase()]
  const isTemporary = (name: string): boolean =>
    TEMPORARY.test(name) && name.toLowerCase().replace(TEMPORARY, '') === start
  return (await files.list(folder)).filter(isTemporary).map((name) => win32.join(folder, name))
}
