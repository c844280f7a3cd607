// Folders that were there before: what another account put into them is not used.
import {UnusableFileError} from '../../errors/k8s-win-error.js'
import type {Security} from './security.js'
import type {Trust} from './trust.js'

export interface Calls {
  readonly security: Pick<Security, 'survey'>
  readonly trust: Pick<Trust, 'demand'>
}

/** Of folders that k8s-win restricts: throws where another account may have made, or can change, one or what is directly in it. */
export async function demandNothingPlanted(calls: Calls, folders: readonly string[]): Promise<void> {
  for (const folder of folders) await demandContent(calls, folder, 'folder')
}

/** More than any host has registries, or a containerd programs of its own. */
const MOST_PATHS = 1000

/** Judges folders that a daemon reads down to the last file. `closed`: k8s-win does not restrict it, and only administrators may add to it. */
export async function demandTrees(calls: Calls, folders: readonly string[], use: 'closed' | 'folder'): Promise<void> {
  const waiting = [...folders]
  for (let seen = 0, folder = waiting.shift(); folder !== undefined; folder = waiting.shift(), seen++) {
    if (seen > MOST_PATHS) throw new UnusableFileError(`uses more than ${MOST_PATHS} folders`)
    waiting.push(...(await demandContent(calls, folder, use)))
  }
}

/**
 * Returns the folders in it. A link is used only if it leads to a file beside it (trust.ts, fileBeside). The survey also sees
 * Unix sockets, of which Node.js says EACCES (libuv#4936 is about the same).
 */
async function demandContent({security, trust}: Calls, folder: string, use: 'closed' | 'folder'): Promise<string[]> {
  if (!(await trust.demand(folder, use))) return []
  const [, ...inside] = await security.survey([{inside: true, path: folder}])
  for (const {kind, path} of inside) await trust.demand(path, kind === 'directory' ? use : 'data')
  return inside.flatMap(({kind, path}) => (kind === 'directory' ? [path] : []))
}
