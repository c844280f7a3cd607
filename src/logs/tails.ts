// How far each followed file was read. A file is recognised by its identity, under whatever name: klog, kube-log-runner and
// shawl rotate by renaming or with new files, never by copying and truncating.
import {Assembler, type Origin} from './assemble.js'
import type {Line, LogEntry} from './entry.js'
import {asBuffer, type Encoding, encodingOf, LineSplitter} from './split-lines.js'

/** The last bytes of those that were read: they are compared with the file, which may have been truncated. */
export const MARK = 64

/** How far a file was read before it is followed. */
export interface TailStart {
  /** The entry in front of that place. */
  readonly before?: Pick<LogEntry, 'level' | 'time'> | undefined
  readonly encoding: Encoding
  readonly mark: Uint8Array
  readonly offset: number
}

export class FileTail {
  readonly #assembler: Assembler
  #mark: Buffer
  #offset: number
  #splitter: LineSplitter | undefined

  /** Without a start: from its beginning. */
  constructor(origin: Origin, reference: number, start?: TailStart) {
    this.#assembler = new Assembler(origin, reference, start?.before)
    this.#mark = asBuffer(start?.mark ?? Buffer.alloc(0)).subarray(-MARK)
    this.#offset = start?.offset ?? 0
    if (start) this.#splitter = new LineSplitter(start.encoding, start.offset)
  }

  get offset(): number {
    return this.#offset
  }

  /** The time of the entry that is held back, because more lines of it may come. */
  get pending(): number | undefined {
    return this.#assembler.pending
  }

  /** Where to read from: the bytes that were read last come first, to be compared. */
  get readFrom(): number {
    return this.#offset - this.#mark.length
  }

  /** Whether bytes from `readFrom` on continue the file: it was neither truncated nor rewritten. */
  continues(bytes: Uint8Array): boolean {
    return asBuffer(bytes).subarray(0, this.#mark.length).equals(this.#mark)
  }

  /** Takes bytes from `readFrom` on. Returns the entries that are complete. */
  take(bytes: Uint8Array): LogEntry[] {
    const all = asBuffer(bytes)
    const more = all.subarray(this.#mark.length)
    if (more.length === 0) return []
    this.#splitter ??= new LineSplitter(encodingOf(more), 0)
    this.#offset += more.length
    this.#mark = Buffer.from(all.subarray(-MARK))
    return this.#add(this.#splitter.push(more))
  }

  /** The entry that was held back. */
  release(): LogEntry[] {
    const last = this.#assembler.end()
    return last ? [last] : []
  }

  /** All that was held back, also a line without an end. */
  end(): LogEntry[] {
    return [...this.#add(this.#splitter?.end() ?? []), ...this.release()]
  }

  #add(lines: readonly Line[]): LogEntry[] {
    return lines.flatMap((line) => this.#assembler.add(line) ?? [])
  }
}

/** Rounds until a missing file counts as removed; a rename takes less. */
const GONE_AFTER = 4
const MOST = 4096

export class Tails {
  readonly #gone = new Map<string, number>()
  readonly #tails = new Map<string, FileTail>()

  get(identity: string): FileTail | undefined {
    return this.#tails.get(identity)
  }

  set(identity: string, tail: FileTail): void {
    this.#tails.set(identity, tail)
  }

  /** All that was held back. */
  end(): LogEntry[][] {
    return [...this.#tails.values()].map((tail) => tail.end())
  }

  /** Entries that were held back and are earlier than this, per file. */
  releaseBefore(time: number): (readonly [identity: string, entries: LogEntry[]])[] {
    const held = [...this.#tails].filter(([, {pending}]) => (pending ?? Infinity) < time)
    return held.map(([identity, tail]) => [identity, tail.release()] as const)
  }

  /** What was held back of files that were removed. */
  forget(there: ReadonlySet<string>): LogEntry[][] {
    const left: LogEntry[][] = []
    for (const [identity, tail] of this.#tails) {
      const missing = there.has(identity) ? 0 : (this.#gone.get(identity) ?? 0) + 1
      this.#gone.set(identity, missing)
      if (missing === GONE_AFTER) left.push(tail.end())
      if (missing > GONE_AFTER && this.#tails.size > MOST) this.#tails.delete(identity)
    }
    return left
  }
}
