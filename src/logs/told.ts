// What the lines of a piece of a file tell of its time.
import {Assembler, type Origin} from './assemble.js'
import type {LogEntry} from './entry.js'
import {saysTime} from './read-line.js'
import {type Encoding, LineSplitter, newlineIn, unitOf} from './split-lines.js'

export type Told = Pick<LogEntry, 'level' | 'time'>

/** The first and the last entry of a piece; one without a time of its own has that of the one before. */
export function told(
  origin: Origin,
  encoding: Encoding,
  {bytes, isMiddle}: {readonly bytes: Buffer; readonly isMiddle: boolean},
  reference: number,
): {first?: Told; last?: Told} {
  const from = isMiddle ? newlineIn(bytes, 0, encoding) + unitOf(encoding) : 0
  const assembler = new Assembler(origin, reference)
  const splitter = new LineSplitter(encoding, 0)
  let first: Told | undefined
  let last: Told | undefined
  for (const line of [...splitter.push(bytes.subarray(from)), ...splitter.end()]) {
    const read = assembler.read(line)
    if (saysTime(read)) last = {level: read.level, time: read.time}
    else if (last && 'level' in read) last = {level: read.level, time: last.time}
    first ??= last
  }
  return {...(first && {first}), ...(last && {last})}
}
