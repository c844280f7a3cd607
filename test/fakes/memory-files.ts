// Files in memory that begin with some text, and can be checked as a whole.
import {win32} from 'node:path'

import {FileError, type Files} from '../../src/machine/files.js'
import {MemoryHost} from './memory-host.js'

export interface MemoryFiles extends Files {
  /** Every path that holds a file, with its text. */
  contents(): Record<string, string>
  /** By lower-cased path, as `write` was asked for it. */
  readonly sddl: Readonly<Record<string, string>>
}

/** Small pieces, so that whoever reads them meets every cut. */
const CHUNK = 1000

export function memoryFiles(start: Readonly<Record<string, string | Buffer>> = {}): MemoryFiles {
  const host = new MemoryHost()
  const sddl: Record<string, string> = {}
  for (const [path, content] of Object.entries(start)) host.put(path, content)
  const files = host.openDrive({digestOf: () => undefined, keep: () => {}, security: () => sddl})
  const textsIn = (folder: string): [string, string][] =>
    host.entries.inside(folder).flatMap(({entry, name}) => {
      const path = win32.join(folder, name)
      if (entry.kind === 'directory') return textsIn(path)
      return entry.kind === 'file' ? [[path, entry.bytes.toString('utf8')] as [string, string]] : []
    })
  return {
    ...files,
    contents: () => Object.fromEntries(textsIn('C:\\')),
    async *readChunks(path) {
      for await (const bytes of files.readChunks(path)) {
        for (let offset = 0; offset < bytes.length; offset += CHUNK) yield bytes.subarray(offset, offset + CHUNK)
      }
    },
    sddl,
    // As real files: libuv calls a name that Windows does not take one that is not there (ERROR_INVALID_NAME is ENOENT).
    status: (path) =>
      files.status(path).catch((error: unknown) => {
        if (error instanceof FileError && error.code === 'EINVAL') return undefined
        throw error
      }),
    // In place, as a daemon cuts off its own log: it stays the same file.
    async write(path, data, options) {
      const before = host.entries.find(path)
      await files.write(path, data, options)
      const after = host.entries.find(path)
      if (before.kind === 'file' && after.kind === 'file') host.entries.set(path, {...after, id: before.id})
    },
  }
}
