// Changes in memory above another drive, which stays unchanged.
import {createHash} from 'node:crypto'
import {win32} from 'node:path'

import {type DigestAlgorithm, FileError, type Files, type FileStatus} from '../machine/files.js'
import {DriveEntries, type FileEntry, type FoundEntry, keyOf} from './drive-entries.js'

export interface OverlayOptions {
  /** The drive below. */
  readonly below: Files
  /** The digest of what a stand-in stands for; undefined for all other bytes. */
  readonly digestOf: (bytes: Buffer, algorithm: DigestAlgorithm) => string | undefined
  readonly entries?: DriveEntries
  readonly now: () => number
  readonly security?: DriveSecurity
}

/** Keeps the security descriptors of files that are created, moved and removed. */
export interface DriveSecurity {
  made(path: string, sddl: string | undefined): void
  moved(from: string, to: string): Promise<void> | void
  removed(path: string): void
}

const NO_SECURITY: DriveSecurity = {made: () => {}, moved: () => {}, removed: () => {}}

let nextId = 1

export const newFile = (bytes: Buffer, modifiedMs: number): FileEntry => ({
  bytes,
  id: String(nextId++),
  kind: 'file',
  modifiedMs,
})

export function createOverlay(options: OverlayOptions): Files {
  const {below, digestOf, entries = new DriveEntries(), now, security = NO_SECURITY} = options
  const find = (path: string): FoundEntry => (isOnDrive(path) ? entries.find(path) : {kind: 'below', path})

  const findToRead = (path: string): FoundEntry => {
    const found = find(path)
    return found.kind === 'link' ? findToRead(found.target) : found
  }

  const statusOf = async (path: string, found: FoundEntry): Promise<FileStatus | undefined> => {
    switch (found.kind) {
      case 'directory':
        return {kind: 'directory', modifiedMs: found.modifiedMs, size: 0}
      case 'file':
        return {
          kind: 'file',
          ...(found.links !== undefined && {links: found.links}),
          modifiedMs: found.modifiedMs,
          size: found.bytes.length,
        }
      case 'gone':
        return undefined
      case 'link':
        return {...besideOf(path, found.target), kind: 'link', modifiedMs: found.modifiedMs, size: 0}
      default:
        return below.status(found.path)
    }
  }

  const status = async (path: string): Promise<FileStatus | undefined> => statusOf(path, find(path))

  const bytesOf = (path: string, found: FoundEntry): Buffer | undefined => {
    if (found.kind === 'directory') throw new FileError('read', path, 'EISDIR')
    return found.kind === 'file' ? found.bytes : undefined
  }

  const read = async (path: string): Promise<Buffer | undefined> => {
    const found = findToRead(path)
    return isBelow(found) ? below.read(found.path) : bytesOf(path, found)
  }

  const list = async (path: string): Promise<string[]> => {
    const found = find(path)
    const own = isOnDrive(path) ? entries.inside(found.kind === 'link' ? found.target : entries.real(path)) : []
    const hidden = new Set(own.map(({name}) => name.toLowerCase()))
    const names = found.kind === 'below' ? await below.list(found.path) : []
    const kept = names.filter((name) => !hidden.has(name.toLowerCase()))
    return [...kept, ...own.flatMap(({entry, name}) => (entry.kind === 'gone' ? [] : [name]))].sort()
  }

  const demandFolder = async (operation: string, path: string): Promise<void> => {
    if ((await status(win32.dirname(path)))?.kind !== 'directory') throw new FileError(operation, path, 'ENOENT')
  }

  const put = async (operation: string, path: string, bytes: Buffer, sddl?: string): Promise<void> => {
    const found = entries.find(path)
    await demandFolder(operation, path)
    if ((await statusOf(path, found))?.kind === 'directory') throw new FileError(operation, path, 'EPERM')
    // As machine/real/files.ts does: its bytes are flushed, and then it gets its name.
    if (operation === 'write') entries.flush?.()
    entries.beginCall?.()
    entries.set(entries.real(path), newFile(bytes, now()))
    security.made(path, sddl)
  }

  const move = async (from: string, to: string): Promise<void> => {
    const found = find(from)
    if ((await statusOf(from, found))?.kind === 'directory') {
      const names = await list(from)
      entries.set(to, {kind: 'directory', modifiedMs: now()})
      for (const name of names) await move(win32.join(from, name), win32.join(to, name))
    } else entries.set(to, found.kind === 'below' ? {kind: 'renamed', path: found.path} : found)
  }

  const remove = async (path: string): Promise<void> => {
    const found = entries.find(path)
    if (win32.dirname(path) === win32.normalize(path)) throw new FileError('remove', path, 'EPERM')
    if (!(await statusOf(path, found))) return
    entries.beginCall?.()
    entries.remove(entries.real(path))
    security.removed(path)
  }

  return {
    async append(path, text, {flush = false} = {}) {
      const found = entries.find(path)
      const before = (await statusOf(path, found)) ? await read(path) : undefined
      if (!before) await put('append to', path, Buffer.alloc(0))
      const bytes = appended(before ?? Buffer.alloc(0), text)
      const {unflushed = 0, ...file} = before && found.kind === 'file' ? found : newFile(bytes, now())
      const more = flush ? {} : {unflushed: unflushed + bytes.length - (before?.length ?? 0)}
      entries.replace(entries.real(path), {...file, ...more, bytes, modifiedMs: now()})
      if (flush) entries.flush?.()
    },
    async digest(path, algorithm) {
      const found = findToRead(path)
      if (isBelow(found)) return below.digest(found.path, algorithm)
      const bytes = bytesOf(path, found)
      if (!bytes) throw new FileError('read', path, 'ENOENT')
      return digestOf(bytes, algorithm) ?? plainDigest(bytes, algorithm)
    },
    list,
    async makeDirectory(path, made) {
      const absent: string[] = []
      for (let folder = path; ; folder = win32.dirname(folder)) {
        const kind = (await status(folder))?.kind
        if (kind === 'file') throw new FileError('create', path, folder === path ? 'EEXIST' : 'ENOTDIR')
        if (kind !== undefined || folder === win32.dirname(folder)) break
        absent.unshift(folder)
      }

      for (const folder of absent) {
        entries.beginCall?.()
        entries.set(entries.real(folder), {kind: 'directory', modifiedMs: now()})
        security.made(folder, made?.security)
      }
    },
    read,
    async *readChunks(path) {
      const found = findToRead(path)
      if (isBelow(found)) {
        yield* below.readChunks(found.path)
        return
      }

      const bytes = bytesOf(path, found)
      if (!bytes) throw new FileError('read', path, 'ENOENT')
      yield bytes
    },
    async readRange(path, start, length) {
      const found = findToRead(path)
      if (isBelow(found)) return below.readRange(found.path, start, length)
      const bytes = bytesOf(path, found)
      if (!bytes || found.kind !== 'file') return undefined
      return {bytes: bytes.subarray(start, start + length), identity: found.id, size: bytes.length}
    },
    remove,
    async removeEmpty(path) {
      if ((await status(path))?.kind !== 'directory' || (await list(path)).length > 0) return false
      await remove(path)
      return true
    },
    async rename(from, to) {
      const source = entries.find(from)
      const target = entries.find(to)
      if (!(await statusOf(from, source))) throw new FileError('rename', from, 'ENOENT')
      if (keyOf(from) === keyOf(to)) {
        entries.respell(to)
        return
      }

      await demandFolder('rename', to)
      // MoveFileEx replaces files only.
      if ((await statusOf(to, target))?.kind === 'directory') throw new FileError('rename', from, 'EPERM')
      entries.beginCall?.()
      entries.remove(entries.real(to))
      await move(entries.real(from), entries.real(to))
      entries.remove(entries.real(from))
      await security.moved(from, to)
    },
    status,
    write: (path, data, written) => put('write', path, Buffer.from(data), written?.sddl),
    async writeChunks(path, chunks) {
      // First, so that a missing folder fails before the content is made.
      await demandFolder('write', path)
      const parts: Uint8Array[] = []
      for await (const chunk of chunks) parts.push(chunk)
      const [first] = parts
      const bytes = parts.length === 1 && Buffer.isBuffer(first) ? first : Buffer.concat(parts)
      await put('write', path, bytes)
      return bytes.length
    },
  }
}

