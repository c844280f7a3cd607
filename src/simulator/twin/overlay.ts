// The twin's drive: the host's, read through, with the twin's own changes above it. The host's stays as it is.
import {createHash} from 'node:crypto'
import {win32} from 'node:path'

import type {DigestAlgorithm, Files, FileStatus} from '../../machine/files.js'
import {FileError} from '../../machine/files.js'
import {keyOf, OverlayEntries} from './overlay-entries.js'

export interface OverlayOptions {
  /** The digest of what these bytes stand for, or undefined where they stand for themselves. */
  readonly digestOf: (bytes: Buffer, algorithm: DigestAlgorithm) => string | undefined
  readonly host: Files
  readonly now: () => number
  readonly security: OverlaySecurity
}

/** What becomes of the security descriptors of files that are made, moved and removed. */
export interface OverlaySecurity {
  made(path: string, sddl: string | undefined): void
  moved(from: string, to: string): Promise<void>
  removed(path: string): void
}

export function createOverlay({digestOf, host, now, security}: OverlayOptions): Files {
  const entries = new OverlayEntries()

  const status = async (path: string): Promise<FileStatus | undefined> => {
    const found = entries.find(path)
    switch (found.kind) {
      case 'directory':
        return {kind: 'directory', modifiedMs: found.modifiedMs, size: 0}
      case 'file':
        return {kind: 'file', modifiedMs: found.modifiedMs, size: found.bytes.length}
      case 'gone':
        return undefined
      default:
        return host.status(found.path)
    }
  }

  const read = async (path: string): Promise<Buffer | undefined> => {
    const found = entries.find(path)
    if (found.kind === 'file') return found.bytes
    if (found.kind === 'host' || found.kind === 'renamed') return host.read(found.path)
    if (found.kind === 'directory') throw new FileError('read', path, 'EISDIR')
    return undefined
  }

  const list = async (path: string): Promise<string[]> => {
    const found = entries.find(path)
    const own = entries.inside(path)
    const hidden = new Set(own.map(({name}) => name.toLowerCase()))
    const below = found.kind === 'host' ? await host.list(found.path) : []
    const kept = below.filter((name) => !hidden.has(name.toLowerCase()))
    return [...kept, ...own.flatMap(({entry, name}) => (entry.kind === 'gone' ? [] : [name]))].sort()
  }

  const demandFolder = async (operation: string, path: string): Promise<void> => {
    if ((await status(win32.dirname(path)))?.kind !== 'directory') throw new FileError(operation, path, 'ENOENT')
  }

  const put = async (operation: string, path: string, bytes: Buffer, sddl?: string): Promise<void> => {
    await demandFolder(operation, path)
    if ((await status(path))?.kind === 'directory') throw new FileError(operation, path, 'EPERM')
    entries.set(path, {bytes, kind: 'file', modifiedMs: now()})
    security.made(path, sddl)
  }

  const move = async (from: string, to: string): Promise<void> => {
    const kind = (await status(from))?.kind
    const found = entries.find(from)
    if (kind === 'directory') {
      const names = await list(from)
      entries.set(to, {kind: 'directory', modifiedMs: now()})
      for (const name of names) await move(win32.join(from, name), win32.join(to, name))
    } else entries.set(to, found.kind === 'host' ? {kind: 'renamed', path: found.path} : found)
  }

  return {
    async append(path, text) {
      const before = (await status(path)) ? await read(path) : undefined
      const bytes = Buffer.concat([before ?? Buffer.alloc(0), Buffer.from(text)])
      if (!before) return put('append to', path, bytes)
      entries.set(path, {bytes, kind: 'file', modifiedMs: now()})
    },
    async digest(path, algorithm) {
      const found = entries.find(path)
      if (found.kind === 'host' || found.kind === 'renamed') return host.digest(found.path, algorithm)
      const bytes = await read(path)
      if (!bytes) throw new FileError('read', path, 'ENOENT')
      return digestOf(bytes, algorithm) ?? createHash(algorithm).update(bytes).digest('hex')
    },
    list,
    async makeDirectory(path, options) {
      const absent: string[] = []
      for (let folder = path; ; folder = win32.dirname(folder)) {
        const kind = (await status(folder))?.kind
        if (kind === 'file') throw new FileError('make', path, folder === path ? 'EEXIST' : 'ENOTDIR')
        if (kind !== undefined || folder === win32.dirname(folder)) break
        absent.unshift(folder)
      }

      for (const folder of absent) {
        entries.set(folder, {kind: 'directory', modifiedMs: now()})
        security.made(folder, options?.security)
      }
    },
    read,
    async *readChunks(path) {
      const found = entries.find(path)
      if (found.kind === 'host' || found.kind === 'renamed') {
        yield* host.readChunks(found.path)
        return
      }

      const bytes = await read(path)
      if (!bytes) throw new FileError('read', path, 'ENOENT')
      yield bytes
    },
    async readRange(path, start, length) {
      const found = entries.find(path)
      if (found.kind === 'host' || found.kind === 'renamed') return host.readRange(found.path, start, length)
      const bytes = await read(path)
      // A file of the twin is known by its name: nobody follows one that is renamed.
      return bytes && {bytes: bytes.subarray(start, start + length), identity: keyOf(path), size: bytes.length}
    },
    async remove(path) {
      if (win32.dirname(path) === win32.normalize(path)) throw new FileError('remove', path, 'EPERM')
      if (!(await status(path))) return
      entries.remove(path)
      security.removed(path)
    },
    async rename(from, to) {
      const source = await status(from)
      if (!source) throw new FileError('rename', from, 'ENOENT')
      // Another spelling of the same name: nothing that anybody here looks at.
      if (keyOf(from) === keyOf(to)) return
      await demandFolder('rename', to)
      // MoveFileEx replaces files only.
      if ((await status(to))?.kind === 'directory') throw new FileError('rename', from, 'EPERM')
      await security.moved(from, to)
      await move(from, to)
      entries.remove(from)
    },
    status,
    write: (path, data, options) => put('write', path, Buffer.from(data), options?.sddl),
    async writeChunks(path, chunks) {
      const parts: Uint8Array[] = []
      for await (const chunk of chunks) parts.push(chunk)
      const bytes = Buffer.concat(parts)
      await put('write', path, bytes)
      return bytes.length
    },
  }
}
