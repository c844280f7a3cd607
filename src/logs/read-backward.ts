// The entries of a file from its end, the last one first: only as much is read as is asked for.
import {Assembler} from './assemble.js'
import type {Line, LogEntry} from './entry.js'
import {BLOCK, type LogFile, type LogReader} from './log-file.js'
import {read, type Stretch} from './read-forward.js'
import {saysTime} from './read-line.js'
import {LineSplitter, LONGEST_LINE, newlineIn, unitOf} from './split-lines.js'
import {told, type Told} from './told.js'

/** Lines that wait for the one they belong to. */
const MOST_WAITING = 5000
/** Where more wait, only its time is looked for, and no further than this. */
const LOOK_BACK = 16 * BLOCK

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
  /** Of the entry that lines belong to whose beginning is not read yet: looked for down to a place. */
  let owner: {readonly downTo: number; readonly told?: Told | undefined} | undefined

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
    if (isFirst) {
      yield assemble(lines, new Assembler(file, file.about.begins)).reverse()
      return
    }
    const opening = openingIn(file, reference, lines)
    if (opening === -1 && lines.length <= MOST_WAITING) {
      waiting = lines
      continue
    }
    if (opening !== -1) owner = undefined
    else if (!owner || start <= owner.downTo) owner = await ownerOf(reader, file, start + begin, from)
    const entries = assemble(lines.slice(Math.max(0, opening)), new Assembler(file, reference, owner?.told))
    waiting = lines.slice(0, Math.max(0, opening))
    reference = entries[0]?.time ?? reference
    yield entries.reverse()
  }
}

/** The first line that says its time: those in front of it belong to what is not read yet. */
function openingIn(file: LogFile, reference: number, lines: readonly Line[]): number {
  const probe = new Assembler(file, reference)
  return lines.findIndex((line) => saysTime(probe.read(line)))
}

function assemble(lines: readonly Line[], assembler: Assembler): LogEntry[] {
  const entries = lines.flatMap((line) => assembler.add(line) ?? [])
  const last = assembler.end()
  return last ? [...entries, last] : entries
}

async function ownerOf(
  reader: LogReader,
  file: LogFile,
  place: number,
  from: number,
): Promise<{downTo: number; told: Told | undefined}> {
  const downTo = Math.max(from, place - LOOK_BACK)
  const bytes = await read(reader, file, downTo, place - downTo)
  return {downTo, told: bytes && told(file, file.encoding, {bytes, isMiddle: downTo > from}, file.about.ends).last}
}

function longer(bytes: Buffer, {bytes: more, cut, isLine}: LineEnd): LineEnd {
  const all = Buffer.concat([bytes, more])
  return {
    bytes: all.subarray(0, LONGEST_LINE),
    cut: cut + Math.max(0, all.length - LONGEST_LINE),
    isLine: isLine || all.length > 0,
  }
}
