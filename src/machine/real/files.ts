// Files of this machine. Every call waits out transient locks and rejects with a FileError.
import {createHash, randomUUID} from 'node:crypto'
import type {Stats} from 'node:fs'
import {
  appendFile,
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  rename,
  rmdir,
  unlink,
} from 'node:fs/promises'
import path from 'node:path'
import type {Clock} from '../clock.js'
import type {FileKind, FileRange, Files} from '../files.js'
import {asFileError, CHANGE_PATIENCE_MS, errorCode, fileRetry, READ_PATIENCE_MS, type Retry} from './file-retry.js'
import {removeTree} from './remove-tree.js'
import type {Removal} from './win32/remove-by-handle.js'
import type {SecuredFiles} from './win32/secured-files.js'

/** Large files are read in pieces of this size: one of 64 KiB costs more to hand over than to read. */
const PIECE = 512 * 1024

interface FilesContext {
  readonly clock: Clock
  /** Windows' own way to remove: by handles. Elsewhere there is none. */
  readonly removal?: Removal
  /** Windows' own way to make what has a security descriptor from the first; elsewhere there is none. */
  readonly secured?: SecuredFiles
}

export function openFiles({clock, removal, secured}: FilesContext): Files {
  const retry = fileRetry(clock)
  const read = <T>(operation: string, file: string, work: (native: string) => Promise<T>) =>
    retry({operation, path: file, patienceMs: READ_PATIENCE_MS}, () => work(nativePath(file)))
  const change = <T>(operation: string, file: string, work: (native: string) => Promise<T>) =>
    retry({operation, path: file, patienceMs: CHANGE_PATIENCE_MS}, () => work(nativePath(file)))
  const status = (file: string) => read('inspect', file, (native) => orIfMissing(lstat(native), undefined))
  const isReparsePoint = async (file: string) => (await secured?.isReparsePoint(file)) ?? false
  const withSecurity = (): SecuredFiles => {
    if (!secured) throw new Error('security descriptors can be set on Windows only')
    return secured
  }

  const files: Files = {
    // fsync is FlushFileBuffers on Windows (libuv, src/win/fs.c). NTFS logs changes of names in their order, so what was made,
    // renamed or removed before is on the disk then, too (the assumption flush-order).
    append: (file, text, {flush = false} = {}) =>
      change('append to', file, (native) => appendFile(native, text, {flush})),
    async digest(file, algorithm) {
      const hash = createHash(algorithm)
      for await (const chunk of files.readChunks(file)) hash.update(chunk)
      return hash.digest('hex')
    },
    async list(folder) {
      const names = await read('list', folder, (native) => orIfMissing(readdir(native), []))
      return names.sort()
    },
    async makeDirectory(folder, {security} = {}) {
      if (security !== undefined) {
        const {createFolder} = withSecurity()
        for (const absent of await absentFolders(folder, files.status)) {
          await change('create', absent, () => createFolder(absent, security))
        }
      }
      // Fails where a file is in the folder's place.
      await change('create', folder, (native) => mkdir(native, {recursive: true}))
    },
    read: (file) => read('read', file, (native) => orIfMissing<Buffer | undefined>(readFile(native), undefined)),
    async *readChunks(file) {
      const handle = await read('read', file, (native) => open(native, 'r'))
      try {
        // The handle is closed below, also when the consumer stops half-way.
        for await (const chunk of handle.createReadStream({autoClose: false, highWaterMark: PIECE}))
          yield chunk as Buffer
      } catch (error) {
        throw asFileError({operation: 'read', path: file}, error)
      } finally {
        await handle.close()
      }
    },
    readRange: (file, start, length) =>
      read('read', file, (native) => orIfMissing(readRange(native, start, length), undefined)),
    remove: (target) => change('remove', target, (native) => (removal ? removal.remove(target) : removeTree(native))),
    removeEmpty: (folder) =>
      change('remove', folder, (native) => (removal ? removal.removeEmpty(folder) : removeEmpty(native))),
    async rename(from, to) {
      const [source, replaced] = [await status(from), await status(to)]
      // A file replaces a file in one step; folders have to make way first.
      if (replaced && source && (replaced.isDirectory() || source.isDirectory()) && !isSame(from, to)) {
        await files.remove(to)
      }
      await change('rename', from, (native) => rename(native, nativePath(to)))
    },
    async status(target) {
      const found = await status(target)
      if (!found) return undefined
      const isLink = found.isDirectory() && (await isReparsePoint(target))
      const kind = isLink ? 'link' : kindOf(found)
      const beside = await besideOf(kind, nativePath(target))
      return {...beside, kind, ...linksOf(kind, found), modifiedMs: found.mtimeMs, size: found.size}
    },
    async write(target, data, options = {}) {
      const {sddl} = options
      const create =
        sddl === undefined ? {} : {create: (temporary: string) => withSecurity().createFile(temporary, sddl)}
      await writeAtomically({...create, retry, target}, async (file) => {
        await file.writeFile(data)
        return data.length
      })
    },
    writeChunks: (target, chunks) =>
      writeAtomically({retry, target}, async (file) => {
        let bytes = 0
        for await (const chunk of chunks) {
          await file.writeFile(chunk)
          bytes += chunk.byteLength
        }
        return bytes
      }),
  }
  return files
}

