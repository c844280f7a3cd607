// A folder where k8s-win writes a file.
import type {Files} from '../../../machine/files.js'
import {damagedCopy} from '../../ledger/journal-format.js'

/** Its new path. No file can be put in the place of a folder, and none is deleted that k8s-win did not create. */
export async function moveFolderAside(
  files: Pick<Files, 'rename' | 'status'>,
  path: string,
): Promise<string | undefined> {
  if ((await files.status(path))?.kind !== 'directory') return undefined
  let aside = damagedCopy(path)
  // That of an earlier time.
  for (let nth = 2; await files.status(aside); nth++) aside = `${damagedCopy(path)}-${nth}`
  await files.rename(path, aside)
  return aside
}
