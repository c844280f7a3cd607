// One look at the logs as they are: all of it, a part by time, or its end.
import type {LogEntry} from './entry.js'
import {type Wanted, wantedOf} from './filter.js'
import {offsetBefore} from './find-time.js'
import type {LogFile, LogReader} from './log-file.js'
import {merge, type Source} from './merge.js'
import type {Part} from './previous-run.js'
import {entriesBackward} from './read-backward.js'
import {entriesForward} from './read-forward.js'

export interface Look {
  /** Only so many entries, the last ones. */
  readonly tail?: number
  readonly wanted: Wanted
}

export const wholeFiles = (files: readonly LogFile[]): Part[] => files.map((file) => ({file, stretch: {}}))

/** In order, some at a time. */
export async function* lookAt(
  reader: LogReader,
  parts: readonly Part[],
  {tail, wanted}: Look,
): AsyncGenerator<LogEntry[]> {
  const inTime = await partsInTime(reader, parts, wanted)
  if (tail !== undefined) {
    yield* lastOf(reader, inTime, tail, wanted)
    return
  }

  const sources = inTime.map(({file, stretch}): Source => ({file, open: () => entriesForward(reader, file, stretch)}))
  for await (const entries of merge(sources)) {
    const some = wantedOf(entries, wanted)
    if (some.length > 0) yield some
  }
}

async function* lastOf(
  reader: LogReader,
  parts: readonly Part[],
  tail: number,
  wanted: Wanted,
): AsyncGenerator<LogEntry[]> {
  if (tail === 0) return
  const sources = parts.map(({file, stretch}): Source => ({file, open: () => entriesBackward(reader, file, stretch)}))
  const last: LogEntry[] = []
  for await (const entries of merge(sources, 'backward')) {
    for (const entry of wantedOf(entries, wanted)) last.push(entry)
    if (last.length >= tail) break
  }
  if (last.length > 0) yield last.slice(0, tail).reverse()
}

/** Without what is before or after the wanted time, as far as that is cheap to know. */
async function partsInTime(reader: LogReader, parts: readonly Part[], {since, until}: Wanted): Promise<Part[]> {
  const some: Part[] = []
  for (const {file, stretch} of parts) {
    const isBefore = since !== undefined && file.begins < since && file.ends < since
    const isAfter = until !== undefined && file.begins > until && file.ends > until
    if (isBefore || isAfter) continue
    const from = since === undefined || stretch.from !== undefined ? 0 : await offsetBefore(reader, file, since)
    some.push({file, stretch: from > 0 ? {...stretch, from} : stretch})
  }
  return some
}
