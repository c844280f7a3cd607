// Removes a file or a whole folder without following a link, where there is no way to do it by handles (not on Windows).
import {lstat, readdir, rmdir, unlink} from 'node:fs/promises'
import path from 'node:path'
import {errorCode} from './file-retry.js'

export function removeTree(native: string): Promise<void> {
  // Names are bytes: a name that is not valid Unicode would not be found again as a string.
  return removeEntry(Buffer.from(native))
}

async function removeEntry(entry: Buffer): Promise<void> {
  try {
    if (!(await lstat(entry)).isDirectory()) return await unlink(entry)
    await removeChildren(entry)
    await rmdir(entry)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
}

/** One child that cannot be removed does not keep the others; the first error is reported. */
async function removeChildren(folder: Buffer): Promise<void> {
  const errors: unknown[] = []
  for (const name of await readdir(folder, {encoding: 'buffer'})) {
    try {
      await removeEntry(Buffer.concat([folder, Buffer.from(path.sep), name]))
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
}
