// Drive C of the simulated host, kept in a folder; and, for reading only, files of the machine we run on.
// Without waiting wherever it can: a run makes thousands of small calls, and a turn of the event loop costs more than each.
import {createHash, randomUUID} from 'node:crypto'
import {
  appendFileSync,
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import {open} from 'node:fs/promises'
import {dirname, join, win32} from 'node:path'
import {type DigestAlgorithm, FileError, type FileKind, type Files} from '../machine/files.js'
import {besideOf, linksOf, readRange} from '../machine/real/files.js'
import {moveSecurity, removeSecurity, setSecurity} from './drive-security.js'
import {type Place, resolveOnDrive} from './path-resolve.js'

export interface DriveOptions {
  /** The digest of what these bytes stand for, or undefined where they stand for themselves. */
  readonly digestOf: (bytes: Buffer, algorithm: DigestAlgorithm) => string | undefined
  /** Keeps the security descriptors. Called before what they are for is there: a process may be killed in between. */
  readonly keep: () => void
  /** SDDL by lower-cased path. */
  readonly security: () => Record<string, string>
}

/** Without the rest of the host: what is written has what its folder gives it. */
export const openDrive = (dir: string): Files =>
  createDrive(dir, {digestOf: () => undefined, keep: () => {}, security: () => ({})})

/** `dir`: the simulator's folder; the drive is in its folder "c". */
export function createDrive(dir: string, {digestOf, keep, security}: DriveOptions): Files {
  const root = join(dir, 'c')
  /** Node's own errors, told with the path people know. */
  const attempt = async <T>(operation: string, path: string, work: () => Promise<T> | T): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      const {code, syscall} = error as NodeJS.ErrnoException
      // What is not the system's refusal (the source of writeChunks failed) is passed on as it is.
      if (code === undefined || syscall === undefined) throw error
      throw new FileError(operation, path, code, {cause: error})
    }
  }

  const toRead = (operation: string, path: string): string => resolveOnDrive(root, operation, path)?.real ?? path
  const toChange = (operation: string, path: string): Place => {
    const place = resolveOnDrive(root, operation, path)
    // Only the simulated drive is ours to change.
    if (!place) throw new FileError(operation, path, 'EROFS')
    return place
  }

  const readBytes = (operation: string, path: string): Promise<Buffer> =>
    attempt(operation, path, () => readFileSync(toRead(operation, path)))

  const secure = (sddl: string | undefined, ...paths: readonly string[]): void => {
    for (const path of paths) setSecurity(security(), path, sddl)
    keep()
  }

  const replace = async (
    place: Place,
    sddl: string | undefined,
    fill: (temporary: string) => Promise<void> | void,
  ): Promise<void> => {
    // As the real one does (machine/real/atomic-write.ts): a run that is killed leaves it there.
    const end = `.${randomUUID()}.tmp`
    const temporary = `${place.real}${end}`
    // What only administrators may read is so from its first byte.
    if (sddl !== undefined) secure(sddl, `${place.given}${end}`)
    try {
      // Asked first, so that a missing folder fails as it does on Windows and not after the content was made.
      lstatSync(dirname(place.real))
      await fill(temporary)
      setSecurity(security(), `${place.given}${end}`, undefined)
      secure(sddl, place.given)
      renameSync(temporary, place.real)
    } finally {
      rmSync(temporary, {force: true})
      setSecurity(security(), `${place.given}${end}`, undefined)
    }
  }

  return {
    append: (path, text) => attempt('append to', path, () => appendFileSync(toChange('append to', path).real, text)),
    async digest(path, algorithm) {
      const bytes = await readBytes('read', path)
      return digestOf(bytes, algorithm) ?? createHash(algorithm).update(bytes).digest('hex')
    },
    list: (path) => attempt('list', path, () => readdirSync(toRead('list', path)).sort()).catch(absent([])),
    makeDirectory: (path, options) =>
      attempt('make', path, () => {
        const place = toChange('make', path)
        secure(options?.security, ...innermost(place.given, absentDepth(place.real)))
        mkdirSync(place.real, {recursive: true})
      }),
    read: (path) => readBytes('read', path).catch(absent(undefined)),
    async *readChunks(path) {
      const file = await attempt('read', path, () => open(toRead('read', path)))
      try {
        for await (const chunk of file.createReadStream({autoClose: false})) yield chunk as Uint8Array
      } finally {
        await file.close()
      }
    },
    readRange: (path, start, length) =>
      attempt('read', path, () => readRange(toRead('read', path), start, length)).catch(absent(undefined)),
    remove: (path) =>
      attempt('remove', path, () => {
        const place = toChange('remove', path)
        if (place.real === root) throw new FileError('remove', path, 'EPERM')
        rmSync(place.real, {force: true, recursive: true})
        removeSecurity(security(), place.given)
      }),
    rename: (from, to) =>
      attempt('rename', from, () => {
        const source = toChange('rename', from)
        const target = toChange('rename', to)
        lstatSync(source.real)
        const wanted = join(dirname(target.real), win32.basename(target.given))
        const isSame = source.real === target.real
        const there = isSame ? undefined : lookAt(target.real)
        // MoveFileEx replaces files only.
        if (there?.isDirectory()) throw new FileError('rename', from, 'EPERM')
        if (there && target.real !== wanted) rmSync(target.real)
        const forget = isSame ? () => {} : moveSecurity(security(), source.given, target.given)
        keep()
        renameSync(source.real, wanted)
        forget()
      }),
    status: (path) =>
      attempt('look at', path, async () => {
        const native = toRead('look at', path)
        const found = lstatSync(native)
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
      attempt('write', path, () =>
        replace(toChange('write', path), options?.sddl, (temporary) => writeFileSync(temporary, data)),
      ),
    writeChunks: (path, chunks) =>
      attempt('write', path, async () => {
        let bytes = 0
        await replace(toChange('write', path), undefined, async (temporary) => {
          // Not one turn of the event loop but those of the source: time passes only where that waits.
          const file = openSync(temporary, 'w')
          try {
            for await (const chunk of chunks) bytes += writeSync(file, chunk)
          } finally {
            closeSync(file)
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
    symlinkSync(win32.basename(target), place.real)
    return lstatSync(place.real).isSymbolicLink()
  } catch {
    return false
  }
}

const lookAt = (path: string): Stats | undefined => lstatSync(path, {throwIfNoEntry: false})

/** How many folders, innermost first, are not there. */
function absentDepth(folder: string): number {
  try {
    if (lookAt(folder)) return 0
  } catch {
    // Below a file nothing is.
  }

  return 1 + absentDepth(dirname(folder))
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

function kindOf(found: Stats): FileKind {
  if (found.isSymbolicLink()) return 'link'
  if (found.isDirectory()) return 'directory'
  return found.isFile() ? 'file' : 'other'
}
