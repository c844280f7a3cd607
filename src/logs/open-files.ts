// Finds the logs in their folders, and reads the first and last bytes of each: its encoding, and when it begins and ends.
import {win32} from 'node:path'
import type {Origin} from './assemble.js'
import type {Component, LogFolder} from './components.js'
import type {LogEntry} from './entry.js'
import {klogName, readableNames, stampTime} from './file-names.js'
import {BLOCK, type LogFile, type LogReader, refusal} from './log-file.js'
import {readLine, saysTime} from './read-line.js'
import {asBuffer, type Encoding, encodingOf, LineSplitter, newlineIn, unitOf} from './split-lines.js'
import {MARK} from './tails.js'

/** Bytes that are read of the beginning; and of the end: more where these have no time, as after the stack of a panic. */
const BEGINNING = 1024
const ENDINGS = [8192, BLOCK]
/** Files that are opened at the same time. */
const AT_ONCE = 16

/** All that can be read in the folders. `wholeLines`: without a last line that has no end yet. */
export async function openLogFiles(
  reader: LogReader,
  folders: readonly LogFolder[],
  {wholeLines = false} = {},
): Promise<LogFile[]> {
  const found: LogFile[] = []
  for (const {component, path: folder} of folders) {
    const names = await namesIn(reader, folder)
    for (let at = 0; at < names.length; at += AT_ONCE) {
      const some = names.slice(at, at + AT_ONCE)
      const opened = await Promise.all(
        some.map((name) => openLogFile(reader, component, win32.join(folder, name), wholeLines)),
      )
      found.push(...opened.filter((file) => file !== undefined))
    }
  }
  return found
}

/** A link, or a folder that is one, is not followed: it may lead anywhere, and an administrator may read everything. */
export async function namesIn({files, note, traces}: LogReader, folder: string): Promise<string[]> {
  try {
    for (const path of [win32.dirname(folder), folder]) {
      const kind = (await files.status(path))?.kind
      if (kind === undefined) return []
      if (kind === 'directory') continue
      note(`${path} is ${kind === 'link' ? 'a link, which is not followed' : 'not a folder'}; nothing in it is shown.`)
      return []
    }
    return readableNames(await files.list(folder), traces)
  } catch (error) {
    note(`${folder} cannot be read: ${refusal(error)}.`)
    return []
  }
}

async function openLogFile(
  reader: LogReader,
  component: Component,
  path: string,
  wholeLines: boolean,
): Promise<LogFile | undefined> {
  const {files, note, zone} = reader
  try {
    const status = await files.status(path)
    if (status?.kind === 'link') note(`${path} is a link, which is not followed.`)
    if (status?.kind !== 'file') return undefined
    const beginning = await files.readRange(path, 0, BEGINNING)
    if (!beginning) return undefined
    const {identity} = beginning
    const {modifiedMs} = status
    const encoding = encodingOf(beginning.bytes)
    const origin: Origin = {component, file: path, zone}
    const name = klogName(win32.basename(path))
    const stamp = name && stampTime(name.stamp, zone)
    const {first} = firstAndLast(origin, encoding, asBuffer(beginning.bytes), stamp ?? modifiedMs)

    const whole = beginning.size - (beginning.size % unitOf(encoding))
    let size = whole
    let mark = Buffer.alloc(0)
    let last: Moment | undefined
    for (const length of ENDINGS) {
      const start = Math.max(0, whole - length)
      const ending = await files.readRange(path, start, whole - start)
      if (ending?.identity !== identity) return undefined
      const bytes = asBuffer(ending.bytes)
      const lines = start > 0 ? bytes.subarray(newlineIn(bytes, 0, encoding) + unitOf(encoding)) : bytes
      last = firstAndLast(origin, encoding, lines, Math.max(modifiedMs, stamp ?? 0)).last
      size = start + (wholeLines ? afterLastLine(bytes, encoding, start > 0) : bytes.length)
      mark = Buffer.from(bytes.subarray(0, size - start).subarray(-MARK))
      if (last || start === 0) break
    }

    const begins = stamp ?? first?.time ?? modifiedMs
    const ends = last?.time ?? Math.max(begins, modifiedMs)
    const isSmall = beginning.size <= BEGINNING
    return {
      ...origin,
      about: {begins, ends},
      begins: first || stamp !== undefined || isSmall ? begins : -Infinity,
      encoding,
      ends: last || isSmall ? ends : Infinity,
      identity,
      last,
      mark,
      modifiedMs,
      ...(name && {process: name.process}),
      size,
    }
  } catch (error) {
    note(`${path} cannot be read: ${refusal(error)}. The other logs are shown.`)
    return undefined
  }
}

type Moment = Pick<LogEntry, 'level' | 'time'>

/** The first and the last entry of some lines; an entry without a time has that of the entry before it. */
function firstAndLast(
  {zone}: Origin,
  encoding: Encoding,
  bytes: Buffer,
  reference: number,
): {first?: Moment | undefined; last?: Moment | undefined} {
  const splitter = new LineSplitter(encoding, 0)
  let first: Moment | undefined
  let last: Moment | undefined
  for (const line of [...splitter.push(bytes), ...splitter.end()]) {
    const read = readLine(line.text, reference, zone)
    if (saysTime(read)) last = {level: read.level, time: read.time}
    else if (last && 'level' in read) last = {level: read.level, time: last.time}
    first ??= last
  }
  return {first, last}
}

function afterLastLine(bytes: Buffer, encoding: Encoding, isMiddle: boolean): number {
  let after = 0
  for (let at = newlineIn(bytes, 0, encoding); at !== -1; at = newlineIn(bytes, after, encoding)) {
    after = at + unitOf(encoding)
  }
  // A line this long is cut anyway.
  return after === 0 && isMiddle ? bytes.length : after
}
