// Reads the logs as they are now: all of them, the part of a time range, or the end.
import type {LogEntry} from './entry.js'
import {type Wanted, wantedOf} from './filter.js'
import {BLOCK, type LogFile, type LogReader} from './log-file.js'
import {merge, type Source} from './merge.js'
import type {Part} from './previous-run.js'
import {type MayHold, offsetBefore, openingAfter, readEntries} from './read-entries.js'

export interface LogQuery {
  /** Only so many entries, the last ones. */
  readonly tail?: number
  readonly wanted: Wanted
}

export const wholeFiles = (files: readonly LogFile[]): Part[] => files.map((file) => ({file, stretch: {}}))

/** In order, some at a time. */
export async function* readLogs(
  reader: LogReader,
  parts: readonly Part[],
  {tail, wanted}: LogQuery,
): AsyncGenerator<LogEntry[]> {
  const inTime = await partsInTime(reader, parts, wanted)
  const mayHold = quickFilter(wanted)
  const sourceOf = ({begins, file, stretch}: Part): Source => ({
    begins: begins ?? file.begins,
    open: () => readEntries(reader, file, stretch, mayHold),
  })
  if (tail === undefined) {
    for await (const entries of merge(inTime.map(sourceOf))) {
      const some = wantedOf(entries, wanted)
      if (some.length > 0) yield some
    }
    return
  }

  for (let window = BLOCK; tail > 0; window *= GROWTH) {
    const ends = await endsOf(reader, inTime, window)
    const last: LogEntry[] = []
    let sure = 0
    for await (const entries of merge(ends.parts.map(sourceOf))) {
      for (const entry of wantedOf(entries, wanted)) {
        last.push(entry)
        if (entry.time >= ends.since) sure++
      }
      if (last.length > 2 * tail) last.splice(0, last.length - tail)
    }
    if (sure < tail && ends.since > -Infinity) continue
    if (last.length > 0) yield last.slice(-tail)
    return
  }
}

/** How much more is read of each file where its end does not hold enough entries. */
const GROWTH = 8

/** The last bytes of the parts, as far as they can hold an entry since the time from which on none of them misses one. */
async function endsOf(
  reader: LogReader,
  parts: readonly Part[],
  window: number,
): Promise<{parts: readonly Part[]; since: number}> {
  const latestFirst = [...parts].sort((one, other) => (one.file.ends < other.file.ends ? 1 : -1))
  const ends: Part[] = []
  let since = -Infinity
  for (const part of latestFirst) {
    if (part.file.ends < since) continue
    const end = await endOf(reader, part, window)
    if (end.begins !== undefined) since = Math.max(since, end.begins)
    ends.push(end)
  }
  return {parts: parts.flatMap(({file}) => ends.find((end) => end.file === file) ?? []), since}
}

async function endOf(reader: LogReader, part: Part, window: number): Promise<Part> {
  const {file, stretch} = part
  const {from = 0, to = file.size} = stretch
  for (let size = window; to - size > from; size *= GROWTH) {
    const opening = await openingAfter(reader, file, to - size, to)
    if (opening) return {begins: opening.time, file, stretch: {...stretch, from: opening.offset}}
  }
  return part
}

/** Lines that are shown in other words than they are written in: a pattern may match only what is shown. */
const REWORDED = ['stdout: "', 'stderr: "', 'event {']
/** Such a line begins with a date; that is found much faster, and a log of klog has none. */
const hasDates = (text: string): boolean => /^\d/.test(text) || text.includes('\n2') || text.includes('\n1')
const isReworded = (text: string): boolean => hasDates(text) && REWORDED.some((mark) => text.includes(mark))

/** Tries the pattern on text of many lines, before any line is parsed. */
function quickFilter({grep}: Wanted): MayHold | undefined {
  if (!grep?.searchable) return undefined
  let isTooSlow = false
  return (texts) => {
    try {
      const matches = isTooSlow ? [] : grep(texts)
      return texts.map((text, index) => (matches[index] ?? true) || isReworded(text))
    } catch {
      // Too slow for so much text at once may be fast enough for each entry.
      isTooSlow = true
      return texts.map(() => true)
    }
  }
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
