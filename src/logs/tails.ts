// How far each file was read, by what it is: under whatever name it comes back, it is known again.
import type {FileRange, Files} from '../machine/files.js'
import type {LogEntry} from './entry.js'
import type {FileTail} from './file-tail.js'
import {BLOCK} from './log-file.js'

/** Looks until a file that is gone is taken for removed; a rename takes less. */
const GONE_AFTER = 4
const MOST = 4096

export class Tails {
  readonly #copies = new Set<string>()
  readonly #files: Pick<Files, 'readRange'>
  readonly #gone = new Map<string, number>()
  readonly #tails = new Map<string, FileTail>()

  constructor(files: Pick<Files, 'readRange'>) {
    this.#files = files
  }

  get(identity: string): FileTail | undefined {
    return this.#tails.get(identity)
  }

  set(identity: string, tail: FileTail): void {
    this.#tails.set(identity, tail)
  }

  /** What was held back; nothing more will come. */
  end(): LogEntry[][] {
    return [...this.#tails.values()].map((tail) => tail.end())
  }

  /** Entries that were held back and are earlier than this, by the file they are of. */
  settleBefore(time: number): (readonly [identity: string, entries: LogEntry[]])[] {
    const held = [...this.#tails].filter(([, {pending}]) => (pending ?? Infinity) < time)
    return held.map(([identity, tail]) => [identity, tail.settle()] as const)
  }

  /**
   * The tail that a new file goes on with. A rotation may copy a log and cut it off: then the copy goes on where the log
   * was read up to. A copy of a log that is still there has nothing new ("shown").
   */
  async original(
    path: string,
    {identity, size}: FileRange,
    pathOf: (identity: string) => string | undefined,
  ): Promise<FileTail | 'shown' | undefined> {
    if (this.#copies.has(identity)) return 'shown'
    const goesOnIn = async (file: string, tail: FileTail): Promise<boolean> =>
      tail.goesOn((await this.#files.readRange(file, tail.readFrom, BLOCK))?.bytes ?? Buffer.alloc(0))
    const beginning = (await this.#files.readRange(path, 0, BLOCK))?.bytes ?? Buffer.alloc(0)
    for (const [other, tail] of this.#tails) {
      if (!tail.mayBeIn(beginning, size) || !(await goesOnIn(path, tail))) continue
      const original = pathOf(other)
      if (original === undefined || !(await goesOnIn(original, tail))) {
        this.#tails.delete(other)
        return tail
      }
      this.#copies.add(identity)
      return 'shown'
    }
    return undefined
  }

  /** Of files that are gone for good: what was held back of them. */
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
