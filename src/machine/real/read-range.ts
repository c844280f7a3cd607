// A piece of a file that others write, rename and remove meanwhile.
import {open} from 'node:fs/promises'
import type {FileRange} from '../files.js'

/**
 * Opened for this one read: a handle held longer would keep a removed file's name taken on Windows, and a daemon could not
 * begin its next log. libuv opens with all of FILE_SHARE_READ, WRITE and DELETE (src/win/fs.c, fs__open), so that neither
 * who has the file open already nor who renames it just now is in the way.
 */
export async function readRange(file: string, start: number, length: number): Promise<FileRange> {
  const handle = await open(file, 'r')
  try {
    // As bigint: NTFS keeps a counter in the upper bits, which a number would round away.
    const {birthtimeNs, dev, ino, size} = await handle.stat({bigint: true})
    const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, Number(size) - start)))
    let filled = 0
    while (filled < bytes.length) {
      const {bytesRead} = await handle.read(bytes, filled, bytes.length - filled, start + filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    return {bytes: bytes.subarray(0, filled), identity: `${dev}:${ino}:${bornAt(birthtimeNs)}`, size: Number(size)}
  } finally {
    await handle.close()
  }
}

/**
 * Linux gives the number of a file that is gone to the next one: only its birth tells them apart. On NTFS the number has a
 * count of its own for that, and the time of birth is no help: a new file of the same name inherits it (file tunneling).
 */
const bornAt = (birthtimeNs: bigint): string => (process.platform === 'win32' ? '' : String(birthtimeNs))
