// Writes beside the target and renames: readers see the old content or the new, also after a power cut.
import {randomUUID} from 'node:crypto'
import type {FileHandle} from 'node:fs/promises'
import {open, rename, rm} from 'node:fs/promises'
import path from 'node:path'
import {asFileError, CHANGE_PATIENCE_MS} from './file-retry.js'
import type {Retry} from './file-retry.js'

interface AtomicWrite {
  /** Called on the empty file, before its first byte. */
  readonly prepare?: (temporaryPath: string) => Promise<void>
  readonly retry: Retry
  readonly target: string
}

export async function writeAtomically(
  {prepare, retry, target}: AtomicWrite,
  fill: (file: FileHandle) => Promise<number>,
): Promise<number> {
  const attempt = {operation: 'write', path: target, patienceMs: CHANGE_PATIENCE_MS}
  const temporary = `${target}.${randomUUID()}.tmp`
  const native = path.toNamespacedPath(temporary)
  const file = await retry(attempt, () => open(native, 'wx'))
  let done = false
  try {
    let bytes: number
    try {
      await prepare?.(temporary)
      bytes = await fill(file)
      await file.sync()
    } catch (error) {
      throw asFileError(attempt, error)
    } finally {
      await file.close()
    }
    await retry(attempt, () => rename(native, path.toNamespacedPath(target)))
    done = true
    return bytes
  } finally {
    if (!done) await retry({...attempt, operation: 'remove', path: temporary}, () => rm(native, {force: true}))
  }
}
