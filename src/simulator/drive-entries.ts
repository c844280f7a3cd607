// The entries of a drive in memory: files, folders, links and, above another drive, what was renamed or removed there.
import {win32} from 'node:path'

import {FileError} from '../machine/files.js'
import {remembered} from '../machine/remembered.js'

export type DriveEntry =
  | {readonly kind: 'directory'; readonly modifiedMs: number}
  | FileEntry
  /** Removed or renamed. */
  | {readonly kind: 'gone'}
  | {readonly kind: 'link'; readonly modifiedMs: number; readonly target: string}
  /** A file of the drive below under another name. */
  | {readonly kind: 'renamed'; readonly path: string}

export interface FileEntry {
  readonly bytes: Buffer
  readonly id: string
  readonly kind: 'file'
  /** How many names it has, where it has more than one. */
  readonly links?: number
  readonly modifiedMs: number
  /** So many bytes at its end are in memory only: a power loss takes them. */
  readonly unflushed?: number
}

/** Where a path leads: an entry, or a path of the drive below. */
export type FoundEntry = DriveEntry | {readonly kind: 'below'; readonly path: string}

interface NamedEntry {
  readonly entry: DriveEntry
  /** In its original case. */
  readonly name: string
}

const GONE = {kind: 'gone'} as const

/** A change of a name that is in the log of the file system, and not on the disk yet: how to undo it. */
interface PendingChange {
  readonly folder: string
  readonly key: string
  readonly previous: NamedEntry | undefined
  readonly removed: readonly (readonly [folder: string, names: ReadonlyMap<string, NamedEntry>])[]
  readonly security: Readonly<Record<string, string>>
}

export class DriveEntries {
  /** By lower-cased folder, then by lower-cased name. */
  readonly #folders: Map<string, Map<string, NamedEntry>>
  #changes = 0
  /** Oldest first; the changes of one call are one. */
  #pending: PendingChange[][] = []
  /** The access lists of the drive, which are part of what a power loss takes back. */
  securityOf: () => Readonly<Record<string, string>> = () => ({})

  private constructor(folders: DriveEntries['all'], pending: readonly PendingChange[][] = []) {
    this.#folders = new Map(folders.map(([folder, names]) => [folder, new Map(names)]))
    this.#pending = pending.map((call) => [...call])
  }

  /** No changes above another drive yet. */
  static above(): DriveEntries {
    return new DriveEntries([])
  }

  /** An empty drive C. */
  static drive(): DriveEntries {
    const entries = new DriveEntries([])
    entries.set('C:\\', {kind: 'directory', modifiedMs: 0})
    return entries
  }

