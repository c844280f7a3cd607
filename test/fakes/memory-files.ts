// Files in memory, as Windows has them: names without case, folders that must exist, links told as links.
import {createHash} from 'node:crypto'
import {win32} from 'node:path'

import {FileError, type Files} from '../../src/machine/files.js'

interface Entry {
  readonly content?: Buffer
  /** Stays with the file when it is renamed. */
  readonly identity: string
  readonly modifiedMs: number
  /** With the case it was made with. */
  readonly path: string
}

export interface MemoryFiles extends Files {
  /** Every path that holds a file, with its text. */
  contents(): Record<string, string>
  /** Set by `write` with an SDDL. */
  readonly sddl: Map<string, string>
}

export function memoryFiles(start: Readonly<Record<string, string | Buffer>> = {}): MemoryFiles {
  const entries = new Map<string, Entry>([[keyOf('C:\\'), {identity: '0', modifiedMs: 0, path: 'C:\\'}]])
  const sddl = new Map<string, string>()
  let time = 0
  const put = (path: string, content?: Buffer, identity?: string): void => {
    time += 1
    const known = entries.get(keyOf(path))
    entries.set(keyOf(path), {
      ...(content ? {content} : {}),
      identity: identity ?? known?.identity ?? String(time),
      modifiedMs: time,
      path: known?.path ?? path,
    })
  }

  const makeFolders = (path: string): void => {
    if (entries.has(keyOf(path))) return
    makeFolders(win32.dirname(path))
    put(win32.normalize(path))
  }

  const demandFolder = (operation: string, path: string): void => {
    const folder = entries.get(keyOf(win32.dirname(path)))
    if (!folder || folder.content) throw new FileError(operation, path, 'ENOENT')
  }

  const read = (path: string): Buffer | undefined => entries.get(keyOf(path))?.content
  const demand = (path: string): Buffer => {
    const content = read(path)
    if (!content) throw new FileError('read', path, 'ENOENT')
    return content
  }

  for (const [path, content] of Object.entries(start)) {
    makeFolders(win32.dirname(path))
    put(path, Buffer.from(content))
  }

  return {
    async append(path, text) {
      demandFolder('append to', path)
      put(path, Buffer.concat([read(path) ?? Buffer.alloc(0), Buffer.from(text)]))
    },
    contents: () =>
      Object.fromEntries(
        [...entries.values()].flatMap((entry) => (entry.content ? [[entry.path, entry.content.toString('utf8')]] : [])),
      ),
    digest: async (path, algorithm) => createHash(algorithm).update(demand(path)).digest('hex'),
    list: async (path) =>
      [...entries.values()]
        .filter((entry) => keyOf(win32.dirname(entry.path)) === keyOf(path) && keyOf(entry.path) !== keyOf(path))
        .map((entry) => win32.basename(entry.path))
        .sort(),
    async makeDirectory(path) {
      makeFolders(path)
    },
    read: async (path) => read(path),
    async *readChunks(path) {
      const content = demand(path)
      // Small pieces, so that whoever reads them meets every cut.
      for (let offset = 0; offset < content.length; offset += 1000) yield content.subarray(offset, offset + 1000)
    },
    async readRange(path, start, length) {
      const entry = entries.get(keyOf(path))
      if (!entry) return undefined
      const {content, identity} = entry
      if (!content) throw new FileError('read', path, 'EISDIR')
      return {bytes: content.subarray(start, start + length), identity, size: content.length}
    },
    async remove(path) {
      const top = keyOf(path)
      for (const key of [...entries.keys()]) if (key === top || key.startsWith(`${top}\\`)) entries.delete(key)
    },
    async rename(from, to) {
      demandFolder('rename', to)
      const content = demand(from)
      const {identity} = entries.get(keyOf(from))!
      entries.delete(keyOf(from))
      entries.delete(keyOf(to))
      put(to, content, identity)
    },
    sddl,
    async status(path) {
      const entry = entries.get(keyOf(path))
      if (!entry) return undefined
      const {content, modifiedMs} = entry
      return {kind: content ? 'file' : 'directory', modifiedMs, size: content?.length ?? 0}
    },
    async write(path, data, options) {
      demandFolder('write', path)
      put(path, Buffer.from(data))
      if (options?.sddl !== undefined) sddl.set(path, options.sddl)
    },
    async writeChunks(path, chunks) {
      demandFolder('write', path)
      const all: Uint8Array[] = []
      for await (const chunk of chunks) all.push(chunk)
      put(path, Buffer.concat(all))
      return Buffer.concat(all).length
    },
  }
}

const keyOf = (path: string): string => win32.normalize(path).toLowerCase().replace(/\\$/, '')