/** Bytes on a drive are never changed, only replaced, and copies of a host share them. */
const digests = new WeakMap<Buffer, Partial<Record<DigestAlgorithm, string>>>()

function plainDigest(bytes: Buffer, algorithm: DigestAlgorithm): string {
  const known = digests.get(bytes) ?? {}
  digests.set(bytes, known)
  return (known[algorithm] ??= createHash(algorithm).update(bytes).digest('hex'))
}

export const isOnDrive = (path: string): boolean => /^(?:\\\\\?\\)?[A-Za-z]:|^[\\/]{2}/.test(path)

/**
 * Logs grow by thousands of lines: each is written into room that was left behind the last one. Who has the file as it was
 * before (a copy of the host) does not see it, and writes its own elsewhere.
 */
function appended(bytes: Buffer, text: string): Buffer {
  const length = bytes.length + Buffer.byteLength(text)
  let room = bytes.buffer
  if (ends.get(room) !== bytes.length || room.byteLength < length) {
    room = new ArrayBuffer(2 * length)
    Buffer.from(room).set(bytes)
  }

  const all = Buffer.from(room, 0, length)
  all.write(text, bytes.length)
  ends.set(room, length)
  return all
}

/** How much of a buffer is in use. */
const ends = new WeakMap<ArrayBufferLike, number>()

/** Where a link leads, if that is in its own folder. */
const besideOf = (path: string, target: string): {beside?: string} =>
  keyOf(win32.dirname(path)) === keyOf(win32.dirname(target)) ? {beside: win32.basename(target)} : {}

const isBelow = (found: FoundEntry): found is FoundEntry & {readonly path: string} =>
  found.kind === 'below' || found.kind === 'renamed'
