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

export interface NamedEntry {
  readonly entry: DriveEntry
  /** In its original case. */
  readonly name: string
}

const GONE = {kind: 'gone'} as const

export class DriveEntries {
  /** By lower-cased folder, then by lower-cased name. Entries are never changed, only replaced: a copy shares them. */
  protected readonly folders: Map<string, Map<string, NamedEntry>>

  constructor(folders: DriveEntries['all'] = []) {
    this.folders = new Map(folders.map(([folder, names]) => [folder, new Map(names)]))
  }

  /** The next changes are of another call. Only a drive that can lose the last calls keeps count of them. */
  beginCall?(): void
  /** All calls so far outlive a power loss. */
  flush?(): void

  get all(): (readonly [folder: string, names: ReadonlyMap<string, NamedEntry>])[] {
    return [...this.folders]
  }

  /**
   * An own folder hides what the drive below has in it: one is made only where there was none. A link is reported as such;
   * what is in the folder that it leads to is found through it.
   */
  find(path: string): FoundEntry {
    const key = keyOf(path)
    const own = this.own(key)
    if (own) return own.entry
    for (let folder = parentOf(key); folder !== undefined; folder = parentOf(folder)) {
      const above = this.own(folder)
      if (above?.entry.kind === 'link') return this.find(`${above.entry.target}${plain(path).slice(folder.length)}`)
      if (above) return GONE
    }

    return {kind: 'below', path}
  }

  /** The path without links above its last name. */
  real(path: string): string {
    const key = keyOf(path)
    for (let folder = parentOf(key); folder !== undefined; folder = parentOf(folder)) {
      const above = this.own(folder)
      if (above?.entry.kind === 'link') return this.real(`${above.entry.target}${plain(path).slice(folder.length)}`)
      if (above) return path
    }

    return path
  }

  inside(folder: string): NamedEntry[] {
    return [...(this.folders.get(keyOf(folder))?.values() ?? [])]
  }

  /** A replaced entry keeps the case of its name. */
  set(path: string, entry: DriveEntry): void {
    this.replace(path, entry)
  }

  /** As `set`, where only the bytes of a file change: no log of the file system has them. */
  replace(path: string, entry: DriveEntry): void {
    const key = keyOf(path)
    const folder = parentOf(key) ?? ''
    const names = this.folders.get(folder) ?? new Map<string, NamedEntry>()
    this.folders.set(folder, names)
    const there = this.own(key)
    const name = there && there.entry.kind !== 'gone' ? there.name : win32.basename(plain(path))
    names.set(placeOf(key).name, {entry, name})
  }

  /** Changes the case of a name. */
  respell(path: string): void {
    const own = this.own(keyOf(path))
    if (!own) return
    this.set(path, GONE)
    this.set(path, own.entry)
  }

  /** With everything under it. */
  remove(path: string): void {
    const key = keyOf(path)
    for (const [folder] of this.all) if (isUnder(folder, key)) this.folders.delete(folder)
    this.set(path, GONE)
  }

  protected own(key: string): NamedEntry | undefined {
    const {folder = '', name} = placeOf(key)
    return this.folders.get(folder)?.get(name)
  }
}

const plain = (path: string): string => win32.normalize(path.replace(/^\\\\\?\\/, '')).replace(/(?<=[^:\\])\\+$/, '')

/** Names compare without case, as on NTFS. */
export const keyOf: (path: string) => string = remembered((path) => plain(path).toLowerCase())

export const isUnder = (key: string, top: string): boolean =>
  key === top || key.startsWith(top.endsWith('\\') ? top : `${top}\\`)

/** The folder of a key, which a root does not have, and its name there. */
export const placeOf = remembered((key: string): {readonly folder?: string; readonly name: string} => {
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
