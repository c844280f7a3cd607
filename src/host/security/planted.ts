// Folders that k8s-win restricts, and that were there before: what another account put into them is not used.
import {win32} from 'node:path'
import type {Host} from '../host.js'

/** Throws where another account may have made, or can change, a folder or what is directly in it. */
export async function demandNothingPlanted(
  {files, trust}: Pick<Host, 'files' | 'trust'>,
  folders: readonly string[],
): Promise<void> {
  for (const folder of folders) {
    if (!(await trust.demand(folder, 'folder')) || (await files.status(folder))?.kind !== 'directory') continue
    for (const name of await files.list(folder)) {
      const path = win32.join(folder, name)
      const kind = (await files.status(path))?.kind
      await trust.demand(path, kind === 'file' ? 'data' : 'folder')
    }
  }
}
