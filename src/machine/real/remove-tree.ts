// Removes a file or a whole folder without following a link, not even one that cannot be removed.
import {lstat, readdir, rmdir, unlink} from 'node:fs/promises'
import path from 'node:path'
import {errorCode} from './file-retry.js'

/** A folder that is not empty; Windows may report a missing right first (Node's lib/internal/fs/rimraf.js has the same set). */
const MAY_HAVE_CHILDREN = new Set(['EEXIST', 'ENOTEMPTY', 'EPERM'])

/** Reports the reparse points that Node takes for plain folders, such as the mount point of a volume. */
type IsReparsePoint = (path: string) => Promise<boolean>

/**
 * Node's own recursive `rm` is not safe here. Where Windows refuses to remove a junction, it calls `stat`, which follows
 * the junction, and removes the children of the junction's target (lib/internal/fs/rimraf.js, fixEPERM and _rmdir). Any user
 * can create a junction that denies DELETE, and k8s-win removes folders as SYSTEM.
 *
 * Both `unlink` and `rmdir` of libuv act on a reparse point itself, and `unlink` removes read-only files
 * (src/win/fs.c, fs__unlink_rmdir): no attribute has to be changed first, which would follow links.
 */
export function removeTree(native: string, isReparsePoint: IsReparsePoint): Promise<void> {
  // Names are bytes: a name that is not valid Unicode would not be found again as a string.
  return removeEntry(Buffer.from(native), isReparsePoint)
}

async function removeEntry(entry: Buffer, isReparsePoint: IsReparsePoint): Promise<void> {
  try {
    if (!(await lstat(entry)).isDirectory()) return await unlink(entry)
    // Removes an empty folder, and also a mount point, whatever its target contains.
    const refusal = await refusedRmdir(entry)
    if (refusal === undefined) return
    if (await mayLeadElsewhere(entry, isReparsePoint)) throw refusal
    await removeChildren(entry, isReparsePoint)
    await rmdir(entry)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
}

/** Undefined where the folder was removed. Throws where its children cannot be the reason. */
async function refusedRmdir(folder: Buffer): Promise<Error | undefined> {
  try {
    await rmdir(folder)
    return undefined
  } catch (error) {
    if (error instanceof Error && MAY_HAVE_CHILDREN.has(errorCode(error))) return error
    throw error
  }
}

/** The attributes of a name that is not valid Unicode cannot be read, so that such a folder is treated as a link. */
async function mayLeadElsewhere(folder: Buffer, isReparsePoint: IsReparsePoint): Promise<boolean> {
  const text = folder.toString()
  return !Buffer.from(text).equals(folder) || (await isReparsePoint(text))
}

/** One child that is in use does not keep the others; the first error is reported. */
async function removeChildren(folder: Buffer, isReparsePoint: IsReparsePoint): Promise<void> {
  const errors: unknown[] = []
  for (const name of await readdir(folder, {encoding: 'buffer'})) {
    try {
      await removeEntry(Buffer.concat([folder, Buffer.from(path.sep), name]), isReparsePoint)
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
}
