// Drive C of the simulated host, kept in a folder; and, for reading only, files of the machine we run on.
import {createHash, randomUUID} from 'node:crypto'
import {appendFile, lstat, mkdir, open, readFile, readdir, rename, rm, symlink, writeFile} from 'node:fs/promises'
import {dirname, join, win32} from 'node:path'

import type {DigestAlgorithm, FileKind, Files} from '../machine/files.js'
import {FileError} from '../machine/files.js'
import {besideOf, linksOf} from '../machine/real/files.js'
import {readRange} from '../machine/real/read-range.js'
import type {Place} from './path-resolve.js'
import {resolveOnDrive} from './path-resolve.js'

export interface DriveOptions {
  /** The digest of what these bytes stand for, or undefined where they stand for themselves. */
  readonly digestOf: (bytes: Buffer, algorithm: DigestAlgorithm) => string | undefined
  /** The simulator's folder: the drive is in its folder "c". */
  readonly dir: string
  /** Keeps the security descriptors. Called before what they are for is there: a process may be killed in between. */
  readonly keep: () => void
  /** SDDL by lower-cased path. */
  readonly security: () => Record<string, string>
}

/** Without the rest of the host: what is written has what its folder gives it. */
export const openDrive = (dir: string): Files =>
  createDrive({digestOf: () => undefined, dir, keep: () => {}, security: () => ({})})

export function createDrive({dir, digestOf, keep, security}: DriveOptions): Files {
  const root = join(dir, 'c')
  /** Node's own errors, told with the path people know. */
  const attempt = async <T>(operation: string, path: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      const {code, syscall} = error as NodeJS.ErrnoException
      // What is not the system's refusal (the source of writeChunks failed) is passed on as it is.
      if (code === undefined || syscall === undefined) throw error
      throw new FileError(operation, path, code, {cause: error})
    }
  }

  const toRead = async (operation: string, path: string): Promise<string> =>
    resolveOnDrive(root, operation, path)?.real ?? path
  const toChange = async (operation: string, path: string): Promise<Place> => {
    const place = resolveOnDrive(root, operation, path)
    // Only the simulated drive is ours to change.
    if (!place) throw new FileError(operation, path, 'EROFS')
    return place
  }

  const readBytes = (operation: string, path: string): Promise<Buffer> =>
    attempt(operation, path, async () => readFile(await toRead(operation, path)))

  /** A new file has what its folder gives it, also where it takes the place of another. */
  const setSecurity = (sddl: string | undefined, ...paths: readonly string[]): void => {
    for (const path of paths) {
      if (sddl === undefined) delete security()[path.toLowerCase()]
      else security()[path.toLowerCase()] = sddl.startsWith('O:') ? sddl : `O:BA${sddl}`
    }

    keep()
  }

  const replace = async (
    place: Place,
    sddl: string | undefined,
    fill: (temporary: string) => Promise<void>,
  ): Promise<void> => {
    // As the real one does (machine/real/atomic-write.ts): a run that is killed leaves it there.
    const end = `.${randomUUID()}.tmp`
    const temporary = `${place.real}${end}`
    // What only administrators may read is so from its first byte.
    if (sddl !== undefined) setSecurity(sddl, `${place.given}${end}`)
    try {
      // Asked first, so that a missing folder fails as it does on Windows and not after the content was made.
      await lstat(dirname(place.real))
      await fill(temporary)
      delete security()[`${place.given}${end}`.toLowerCase()]
      setSecurity(sddl, place.given)
      await rename(temporary, place.real)
    } finally {
      await rm(temporary, {force: true})
      delete security()[`${place.given}${end}`.toLowerCase()]
    }
  }

  return {
    append: (path, text) =>
      attempt('append to', path, async () => appendFile((await toChange('append to', path)).real, text)),
    async digest(path, algorithm) {
      const bytes = await readBytes('read', path)
      return digestOf(bytes, algorithm) ?? createHash(algorithm).update(bytes).digest('hex')
    },
    list: (path) =>
      attempt('list', path, async () => (await readdir(await toRead('list', path))).sort()).catch(absent([])),
    makeDirectory: (path, options) =>
      attempt('make', path, async () => {
        const place = await toChange('make', path)
        setSecurity(options?.security, ...innermost(place.given, await absentDepth(place.real)))
        await mkdir(place.real, {recursive: true})
      }),
    read: (path) => readBytes('read', path).catch(absent(undefined)),
    async *readChunks(path) {
      const file = await attempt('read', path, async () => open(await toRead('read', path)))
      try {
        for await (const chunk of file.createReadStream({autoClose: false})) yield chunk as Uint8Array
      } finally {
        await file.close()
      }
    },
    readRange: (path, start, length) =>
      attempt('read', path, async () => readRange(await toRead('read', path), start, length)).catch(absent(undefined)),
    remove: (path) =>
      attempt('remove', path, async () => {
        const place = await toChange('remove', path)
        if (place.real === root) throw new FileError('remove', path, 'EPERM')
        await rm(place.real, {force: true, recursive: true})
        for (const key of keysUnder(security(), place.given)) delete security()[key]
      }),
    rename: (from, to) =>
      attempt('rename', from, async () => {
        const source = await toChange('rename', from)
        const target = await toChange('rename', to)
        await lstat(source.real)
        const wanted = join(dirname(target.real), win32.basename(target.given))
        const isSame = source.real === target.real
        const there = isSame ? undefined : await lstat(target.real).catch(() => undefined)
        // MoveFileEx replaces files only.
        if (there?.isDirectory()) throw new FileError('rename', from, 'EPERM')
        if (there && target.real !== wanted) await rm(target.real)
        const forget = isSame ? () => {} : moveSecurity(security(), source.given, target.given)
        keep()
        await rename(source.real, wanted)
        forget()
      }),
    status: (path) =>
      attempt('look at', path, async () => {
        const native = await toRead('look at', path)
        const found = await lstat(native)
        const kind = kindOf(found)
        return {
          ...(await besideOf(kind, native)),
          kind,
          ...linksOf(kind, found),
          modifiedMs: found.mtimeMs,
          size: found.size,
        }
      }).catch(absent(undefined)),
    write: (path, data, options) =>
      attempt('write', path, async () => {
        const place = await toChange('write', path)
        await replace(place, options?.sddl, (temporary) => writeFile(temporary, data))
      }),
    writeChunks: (path, chunks) =>
      attempt('write', path, async () => {
        const place = await toChange('write', path)
        let bytes = 0
        await replace(place, undefined, async (temporary) => {
          const file = await open(temporary, 'w')
          try {
            for await (const chunk of chunks) bytes += (await file.write(chunk)).bytesWritten
          } finally {
            await file.close()
          }
        })
        return bytes
      }),
  }
}

