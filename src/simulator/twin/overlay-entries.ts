// What the twin has of its own above the host's drive: files, folders, what was renamed, what is gone.
import {win32} from 'node:path'

export type OverlayEntry =
  | {readonly kind: 'directory'; readonly modifiedMs: number}
  | {readonly bytes: Buffer; readonly kind: 'file'; readonly modifiedMs: number}
  /** Removed, or renamed to somewhere else. */
  | {readonly kind: 'gone'}
  /** A file of the host under another name. */
  | {readonly kind: 'renamed'; readonly path: string}

/** Where a path leads: an entry of the twin, or a path of the host. */
export type Found = OverlayEntry | {readonly kind: 'host'; readonly path: string}

const GONE = {kind: 'gone'} as const

export class OverlayEntries {
  readonly #entries = new Map<string, {readonly entry: OverlayEntry; readonly name: string}>()

  /** A folder of the twin hides what the host has in it: the twin makes one only where there was none. */
  find(path: string): Found {
    const own = this.#entries.get(keyOf(path))
    if (own) return own.entry
    for (let folder = parentOf(path); folder !== undefined; folder = parentOf(folder)) {
      if (this.#entries.has(keyOf(folder))) return GONE
    }

    return {kind: 'host', path}
  }

  /** Names and entries directly in a folder. */
  inside(folder: string): {readonly entry: OverlayEntry; readonly name: string}[] {
    const key = keyOf(folder)
    return [...this.#entries].flatMap(([path, one]) => (win32.dirname(path) === key && path !== key ? [one] : []))
  }

  set(path: string, entry: OverlayEntry): void {
    this.#entries.set(keyOf(path), {entry, name: win32.basename(plain(path))})
  }

  /** With everything under it. */
  remove(path: string): void {
    const key = keyOf(path)
    for (const one of this.#entries.keys()) if (one.startsWith(`${key}\\`)) this.#entries.delete(one)
    this.set(path, GONE)
  }
}

const plain = (path: string): string => win32.normalize(path.replace(/^\\\\\?\\/, '')).replace(/(?<=[^:\\])\\+$/, '')

/** Names compare without case, as on NTFS. */
export const keyOf = (path: string): string => plain(path).toLowerCase()

function parentOf(path: string): string | undefined {
  const parent = win32.dirname(plain(path))
  return parent === plain(path) ? undefined : parent
}
