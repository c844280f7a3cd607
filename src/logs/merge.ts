// Many files as one story in the order of time. Within a file its own order stays, also where a clock was set back.
import type {LogEntry} from './entry.js'
import type {LogFile} from './log-file.js'

type Batches = AsyncIterator<LogEntry[]>

/** So many together, where files take turns: what is done with them has its price each time. */
const TOGETHER = 500
const TOGETHER_CHARACTERS = 500_000

export interface Source {
  readonly file: LogFile
  open(): AsyncIterable<LogEntry[]>
}

/** `backward`: the sources give their last entry first, and so does the result. */
export async function* merge(
  sources: readonly Source[],
  direction: 'backward' | 'forward' = 'forward',
): AsyncGenerator<LogEntry[]> {
  const sign = direction === 'forward' ? 1 : -1
  const bound = ({file}: Source): number => sign * (direction === 'forward' ? file.begins : file.ends)
  // Opened only when its time has come: there may be hundreds of files, each with a block in memory.
  const closed = sources.map((source, index) => ({index: sign * index, source, time: bound(source)})).sort(earlierFirst)
  const open: Reading[] = []
  let together: LogEntry[] = []
  let characters = 0
  const isNext = (one: Ranked | undefined, other: Ranked | undefined): boolean =>
    one !== undefined && (other === undefined || earlierFirst(one, other) < 0)

  try {
    for (;;) {
      let [first] = open
      for (const one of open) if (isNext(one, first)) first = one
      const [waiting] = closed
      if (waiting && (first === undefined || waiting.time <= first.time)) {
        closed.shift()
        const reading = await Reading.begin(waiting.source.open()[Symbol.asyncIterator](), waiting.index, sign)
        if (reading) open.push(reading)
        continue
      }
      if (!first) break

      // As long as nobody else can be next, which is most of the time.
      const rivals = open.filter((one) => one !== first).map(({time}) => time)
      const batch = first.takeBefore(Math.min(waiting?.time ?? Infinity, ...rivals))
      for (const entry of batch) {
        together.push(entry)
        characters += entry.message.length
      }
      // Backwards nobody knows whether more will be wanted.
      if (sign < 0 || together.length >= TOGETHER || characters >= TOGETHER_CHARACTERS) {
        yield together
        together = []
        characters = 0
      }
      if (first.isEmpty && !(await first.refill())) open.splice(open.indexOf(first), 1)
    }
    if (together.length > 0) yield together
  } finally {
    for (const one of open) await one.close()
  }
}

interface Ranked {
  readonly index: number
  readonly time: number
}

const earlierFirst = (one: Ranked, other: Ranked): number => one.time - other.time || one.index - other.index

class Reading implements Ranked {
  #at = 0
  #batch: LogEntry[]

  private constructor(
    private readonly batches: Batches,
    readonly index: number,
    private readonly sign: number,
    first: LogEntry[],
  ) {
    this.#batch = first
  }

  static async begin(batches: Batches, index: number, sign: number): Promise<Reading | undefined> {
    const next = await batches.next()
    return next.done ? undefined : new Reading(batches, index, sign, next.value)
  }

  get isEmpty(): boolean {
    return this.#at >= this.#batch.length
  }

  get time(): number {
    return this.sign * (this.#batch[this.#at]?.time ?? Infinity)
  }

  async close(): Promise<void> {
    await this.batches.return?.()
  }

  async refill(): Promise<boolean> {
    const next = await this.batches.next()
    if (next.done) return false
    this.#batch = next.value
    this.#at = 0
    return true
  }

  /** At least one. */
  takeBefore(time: number): LogEntry[] {
    const from = this.#at++
    const batch = this.#batch
    while (this.#at < batch.length && this.sign * (batch[this.#at]?.time ?? 0) < time) this.#at++
    return batch.slice(from, this.#at)
  }
}
