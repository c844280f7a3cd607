// Follows all files of some folders, round by round: files may be renamed, truncated, created and removed meanwhile.
import {win32} from 'node:path'
import {FileError, type FileStatus} from '../machine/files.js'
import type {Component, LogFolder} from './components.js'
import type {LogEntry} from './entry.js'
import {klogName, stampTime} from './file-names.js'
import {BLOCK, type LogFile, type LogReader, refusal} from './log-file.js'
import {mergeLists} from './merge.js'
import {namesIn} from './open-files.js'
import {FileTail, Tails} from './tails.js'

/**
 * The files that changed last are opened each round, the others every so many rounds: there may be hundreds. Their size
 * and time alone do not show a change: while a program holds a file open, Windows may report the old ones.
 */
const HOT = 8
const COLD_EVERY = 16
/** Listings of a folder in a round, where files are rotated meanwhile. */
const MOST_LISTED = 4
/** klog creates the file of a higher severity before the fuller one: it is read only where that one does not come. */
const SEVERE_AFTER = 8
/** A file that Windows refuses to open is tried again after so many rounds. */
const REFUSED_FOR = 32

interface Known {
  readonly identity: string
  readonly modifiedMs: number
}

export class Follower {
  readonly #folders: readonly LogFolder[]
  readonly #known = new Map<string, Known>()
  readonly #reader: LogReader
  readonly #refused = new Map<string, number>()
  #round = 0
  readonly #tails = new Tails()
  readonly #waiting = new Map<string, number>()

  /** `begun`: files that were already read up to their `size`. */
  constructor(reader: LogReader, folders: readonly LogFolder[], begun: readonly LogFile[]) {
    this.#reader = reader
    this.#folders = folders
    for (const file of begun) {
      const {encoding, identity, last, mark, modifiedMs, size} = file
      this.#known.set(file.file, {identity, modifiedMs})
      this.#tails.set(identity, new FileTail(file, file.about.ends, {before: last, encoding, mark, offset: size}))
    }
  }

  /** What is new since the last round, in the order of time. */
  async next(): Promise<LogEntry[]> {
    this.#round++
    const found = new Map<string, LogEntry[]>()
    const seen = new Set<string>()
    for (const {component, path: folder} of this.#folders) {
      // A file that was renamed after its folder was listed has lines that come before those of the new one.
      for (let time = 0; time < MOST_LISTED; time++) {
        const paths = (await namesIn(this.#reader, folder)).map((name) => win32.join(folder, name))
        const unseen = paths.filter((path) => !seen.has(path))
        if (unseen.length === 0) break
        for (const path of unseen) seen.add(path)
        for (const path of this.#due(unseen)) found.set(path, await this.#readSafely(component, path))
      }
    }

    for (const path of this.#known.keys()) if (!seen.has(path)) this.#known.delete(path)
    const paths = new Map([...this.#known].map(([path, {identity}]) => [identity, path]))
    const left = this.#tails.forget(new Set(paths.keys()))
    // What is held back of one file must not come after later entries of another.
    const newest = [...found.values(), ...left].flat().reduce((latest, {time}) => Math.max(latest, time), -Infinity)
    for (const [identity, entries] of this.#tails.releaseBefore(newest)) {
      const path = paths.get(identity) ?? identity
      found.set(path, [...(found.get(path) ?? []), ...entries])
    }
    return mergeLists([...found.values(), ...left])
  }

  /** What was held back. */
  end(): LogEntry[] {
    return mergeLists(this.#tails.end())
  }

  /** New names first: one may be the new name of a file that starts again under its old name. */
  #due(paths: readonly string[]): string[] {
    const fresh = paths.filter((path) => !this.#known.has(path))
    const known = paths.filter((path) => this.#known.has(path))
    const changed = (path: string): number => this.#known.get(path)?.modifiedMs ?? 0
    const latest = [...known].sort((one, other) => changed(other) - changed(one))
    return [...fresh, ...(this.#round % COLD_EVERY === 0 ? latest : latest.slice(0, HOT))]
  }

  async #readSafely(component: Component, path: string): Promise<LogEntry[]> {
    if ((this.#refused.get(path) ?? 0) > this.#round || this.#isHeldBack(path)) return []
    try {
      const status = await this.#reader.files.status(path)
      return status?.kind === 'file' ? await this.#readOn(component, path, status) : []
    } catch (error) {
      if (!(error instanceof FileError)) throw error
      this.#reader.note(`${path} cannot be read: ${refusal(error)}. k8s-win will try again.`)
      this.#refused.set(path, this.#round + REFUSED_FOR)
      return []
    }
  }

  #isHeldBack(path: string): boolean {
    const name = klogName(win32.basename(path))
    if (this.#known.has(path) || name === undefined || name.severity === 'INFO') return false
    const since = this.#waiting.get(path) ?? this.#round
    this.#waiting.set(path, since)
    return this.#round < since + SEVERE_AFTER
  }

  async #readOn(component: Component, path: string, status: FileStatus): Promise<LogEntry[]> {
    const {files} = this.#reader
    const known = this.#known.get(path)
    const from = (known && this.#tails.get(known.identity)?.readFrom) ?? 0
    let range = await files.readRange(path, from, BLOCK)
    if (!range) return []
    const {identity} = range
    let tail = this.#tails.get(identity) ?? this.#begin(component, path, status)
    this.#tails.set(identity, tail)
    if (tail.readFrom !== from) range = await files.readRange(path, tail.readFrom, BLOCK)

    const pieces: LogEntry[][] = []
    const before = tail.offset
    // Where the name is another file's by now, the next round reads that one.
    while (range?.identity === identity) {
      if (!tail.continues(range.bytes)) {
        pieces.push(tail.end())
        tail = this.#begin(component, path, status)
        this.#tails.set(identity, tail)
      } else {
        pieces.push(tail.take(range.bytes))
        if (tail.offset >= range.size) break
      }
      range = await files.readRange(path, tail.readFrom, BLOCK)
    }

    if (tail.offset === before) pieces.push(tail.release())
    this.#known.set(path, {identity, modifiedMs: status.modifiedMs})
    return pieces.flat()
  }

  #begin(component: Component, path: string, {modifiedMs}: FileStatus): FileTail {
    const {zone} = this.#reader
    const name = klogName(win32.basename(path))
    return new FileTail({component, file: path, zone}, name ? stampTime(name.stamp, zone) : modifiedMs)
  }
}
