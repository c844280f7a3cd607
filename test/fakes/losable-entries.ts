// A drive in memory from which a power loss takes what was not flushed.
import {
  DriveEntries,
  type DriveEntry,
  keyOf,
  isUnder,
  type NamedEntry,
  placeOf,
} from '../../src/simulator/drive-entries.js'

/** A change of a name that is in the log of the file system, and not on the disk yet: how to undo it. */
interface PendingChange {
  readonly folder: string
  readonly key: string
  readonly previous: NamedEntry | undefined
  readonly removed: DriveEntries['all']
  readonly security: Readonly<Record<string, string>>
}

export class LosableEntries extends DriveEntries {
  #changes = 0
  /** Oldest first; the changes of one call are one. */
  #pending: PendingChange[][] = []
  /** The access lists of the drive, which are part of what a power loss takes back. */
  securityOf: () => Readonly<Record<string, string>> = () => ({})

  /** An empty drive C. */
  static drive(): LosableEntries {
    const entries = new LosableEntries()
    entries.set('C:\\', {kind: 'directory', modifiedMs: 0})
    return entries
  }

  copy(): LosableEntries {
    const copy = new LosableEntries(this.all)
    copy.#pending = this.#pending.map((call) => [...call])
    return copy
  }

  become(other: LosableEntries): void {
    this.folders.clear()
    for (const [folder, names] of other.all) this.folders.set(folder, new Map(names))
    this.#pending = other.#pending.map((call) => [...call])
    this.#changes++
  }

  override beginCall(): void {
    if (this.#pending.at(-1)?.length !== 0) this.#pending.push([])
  }

  /**
   * NTFS logs changes of names in their order, and a flush of any file writes the log up to there (the assumption
   * flush-order): all of them are on the disk now. Bytes that were appended to other files are not.
   */
  override flush(): void {
    this.#pending = []
  }

  /** How often an entry was set: as long as it is the same, so are all files. */
  get changes(): number {
    return this.#changes
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
      const names = this.folders.get(folder) ?? new Map<string, NamedEntry>()
      this.folders.set(folder, names)
      if (previous) names.set(key, previous)
      else names.delete(key)
      for (const [path, inside] of removed) this.folders.set(path, new Map(inside))
    }
    for (const names of this.folders.values()) {
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

  override set(path: string, entry: DriveEntry): void {
    this.#note(keyOf(path), [])
    super.set(path, entry)
  }

  override replace(path: string, entry: DriveEntry): void {
    super.replace(path, entry)
    this.#changes++
  }

  override remove(path: string): void {
    const key = keyOf(path)
    this.#note(
      key,
      this.all.filter(([folder]) => isUnder(folder, key)),
    )
    super.remove(path)
  }

  #note(key: string, removed: PendingChange['removed']): void {
    const {folder = '', name} = placeOf(key)
    if (this.#pending.length === 0) this.#pending.push([])
    this.#pending.at(-1)?.push({folder, key: name, previous: this.own(key), removed, security: {...this.securityOf()}})
  }
}
