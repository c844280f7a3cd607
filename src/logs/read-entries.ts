// Reads the entries of a file from an offset on, in the order of the file, one block at a time.
import {Assembler} from './assemble.js'
import type {LogEntry} from './entry.js'
import {BLOCK, type LogFile, type LogReader, readBytes, refusal} from './log-file.js'
import {readLine, saysTime} from './read-line.js'
import {decode, LineSplitter, newlineIn, unitOf} from './split-lines.js'

/** The file is opened for each block: larger blocks make that cheap. */
const LARGE_BLOCK = 4 * BLOCK
/** Blocks that are searched before they are parsed; each search has a price. A longer stack is not searched. */
const SEARCHED_BLOCK = 16 * BLOCK
const CARRIAGE_RETURN = 0x0d
/** Smaller files are read whole: after a clock was set back, halving may find the wrong one of two places. */
const WORTH_HALVING = 128 * BLOCK

export interface Stretch {
  /** The start of a line. */
  readonly from?: number
  readonly to?: number
}

/** Which of these texts of whole entries may hold a wanted one. The others are never parsed. */
export type MayHold = (texts: readonly string[]) => readonly boolean[]

export async function* readEntries(
  reader: LogReader,
  file: LogFile,
  {from = 0, to = file.size}: Stretch = {},
  mayHold?: MayHold,
): AsyncGenerator<LogEntry[]> {
  const reference = from === 0 ? file.about.begins : file.about.ends
  let assembler = new Assembler(file, reference)
  let splitter = new LineSplitter(file.encoding, from)
  let entries: LogEntry[] = []
  const finish = (): void => {
    for (const line of splitter.end()) push(assembler.add(line))
    push(assembler.end())
  }
  const push = (entry: LogEntry | undefined): void => void (entry && entries.push(entry))
  const pieces =
    mayHold && file.encoding === 'utf-8'
      ? search(readBlocks(reader, file, from, to, SEARCHED_BLOCK), file, reference, mayHold)
      : readBlocks(reader, file, from, to, LARGE_BLOCK)
  for await (const {bytes, offset, time} of pieces) {
    if (time !== undefined) {
      finish()
      assembler = new Assembler(file, time)
      splitter = new LineSplitter(file.encoding, offset)
    }
    for (const line of splitter.push(bytes)) push(assembler.add(line))
    if (entries.length > 0) yield entries
    entries = []
  }
  finish()
  if (entries.length > 0) yield entries
}

interface Piece {
  readonly bytes: Buffer
  readonly offset: number
  /** About when its first entry was written, where the piece begins with an entry. */
  readonly time?: number
}

/** Where a piece begins, and the time of its first line; undefined where that continues an entry. */
interface Cut {
  readonly at: number
  readonly time: number | undefined
}

/** Only the pieces that may hold a wanted entry, cut where an entry begins. */
async function* search(
  blocks: AsyncIterable<Piece>,
  file: LogFile,
  reference: number,
  mayHold: MayHold,
): AsyncGenerator<Piece> {
  let held: Piece | undefined
  let time: number | undefined = reference
  for await (const block of blocks) {
    const bytes: Buffer = held ? Buffer.concat([held.bytes, block.bytes]) : block.bytes
    const offset: number = held?.offset ?? block.offset
    const cuts: Cut[] = [{at: 0, time}, ...openingsIn(bytes, file, time ?? reference)]
    const pieces: Piece[] = cuts.map((cut, index) => ({
      bytes: bytes.subarray(cut.at, cuts[index + 1]?.at),
      offset: offset + cut.at,
      ...(cut.time !== undefined && {time: cut.time}),
    }))
    held = pieces.pop()
    time = held?.time
    yield* wantedPieces(pieces, mayHold)
    if (!held || held.bytes.length < SEARCHED_BLOCK) continue
    yield held
    held = time = undefined
  }
  if (held) yield* wantedPieces([held], mayHold)
}

/** A piece that continues an entry is always read: it is unknown what it continues. */
function wantedPieces(pieces: readonly Piece[], mayHold: MayHold): Piece[] {
  const texts = pieces.map(({bytes, offset}) => {
    const text = decode(bytes, 0, bytes.length, 'utf-8', offset === 0)
    return bytes.includes(CARRIAGE_RETURN) ? text.replaceAll('\r\n', '\n') : text
  })
  const isWanted = mayHold(texts)
  return pieces.filter(({time}, index) => time === undefined || isWanted[index])
}

/** Lines that say their time, about one per BLOCK. */
function openingsIn(bytes: Buffer, {zone}: LogFile, reference: number): Cut[] {
  const found: Cut[] = []
  for (let end = bytes.indexOf('\n', BLOCK); end !== -1;) {
    const next = bytes.indexOf('\n', end + 1)
    if (next === -1) break
    const read = readLine(decode(bytes, end + 1, next, 'utf-8', false), reference, zone)
    if (saysTime(read)) found.push({at: end + 1, time: read.time})
    end = saysTime(read) ? bytes.indexOf('\n', next + BLOCK) : next
  }
  return found
}

/** The first line after an offset that says its time; the line at the offset may be incomplete. */
export async function openingAfter(
  reader: LogReader,
  file: LogFile,
  from: number,
  to: number,
): Promise<{readonly offset: number; readonly time: number} | undefined> {
  let splitter: LineSplitter | undefined
  for await (const {bytes, offset} of readBlocks(reader, file, from, to, BLOCK)) {
    const begin = splitter ? 0 : newlineIn(bytes, 0, file.encoding) + unitOf(file.encoding)
    if (!splitter && begin < unitOf(file.encoding)) continue
    splitter ??= new LineSplitter(file.encoding, offset + begin)
    for (const line of splitter.push(bytes.subarray(begin))) {
      const read = readLine(line.text, file.about.ends, file.zone)
      if (saysTime(read)) return {offset: line.offset, time: read.time}
    }
  }
  return undefined
}

/** The start of a line in front of all entries of that time and later, found without reading all of a large file. */
export async function offsetBefore(reader: LogReader, file: LogFile, time: number): Promise<number> {
  const unit = unitOf(file.encoding)
  let low = 0
  let high = file.size < WORTH_HALVING ? 0 : file.size
  while (high - low > BLOCK) {
    const middle = low + Math.floor((high - low) / 2 / unit) * unit
    const opening = await openingAfter(reader, file, middle, high)
    if (opening === undefined || opening.time >= time) high = middle
    else low = opening.offset
  }
  return low
}

/** A file that is removed, truncated or locked meanwhile is reported, and ends here. */
async function* readBlocks(
  reader: LogReader,
  file: LogFile,
  from: number,
  to: number,
  size: number,
): AsyncGenerator<Piece> {
  for (let offset = from; offset < to;) {
    let bytes: Buffer | undefined
    try {
      bytes = await readBytes(reader, file, offset, Math.min(size, to - offset))
    } catch (error) {
      reader.note(`${file.file} could not be read further: ${refusal(error)}.`)
      return
    }
    if (!bytes) reader.note(`${file.file} was removed while it was read.`)
    else if (bytes.length === 0) reader.note(`${file.file} was truncated while it was read.`)
    if (!bytes?.length) return
    yield {bytes, offset}
    offset += bytes.length
  }
}