/** Beyond Windows' limit of 260 characters; the same elsewhere. A drive's root is never long, and Wine knows no \\?\C:\. */
function nativePath(file: string): string {
  return path.parse(file).root === file ? file : path.toNamespacedPath(file)
}

async function orIfMissing<T>(work: Promise<T>, missing: T): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return missing
    throw error
  }
}

async function removeEmpty(folder: string): Promise<boolean> {
  try {
    await rmdir(folder)
    return true
  } catch (error) {
    if (['EEXIST', 'ENOENT', 'ENOTDIR', 'ENOTEMPTY'].includes(errorCode(error))) return false
    throw error
  }
}

/** This folder and its parents, outermost first, as far as they are not there. */
async function absentFolders(folder: string, status: Files['status']): Promise<string[]> {
  const parent = path.dirname(folder)
  if (parent === folder || (await status(folder))) return []
  return [...(await absentFolders(parent, status)), folder]
}

/** "Replacing" a folder by itself under another case must not remove it. */
function isSame(one: string, other: string): boolean {
  return path.resolve(one).toLowerCase() === path.resolve(other).toLowerCase()
}

/** Only of files: some file systems count what is in a folder. */
export const linksOf = (kind: FileKind, {nlink}: Pick<Stats, 'nlink'>): {links?: number} =>
  kind === 'file' && nlink > 1 ? {links: nlink} : {}

/** Where a link leads, if that is in its own folder. Windows may return it in the long spelling. */
export async function besideOf(kind: FileKind, native: string): Promise<{beside?: string}> {
  const target = kind === 'link' ? await readlink(native).catch(() => undefined) : undefined
  if (target === undefined) return {}
  const plain = (file: string): string => path.resolve(file.replace(/^\\\\\?\\/, ''))
  const folder = path.dirname(plain(native))
  const to = path.resolve(folder, target.replace(/^\\\\\?\\/, ''))
  return path.dirname(to).toLowerCase() === folder.toLowerCase() ? {beside: path.basename(to)} : {}
}

export function kindOf(stats: Stats): FileKind {
  if (stats.isSymbolicLink()) return 'link'
  if (stats.isDirectory()) return 'directory'
  return stats.isFile() ? 'file' : 'other'
}

interface AtomicWrite {
  /** Makes the empty file itself, with what it must have before its first byte. */
  readonly create?: (temporaryPath: string) => Promise<void>
  readonly retry: Retry
  readonly target: string
}

async function writeAtomically(
  {create, retry, target}: AtomicWrite,
  fill: (file: FileHandle) => Promise<number>,
): Promise<number> {
  const attempt = {operation: 'write', path: target, patienceMs: CHANGE_PATIENCE_MS}
  const temporary = `${target}.${randomUUID()}.tmp`
  const native = path.toNamespacedPath(temporary)
  if (create) await retry(attempt, () => create(temporary))
  let done = false
  try {
    // On Linux and macOS only its owner reads it: a report, a bundle or a volume can have what others must not see.
    const file = await retry(attempt, () => open(native, create ? 'r+' : 'wx', 0o600))
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
    if (!done)
      await retry({...attempt, operation: 'remove', path: temporary}, () => orIfMissing(unlink(native), undefined))
  }
}

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
 * Linux gives the number of a file that is gone to the next one: only its creation time distinguishes them. On NTFS the number has a
 * count of its own for that, and the time of birth does not help: a new file of the same name inherits it (file tunneling).
 */
const bornAt = (birthtimeNs: bigint): string => (process.platform === 'win32' ? '' : String(birthtimeNs))
