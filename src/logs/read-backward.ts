// The entries of a file from its end, the last one first: only as much is read as is asked for.
import {Assembler} from './assemble.js'
import type {Line, LogEntry} from './entry.js'
import {BLOCK, type LogFile, type LogReader} from './log-file.js'
import {read, type Stretch} from './read-forward.js'
import {LineSplitter, LONGEST_LINE, newlineIn, unitOf} from './split-lines.js'

/** Lines that wait for the one they belong to. More are no stack any more. */
const MOST_WAITING = 5000

/** The end of a line whose beginning was not read yet. */
interface LineEnd {
  readonly bytes: Buffer
  readonly cut: number
  /** False only at the end of a file whose last line has its end. */
  readonly isLine: boolean
}

export async function* entriesBackward(
  reader: LogReader,
  file: LogFile,
  {from = 0, to = file.size}: Stretch = {},
): AsyncGenerator<LogEntry[]> {
  const unit = unitOf(file.encoding)
  let ending: LineEnd = {bytes: Buffer.alloc(0), cut: 0, isLine: false}
  let waiting: Line[] = []
  let reference = file.about.ends

  for (let end = to; end > from;) {
    const start = Math.max(from, end - BLOCK)
    const bytes = await read(reader, file, start, end - start)
    if (!bytes || bytes.length < end - start) return
    end = start
    const isFirst = start === from
    const newline = newlineIn(bytes, 0, file.encoding)
    if (newline === -1 && !isFirst) {
      ending = longer(bytes, ending)
      continue
    }

    const begin = isFirst ? 0 : newline + unit
    const splitter = new LineSplitter(file.encoding, start + begin)
    const lines = [
      ...splitter.push(bytes.subarray(begin)),
      ...splitter.push(ending.bytes),
      ...splitter.end(ending),
      ...waiting,
    ]
    ending = {bytes: bytes.subarray(0, Math.max(0, begin - unit)), cut: 0, isLine: true}
    const {before, entries} = assemble(file, reference, lines, isFirst)
    waiting = before
    reference = entries[0]?.time ?? reference
    if (entries.length > 0) yield entries.reverse()
  }
}

/** `before`: lines in front of the first that says something of itself. At a file's beginning there is nothing they wait for. */
function assemble(
  file: LogFile,
  reference: number,
  lines: readonly Line[],
  isFirst: boolean,
): {before: Line[]; entries: LogEntry[]} {
  const probe = new Assembler(file, isFirst ? file.about.begins : reference)
  const opening = lines.findIndex((line) => !('continues' in probe.read(line)))
  const begin = isFirst || (opening === -1 && lines.length > MOST_WAITING) ? 0 : opening === -1 ? lines.length : opening
  const assembler = new Assembler(file, isFirst ? file.about.begins : reference)
  const entries: LogEntry[] = []
  for (const line of lines.slice(begin)) {
    const done = assembler.add(line)
    if (done) entries.push(done)
  }
  const last = assembler.end()
  if (last) entries.push(last)
  return {before: lines.slice(0, begin), entries}
}

function longer(bytes: Buffer, {bytes: more, cut, isLine}: LineEnd): LineEnd {
  const all = Buffer.concat([bytes, more])
  return {
    bytes: all.subarray(0, LONGEST_LINE),
    cut: cut + Math.max(0, all.length - LONGEST_LINE),
    isLine: isLine || all.length > 0,
  }
}
