// Drive C of a simulated host in a folder; and, for reading only, files of the real machine. Mostly synchronous: a run
// makes thousands of small calls, and a turn of the event loop costs more than each.
import {createHash, randomUUID} from 'node:crypto'
import {
  appendFileSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import {open} from 'node:fs/promises'
import {dirname, join, win32} from 'node:path'
import {type DigestAlgorithm, FileError, type Files} from '../machine/files.js'
import {besideOf, kindOf, linksOf, readRange} from '../machine/real/files.js'
import {moveSecurity, removeSecurity, setSecurity} from './drive-security.js'
import {namesOnDrive} from './drive-entries.js'

export interface DriveOptions {
  /** The digest of what a stand-in stands for; undefined for all other bytes. */
  readonly digestOf: (bytes: Buffer, algorithm: DigestAlgorithm) => string | undefined
  /** Saves the security descriptors, before their files exist: the process may be killed in between. */
  readonly keep: () => void
  /** SDDL by lower-cased path. */
  readonly security: () => Record<string, string>
}

/** What `replace` writes to until it is complete. */
const TEMPORARY = /\.[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.tmp$/

/** Without the rest of the host: new files inherit their security. */
export const openDrive = (dir: string): Files =>
  createDrive(dir, {digestOf: () => undefined, keep: () => {}, security: () => ({})})

/** `dir`: the simulator's folder; the drive is in its folder "c". */
export function createDrive(dir: string, {digestOf, keep, security}: DriveOptions): Files {
  const root = join(dir, 'c')
  /** Node's errors become FileErrors with the simulated path. */
  const attempt = async <T>(operation: string, path: string, work: () => Promise<T> | T): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      const {code, syscall} = error as NodeJS.ErrnoException
      // Other errors (the source of writeChunks failed) pass unchanged.
      if (code === undefined || syscall === undefined) throw error
      throw new FileError(operation, path, code, {cause: error})
    }
  }

  const read = <T>(
    operation: string,
    path: string,
    work: (native: string, place: Place | undefined) => Promise<T> | T,
  ): Promise<T> =>
    attempt(operation, path, () => {
      const place = resolveOnDrive(root, operation, path)
      return work(place?.real ?? path, place)
    })
  const placeOf = (operation: string, path: string): Place => {
    const place = resolveOnDrive(root, operation, path)
    if (!place) throw new FileError(operation, path, 'EROFS')
    if (operation === 'remove' && place.real === root) throw new FileError(operation, path, 'EPERM')
    return place
  }
  const change = <T>(operation: string, path: string, work: (place: Place) => Promise<T> | T): Promise<T> =>
    attempt(operation, path, () => work(placeOf(operation, path)))

  const secure = (sddl: string | undefined, ...paths: readonly string[]): void => {
    // Saving compares the whole world.
    if (paths.map((path) => setSecurity(security(), path, sddl)).includes(true)) keep()
  }

  const replace = async (
    place: Place,
    sddl: string | undefined,
    fill: (temporary: string) => Promise<void> | void,
  ): Promise<void> => {
    // As machine/real/files.ts does: a killed run leaves it behind.
    const end = `.${randomUUID()}.tmp`
    const temporary = `${place.real}${end}`
    // It is protected from its first byte.
    if (sddl !== undefined) secure(sddl, `${place.given}${end}`)
    try {
      // First, so that a missing folder fails before the content is made.
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

  // Windows creates a file together with its access list: a process that was killed between the two here left the list alone.
  for (const path of Object.keys(security())) {
    const place = TEMPORARY.test(path) && resolveOnDrive(root, 'inspect', path)
    if (place && !existsSync(place.real)) removeSecurity(security(), path)
  }

  return {
    append: (path, text) => change('append to', path, ({real}) => appendFileSync(real, text)),
    async digest(path, algorithm) {
      const bytes = await read('read', path, readBytes)
      return digestOf(bytes, algorithm) ?? createHash(algorithm).update(bytes).digest('hex')
    },
    list: (path) => read('list', path, (native) => readdirSync(native).sort()).catch(absent([])),
    makeDirectory: (path, options) =>
      change('create', path, ({given, real}) => {
        secure(options?.security, ...absentFolders(given, real))
        mkdirSync(real, {recursive: true})
      }),
    read: (path) => read('read', path, readBytes).catch(absent(undefined)),
    async *readChunks(path) {
      const file = await read('read', path, (native) => open(native))
      try {
        for await (const chunk of file.createReadStream({autoClose: false})) yield chunk as Uint8Array
      } finally {
        await file.close()
      }
    },
    readRange: (path, start, length) =>
      read('read', path, (native) => readRange(native, start, length)).catch(absent(undefined)),
    remove: (path) =>
      change('remove', path, ({given, real}) => {
        rmSync(real, {force: true, recursive: true})
        removeSecurity(security(), given)
      }),
    removeEmpty: (path) =>
      change('remove', path, ({given, real}) => {
        if (!lstatSync(real).isDirectory() || readdirSync(real).length > 0) return false
        rmdirSync(real)
        removeSecurity(security(), given)
        return true
      }).catch(absent(false)),
    rename: (from, to) =>
      change('rename', from, (source) => {
        const target = placeOf('rename', to)
        lstatSync(source.real)
        const wanted = join(dirname(target.real), win32.basename(target.given))
        const isSame = source.real === target.real
        const there = isSame ? undefined : statusOfFile(target.real)
        // MoveFileEx replaces files only.
        if (there?.isDirectory()) throw new FileError('rename', from, 'EPERM')
        if (there && target.real !== wanted) rmSync(target.real)
        const forget = isSame ? () => {} : moveSecurity(security(), source.given, target.given)
        keep()
        renameSync(source.real, wanted)
        forget()
      }),
    status: (path) =>
      read('inspect', path, async (native, place) => {
        const found = place ? place.found : statusOfFile(native)
        if (!found) return undefined
        const kind = kindOf(found)
        const [beside, links] = [await besideOf(kind, native), linksOf(kind, found)]
        return {...beside, kind, ...links, modifiedMs: found.mtimeMs, size: found.size}
      }).catch(absent(undefined)),
    write: (path, data, options) =>
      change('write', path, (place) => replace(place, options?.sddl, (temporary) => writeFileSync(temporary, data))),
    writeChunks: (path, chunks) =>
      change('write', path, async (place) => {
        let bytes = 0
        await replace(place, undefined, async (temporary) => {
          // Synchronous, so that time passes only while the source waits.
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
 * Creates a link by its target's name alone, so that the drive may be copied. False where the real system creates none:
 * Windows lets only administrators (EPERM), and Wine reports success without one.
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

const readBytes = (path: string): Buffer => readFileSync(path)
const statusOfFile = (path: string): Stats | undefined => lstatSync(path, {throwIfNoEntry: false})

/** The folder and those above it, as far as they do not exist. */
const absentFolders = (given: string, real: string): string[] =>
  existsSync(real) ? [] : [given, ...absentFolders(win32.dirname(given), dirname(real))]

const absent =
  <T>(answer: T) =>
  (error: unknown): T => {
    // Windows reports a path below a file as not found, not as "not a directory".
    if (error instanceof FileError && ['ENOENT', 'ENOTDIR'].includes(error.code)) return answer
    throw error
  }

interface Place {
  /** What is there. */
  readonly found: Stats | undefined
  /** The path as given, without `\\?\`. */
  readonly given: string
  /** The path in the folder; existing names have their own case. */
  readonly real: string
}

/** Where a path is in the folder: names compare without case, as on NTFS. Undefined for a path without a drive letter. */
function resolveOnDrive(root: string, operation: string, path: string): Place | undefined {
  const found = namesOnDrive(operation, path)
  return found && {given: found.given, ...findOnDrive(root, found.names)}
}

/** Most paths, or at least the folders above, are spelled as they are named, and one call is cheaper than a listing of each. */
function findOnDrive(root: string, names: readonly string[]): Omit<Place, 'given'> {
  const real = join(root, ...names)
  const found = statusOfFile(real)
  if (found !== undefined || names.length === 0) return {found, real}
  const above = findOnDrive(root, names.slice(0, -1))
  const wanted = names.at(-1) as string
  const name = above.found && nameInFolder(above.real, wanted)
  const place = join(above.real, name ?? wanted)
  return {found: name === undefined ? undefined : statusOfFile(place), real: place}
}

/** The name that an entry really has, or undefined. */
function nameInFolder(folder: string, name: string): string | undefined {
  try {
    const names = readdirSync(folder)
    return names.find((one) => one === name) ?? names.find((one) => one.toUpperCase() === name.toUpperCase())
  } catch {
    return undefined
  }
}
