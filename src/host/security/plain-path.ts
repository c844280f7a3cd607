// Whether a path leads where it says.
import {win32} from 'node:path'
import type {Files} from '../../machine/files.js'

/** True where neither the path nor anything above it is a link, a junction or a mount point. What is not there yet is none. */
export async function isPlainPath(files: Pick<Files, 'status'>, path: string): Promise<boolean> {
  const parent = win32.dirname(path)
  if (parent === path) return true
  return (await isPlainPath(files, parent)) && (await files.status(path))?.kind !== 'link'
}
