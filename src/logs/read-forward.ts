// The entries of a file from a place on, in its order, a block at a time.
import {Assembler} from './assemble.js'
import type {LogEntry} from './entry.js'
import {BLOCK, type LogFile, type LogReader, readBytes, refusal} from './log-file.js'
import {LineSplitter} from './split-lines.js'

/** Larger than for reading backwards, where most of a block may be more than is wanted. */
const FORWARD_BLOCK = 4 * BLOCK

export interface Stretch {
  /** The start of a line. */
  readonly from?: number
  readonly to?: number
}

export async function* entriesForward(
  reader: LogReader,
  file: LogFile,
  {from = 0, to = file.size}: Stretch = {},
): AsyncGenerator<LogEntry[]> {
  const splitter = new LineSplitter(file.encoding, from)
  const assembler = new Assembler(file, file.about.begins)
  const entries: LogEntry[] = []
  for (let at = from; at < to;) {
    const bytes = await read(reader, file, at, Math.min(FORWARD_BLOCK, to - at))
    if (!bytes || bytes.length === 0) break
    at += bytes.length
    for (const line of splitter.push(bytes)) {
      const done = assembler.add(line)
      if (done) entries.push(done)
    }
    if (entries.length > 0) yield entries.splice(0)
  }

  for (const line of splitter.end()) {
    const done = assembler.add(line)
    if (done) entries.push(done)
  }
  const last = assembler.end()
  if (last) entries.push(last)
  if (entries.length > 0) yield entries
}

/** What goes away, is cut off or locked while it is read is told, and the rest goes on without it. */
export async function read(
  reader: LogReader,
  file: LogFile,
  start: number,
  length: number,
): Promise<Buffer | undefined> {
  try {
    const bytes = await readBytes(reader, file, start, length)
    if (!bytes) reader.note(`${file.file} was removed while it was read.`)
    else if (bytes.length === 0) reader.note(`${file.file} was cut off while it was read.`)
    return bytes
  } catch (error) {
    reader.note(`${file.file} could not be read on: ${refusal(error)}.`)
    return undefined
  }
}