/**
 * A link by its target's name alone: the whole drive may be copied elsewhere. False where the system that the drive is kept
 * on makes none: Windows lets only administrators (EPERM), and Wine says that it did, and did not.
 */
export async function linkOnDrive(dir: string, path: string, target: string): Promise<boolean> {
  const place = resolveOnDrive(join(dir, 'c'), 'link', path)
  if (!place) return false
  try {
    await symlink(win32.basename(target), place.real)
    return (await lstat(place.real)).isSymbolicLink()
  } catch {
    return false
  }
}

/** How many folders, innermost first, are not there. */
async function absentDepth(folder: string): Promise<number> {
  const isThere = await lstat(folder).then(
    () => true,
    () => false,
  )
  return isThere ? 0 : 1 + (await absentDepth(dirname(folder)))
}

/** The folder and as many of those above it as make up `depth`. */
function innermost(folder: string, depth: number): string[] {
  return depth === 0 ? [] : [folder, ...innermost(win32.dirname(folder), depth - 1)]
}

const absent =
  <T>(answer: T) =>
  (error: unknown): T => {
    // A file where a folder should be: Windows calls the path not found, not "not a directory".
    if (error instanceof FileError && ['ENOENT', 'ENOTDIR'].includes(error.code)) return answer
    throw error
  }

function kindOf(found: {isDirectory(): boolean; isFile(): boolean; isSymbolicLink(): boolean}): FileKind {
  if (found.isSymbolicLink()) return 'link'
  if (found.isDirectory()) return 'directory'
  return found.isFile() ? 'file' : 'other'
}

function keysUnder(security: Record<string, string>, path: string): string[] {
  const top = path.toLowerCase()
  return Object.keys(security).filter((key) => key === top || key.startsWith(`${top}\\`))
}

/** What is moved keeps its security descriptor; what was at the target is gone with its own. Returns how to forget the old place. */
function moveSecurity(security: Record<string, string>, from: string, to: string): () => void {
  for (const key of keysUnder(security, to)) delete security[key]
  const moved = keysUnder(security, from)
  for (const key of moved) security[to.toLowerCase() + key.slice(from.length)] = security[key] as string
  return () => {
    for (const key of moved) delete security[key]
  }
}
