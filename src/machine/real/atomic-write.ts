// Writes beside the target and renames: readers see the old content or the new, also after a power cut.
import {randomUUID} from 'node:crypto'
import type {FileHandle} from 'node:fs/promises'
import {open, rename, rm} from 'node:fs/promises'
import path from 'node:path'
import {asFileError, CHANGE_PATIENCE_MS} from './file-retry.js'
import type {Retry} from './file-retry.js'

interface AtomicWrite {
  /** Makes the empty file itself, with what it must have before its first byte. */
  readonly create?: (temporaryPath: string) => Promise<void>
  readonly retry: Retry
  readonly target: string
}

export async function writeAtomically(
  {create, retry, target}: AtomicWrite,
  fill: (file: FileHandle) => Promise<number>,
): Promise<number> {
  const attempt = {operation: 'write', path: target, patienceMs: CHANGE_PATIENCE_MS}
  const temporary = `${target}.${randomUUID()}.tmp`
  const native = path.toNamespacedPath(temporary)
  if (create) await retry(attempt, () => create(temporary))
  let done = false
  try {
    const file = await retry(attempt, () => open(native, create ? 'r+' : 'wx'))
    let bytes: number
    try {
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
