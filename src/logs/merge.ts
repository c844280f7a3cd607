// Merges the entries of many files in the order of time. Each file keeps its own order, also after a clock was set back.
import type {LogEntry} from './entry.js'

/** Entries that are handed on together: handling each batch has a price. */
const BATCH = 500
const BATCH_CHARACTERS = 500_000

export interface Source {
  /** No entry of it is earlier. */
  readonly begins: number
  open(): AsyncIterable<LogEntry[]>
}

/** An open source, with the entries of it that were not merged yet. */
interface Reading {
  at: number
  batch: LogEntry[]
  readonly batches: AsyncIterator<LogEntry[]>
  readonly index: number
}

export async function* merge(sources: readonly Source[]): AsyncGenerator<LogEntry[]> {
  // Opened only when their time has come: there may be hundreds of files, each with a block in memory.
  const closed = sources
    .map(({begins, open}, index) => ({begins, index, open}))
    .sort((one, other) => (one.begins === other.begins ? one.index - other.index : one.begins - other.begins))
  const open: Reading[] = []
  let merged: LogEntry[] = []
  let characters = 0
  try {
    for (;;) {
      const first = open.reduce<Reading | undefined>(
        (best, one) => (best && !isBefore(one, best) ? best : one),
        undefined,
      )
      const [next] = closed
      if (next && (!first || next.begins <= timeOf(first))) {
        closed.shift()
        const reading = {at: 0, batch: [], batches: next.open()[Symbol.asyncIterator](), index: next.index}
        if (await refill(reading)) open.push(reading)
        continue
      }
      if (!first) break

      // As long as no other source can be next, which is most of the time.
      const rivals = open.filter((one) => one !== first).map(timeOf)
      const limit = Math.min(next?.begins ?? Infinity, ...rivals)
      do {
        const entry = first.batch[first.at++] as LogEntry
        merged.push(entry)
        characters += entry.message.length
      } while (first.at < first.batch.length && timeOf(first) < limit)
      if (merged.length >= BATCH || characters >= BATCH_CHARACTERS) {
        yield merged
        merged = []
        characters = 0
      }
      if (first.at === first.batch.length && !(await refill(first))) open.splice(open.indexOf(first), 1)
    }
    if (merged.length > 0) yield merged
  } finally {
    for (const {batches} of open) await batches.return?.()
  }
}

const timeOf = ({at, batch}: Reading): number => batch[at]?.time ?? Infinity

const isBefore = (one: Reading, other: Reading): boolean =>
  timeOf(one) < timeOf(other) || (timeOf(one) === timeOf(other) && one.index < other.index)

async function refill(reading: Reading): Promise<boolean> {
  const next = await reading.batches.next()
  if (next.done === true) return false
  reading.batch = next.value
  reading.at = 0
  return true
}

/** The same for lists: an entry goes where the latest one before it in its list goes. */
export function mergeLists(lists: readonly (readonly LogEntry[])[]): LogEntry[] {
  const placed = lists.flatMap((list) => {
    let latest = -Infinity
    return list.map((entry) => ({entry, time: (latest = Math.max(latest, entry.time))}))
  })
  return placed.sort((one, other) => one.time - other.time).map(({entry}) => entry)
}