  /** Entries are never changed, only replaced: a copy shares them. */
  copy(): DriveEntries {
    return new DriveEntries(this.all, this.#pending)
  }

  /** The next changes are of another call. */
  beginCall(): void {
    if (this.#pending.at(-1)?.length !== 0) this.#pending.push([])
  }

  /**
   * NTFS logs changes of names in their order, and a flush of any file writes the log up to there (the assumption
   * flush-order): all of them are on the disk now. Bytes that were appended to other files are not.
   */
  flush(): void {
    this.#pending = []
  }

  /** How many calls a power loss can take back. */
  get unflushed(): number {
    return this.#pending.filter((call) => call.length > 0).length
  }

  /**
   * A power loss: takes the last `calls` back, and the bytes at the end of files that were never flushed. Returns the access
   * lists as they were then; undefined where they are as they are.
   */
  lose(calls: number): Readonly<Record<string, string>> | undefined {
    const pending = this.#pending.filter((call) => call.length > 0)
    const lost = pending.slice(Math.max(0, pending.length - calls)).flat()
    for (const {folder, key, previous, removed} of [...lost].reverse()) {
      const names = this.#folders.get(folder) ?? new Map<string, NamedEntry>()
      this.#folders.set(folder, names)
      if (previous) names.set(key, previous)
      else names.delete(key)
      for (const [path, inside] of removed) this.#folders.set(path, new Map(inside))
    }
    for (const names of this.#folders.values()) {
      for (const [key, {entry, name}] of names) {
        if (entry.kind !== 'file' || entry.unflushed === undefined) continue
        const {unflushed, ...file} = entry
        names.set(key, {entry: {...file, bytes: file.bytes.subarray(0, file.bytes.length - unflushed)}, name})
      }
    }
    this.#pending = []
    this.#changes++
    return lost[0]?.security
  }

  get all(): (readonly [folder: string, names: ReadonlyMap<string, NamedEntry>])[] {
    return [...this.#folders]
  }

  /**
   * An own folder hides what the drive below has in it: one is made only where there was none. A link is reported as such;
   * what is in the folder that it leads to is found through it.
   */
  find(path: string): FoundEntry {
    const key = keyOf(path)
    const own = this.#own(key)
    if (own) return own.entry
    for (let folder = parentOf(key); folder !== undefined; folder = parentOf(folder)) {
      const above = this.#own(folder)
      if (above?.entry.kind === 'link') return this.find(`${above.entry.target}${plain(path).slice(folder.length)}`)
      if (above) return GONE
    }

    return {kind: 'below', path}
  }

  /** The path without links above its last name. */
  real(path: string): string {
    const key = keyOf(path)
    for (let folder = parentOf(key); folder !== undefined; folder = parentOf(folder)) {
      const above = this.#own(folder)
      if (above?.entry.kind === 'link') return this.real(`${above.entry.target}${plain(path).slice(folder.length)}`)
      if (above) return path
    }

    return path
  }

  /** How often an entry was set: as long as it is the same, so are all files. */
  get changes(): number {
    return this.#changes
  }

  inside(folder: string): NamedEntry[] {
    return [...(this.#folders.get(keyOf(folder))?.values() ?? [])]
  }

  /** A replaced entry keeps the case of its name. */
  set(path: string, entry: DriveEntry): void {
    const key = keyOf(path)
    this.#note(key, this.#own(key), [])
    this.replace(path, entry)
  }

  /** As `set`, where only the bytes of a file change: no log of the file system has them. */
  replace(path: string, entry: DriveEntry): void {
    const key = keyOf(path)
    const folder = parentOf(key) ?? ''
    const names = this.#folders.get(folder) ?? new Map<string, NamedEntry>()
    this.#folders.set(folder, names)
    const there = this.#own(key)
    const name = there && there.entry.kind !== 'gone' ? there.name : win32.basename(plain(path))
    names.set(placeOf(key).name, {entry, name})
    this.#changes++
  }

  /** Changes the case of a name. */
  respell(path: string): void {
    const own = this.#own(keyOf(path))
    if (!own) return
    this.set(path, GONE)
    this.set(path, own.entry)
  }

  /** With everything under it. */
  remove(path: string): void {
    const key = keyOf(path)
    const removed = this.all.filter(([folder]) => isUnder(folder, key))
    this.#note(key, this.#own(key), removed)
    for (const [folder] of removed) this.#folders.delete(folder)
    this.set(path, GONE)
  }

  #note(key: string, previous: NamedEntry | undefined, removed: PendingChange['removed']): void {
    const {folder = '', name} = placeOf(key)
    if (this.#pending.length === 0) this.#pending.push([])
    this.#pending.at(-1)?.push({folder, key: name, previous, removed, security: {...this.securityOf()}})
  }

  #own(key: string): NamedEntry | undefined {
    const {folder = '', name} = placeOf(key)
    return this.#folders.get(folder)?.get(name)
  }
}

const plain = (path: string): string => win32.normalize(path.replace(/^\\\\\?\\/, '')).replace(/(?<=[^:\\])\\+$/, '')

/** Names compare without case, as on NTFS. */
export const keyOf: (path: string) => string = remembered((path) => plain(path).toLowerCase())

export const isUnder = (key: string, top: string): boolean =>
  key === top || key.startsWith(top.endsWith('\\') ? top : `${top}\\`)

/** The folder of a key, which a root does not have, and its name there. */
const placeOf = remembered((key: string): {readonly folder?: string; readonly name: string} => {
  if (key.endsWith('\\') || !key.includes('\\')) return {name: key}
  const end = key.lastIndexOf('\\')
  const folder = key.slice(0, end)
  return {folder: folder.endsWith(':') ? `${folder}\\` : folder, name: key.slice(end + 1)}
})

const parentOf = (key: string): string | undefined => placeOf(key).folder

/** What NTFS and Win32 refuse in a name: https://learn.microsoft.com/windows/win32/fileio/naming-a-file. */
// eslint-disable-next-line no-control-regex
const FORBIDDEN = /[<>:"|?*\u0000-\u001F]|[. ]$/

/** The names below the drive's root. Undefined for a path without a drive letter: a file of the real machine. */
export function namesOnDrive(operation: string, path: string): {given: string; names: string[]} | undefined {
  const plain = path.startsWith('\\\\?\\') ? path.slice(4) : path
  if (/^[\\/]{2}/.test(plain)) throw new FileError(operation, path, 'ENOENT')
  if (!/^[A-Za-z]:/.test(plain)) return undefined
  // "c:name" is relative to a current folder of the drive.
  if (!win32.isAbsolute(plain)) throw new FileError(operation, path, 'EINVAL')
  if (!/^c:/i.test(plain)) throw new FileError(operation, path, 'ENOENT')

  const given = win32.normalize(plain)
  const names = given.slice(3).split('\\').filter(Boolean)
  if (names.some((name) => FORBIDDEN.test(name))) throw new FileError(operation, path, 'EINVAL')
  return {given, names}
}
