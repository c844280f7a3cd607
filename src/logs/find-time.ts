// Where in a large file a time begins, without reading all of it.
import {Assembler} from './assemble.js'
import {BLOCK, type LogFile, type LogReader} from './log-file.js'
import {read} from './read-forward.js'
import {saysTime} from './read-line.js'
import {LineSplitter, newlineIn, unitOf} from './split-lines.js'

/** Smaller files are read whole: where a clock was set back, halving may end at the wrong one of two places. */
const WORTH_IT = 128 * BLOCK

/** The start of a line that is before all entries of that time and later. */
export async function offsetBefore(reader: LogReader, file: LogFile, time: number): Promise<number> {
  let low = 0
  let high = file.size < WORTH_IT ? 0 : file.size
  while (high - low > BLOCK) {
    const unit = unitOf(file.encoding)
    const middle = low + Math.floor((high - low) / 2 / unit) * unit
    const found = await firstTime(reader, file, middle)
    if (found === undefined || found.time >= time) high = middle
    else low = found.offset
  }
  return low
}

/** The first entry after a place that says its time; undefined where the next block has none. */
async function firstTime(
  reader: LogReader,
  file: LogFile,
  from: number,
): Promise<{readonly offset: number; readonly time: number} | undefined> {
  const bytes = await read(reader, file, from, Math.min(BLOCK, file.size - from))
  const newline = bytes ? newlineIn(bytes, 0, file.encoding) : -1
  if (!bytes || newline === -1) return undefined
  const begin = newline + unitOf(file.encoding)
  const assembler = new Assembler(file, file.about.ends)
  for (const line of new LineSplitter(file.encoding, from + begin).push(bytes.subarray(begin))) {
    const told = assembler.read(line)
    if (saysTime(told)) return {offset: line.offset, time: told.time}
  }
  return undefined
}
