// Folders that were there before: what another account put into them is not used.
import {win32} from 'node:path'
import {UnusableFileError} from '../../errors/k8s-win-error.js'
import type {Files} from '../../machine/files.js'
import type {Trust} from './trust.js'

interface Calls {
  readonly files: Pick<Files, 'list' | 'status'>
  readonly trust: Pick<Trust, 'demand'>
}

/** Of folders that k8s-win restricts: throws where another account may have made, or can change, one or what is directly in it. */
export async function demandNothingPlanted(calls: Calls, folders: readonly string[]): Promise<void> {
  for (const folder of folders) await demandContent(calls, folder, 'folder')
}

/** More than any host has registries, or a containerd programs of its own. */
const MOST_PATHS = 1000

/** Of folders that a daemon reads down to the last file; nobody else may add to a closed one, which k8s-win does not restrict. */
export async function demandTrees(calls: Calls, folders: readonly string[], use: 'closed' | 'folder'): Promise<void> {
  const waiting = [...folders]
  for (let seen = 0, folder = waiting.shift(); folder !== undefined; folder = waiting.shift(), seen++) {
    if (seen > MOST_PATHS) throw new UnusableFileError(`uses more than ${MOST_PATHS} folders`)
    waiting.push(...(await demandContent(calls, folder, use)))
  }
}

/** Returns the folders in it. */
async function demandContent({files, trust}: Calls, folder: string, use: 'closed' | 'folder'): Promise<string[]> {
  const inside: string[] = []
  if (!(await trust.demand(folder, use)) || (await files.status(folder))?.kind !== 'directory') return inside
  for (const name of await files.list(folder)) {
    const path = win32.join(folder, name)
    const kind = (await files.status(path))?.kind
    await trust.demand(path, kind === 'file' ? 'data' : use)
    if (kind === 'directory') inside.push(path)
  }

  return inside
}
