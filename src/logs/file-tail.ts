// One file that is followed: how far it was read, and how to tell that it is no longer what it was.
import {Assembler, type Origin} from './assemble.js'
import type {Line, LogEntry} from './entry.js'
import {asBuffer, type Encoding, encodingOf, LineSplitter} from './split-lines.js'

/** Bytes that are compared: the file's first, and the last of those that were read. */
export const HEAD = 256
export const MARK = 64
/** A shorter beginning proves nothing. */
const TELLING_HEAD = 32

/** How far a file was read before it is followed. */
export interface TailStart {
  /** The entry in front of that place. */
  readonly before?: Pick<LogEntry, 'level' | 'time'> | undefined
  readonly encoding: Encoding
  readonly head: Uint8Array
  readonly mark: Uint8Array
  readonly offset: number
}

export class FileTail {
  readonly #assembler: Assembler
  #head: Buffer
  #mark: Buffer
  #offset: number
  #splitter: LineSplitter | undefined

  /** Without a start: from its beginning. */
  constructor(origin: Origin, reference: number, start?: TailStart) {
    this.#assembler = new Assembler(origin, reference, start?.before)
    this.#head = asBuffer(start?.head ?? Buffer.alloc(0)).subarray(0, HEAD)
    this.#mark = asBuffer(start?.mark ?? Buffer.alloc(0)).subarray(-MARK)
    this.#offset = start?.offset ?? 0
    if (start) this.#splitter = new LineSplitter(start.encoding, start.offset)
  }

  get offset(): number {
    return this.#offset
  }

  /** The time of an entry that is held back, for lines that belong to it may still come. */
  get pending(): number | undefined {
    return this.#assembler.pending
  }

  /** Where to read from, so that what was read last comes first. */
  get readFrom(): number {
    return this.#offset - this.#mark.length
  }

  /** Whether bytes from `readFrom` on are of the file as it was: neither cut off nor written anew. */
  goesOn(bytes: Uint8Array): boolean {
    return asBuffer(bytes).subarray(0, this.#mark.length).equals(this.#mark)
  }

  /** Whether another file that begins so may be a copy of this one. */
  mayBeIn(beginning: Uint8Array, size: number): boolean {
    const same = asBuffer(beginning).subarray(0, this.#head.length).equals(this.#head)
    return same && this.#head.length >= TELLING_HEAD && size >= this.#offset
  }

  /** Bytes from `readFrom` on. Returns the entries that are whole by now. */
  take(bytes: Uint8Array): LogEntry[] {
    const all = asBuffer(bytes)
    const more = all.subarray(this.#mark.length)
    if (more.length === 0) return []
    if (this.#offset === this.#head.length && this.#offset < HEAD) {
      this.#head = Buffer.concat([this.#head, more]).subarray(0, HEAD)
    }
    this.#splitter ??= new LineSplitter(encodingOf(more), 0)
    this.#offset += more.length
    this.#mark = Buffer.from(all.subarray(-MARK))
    return this.#add(this.#splitter.push(more))
  }

  /** The last entry, which nothing was added to for a while. */
  settle(): LogEntry[] {
    const last = this.#assembler.end()
    return last ? [last] : []
  }

  /** All that is left, also a line without an end: no more will come. */
  end(): LogEntry[] {
    return [...this.#add(this.#splitter?.end() ?? []), ...this.settle()]
  }

  #add(lines: readonly Line[]): LogEntry[] {
    return lines.flatMap((line) => this.#assembler.add(line) ?? [])
  }
}
