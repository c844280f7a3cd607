// Folders of the machine the simulator runs on.
import {existsSync, mkdirSync} from 'node:fs'
import {dirname} from 'node:path'

/** Level by level: Node's own recursive way never ends where a folder takes nothing new and says ENOENT, as /proc does. */
export function makeFolder(path: string): void {
  if (existsSync(path)) return
  const parent = dirname(path)
  if (parent !== path) makeFolder(parent)
  try {
    mkdirSync(path)
  } catch (error) {
    // Another process may have made it just now.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
