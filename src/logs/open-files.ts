// Finds the logs in their folders, and takes a short look at each: when it begins and ends, and how it is written.
import {win32} from 'node:path'
import type {Origin} from './assemble.js'
import type {Component, LogFolder} from './components.js'
import {klogName, readableNames} from './file-names.js'
import {HEAD, MARK} from './file-tail.js'
import {BLOCK, type LogFile, type LogReader, refusal, stampTime} from './log-file.js'
import {asBuffer, type Encoding, encodingOf, newlineIn, unitOf} from './split-lines.js'
import {told} from './told.js'

const BEGINNING = 1024
const ENDING = 8192
/** Looked at side by side. */
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

/** A link, or a folder that is one, is not followed: it may lead anywhere, and this program may read everything. */
export async function namesIn({files, note}: LogReader, folder: string): Promise<string[]> {
  try {
    for (const path of [win32.dirname(folder), folder]) {
      const kind = (await files.status(path))?.kind
      if (kind === undefined) return []
      if (kind === 'directory') continue
      note(`${path} is ${kind === 'link' ? 'a link, which is not followed' : 'no folder'}; nothing in it is shown.`)
      return []
    }
    return readableNames(await files.list(folder))
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
    const encoding = encodingOf(beginning.bytes)
    const whole = beginning.size - (beginning.size % unitOf(encoding))
    const start = Math.max(0, whole - ENDING)
    const ending = await files.readRange(path, start, whole - start)
    if (ending?.identity !== identity) return undefined
    const tail = asBuffer(ending.bytes)
    const size = wholeLines ? start + afterLastLine(tail, encoding, start > 0) : start + tail.length

    const name = klogName(win32.basename(path))
    const stamp = name && stampTime(name.stamp, zone)
    const {modifiedMs} = status
    const origin: Origin = {component, file: path, zone}
    const {first} = told(origin, encoding, {bytes: asBuffer(beginning.bytes), isMiddle: false}, stamp ?? modifiedMs)
    const latest = Math.max(modifiedMs, stamp ?? 0)
    let {last} = told(origin, encoding, {bytes: tail, isMiddle: start > 0}, latest)
    if (!last && start > 0) {
      // What a dying program says has no time, and can be long.
      const from = Math.max(0, whole - BLOCK)
      const more = await files.readRange(path, from, whole - from)
      if (more?.identity !== identity) return undefined
      last = told(origin, encoding, {bytes: asBuffer(more.bytes), isMiddle: from > 0}, latest).last
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
      head: Buffer.from(beginning.bytes.subarray(0, Math.min(HEAD, size))),
      identity,
      last,
      mark: Buffer.from(tail.subarray(0, size - start).subarray(-MARK)),
      modifiedMs,
      ...(name && {process: name.process}),
      size,
    }
  } catch (error) {
    note(`${path} cannot be read: ${refusal(error)}. The other logs are shown.`)
    return undefined
  }
}

function afterLastLine(bytes: Buffer, encoding: Encoding, isMiddle: boolean): number {
  let after = 0
  for (let at = newlineIn(bytes, 0, encoding); at !== -1; at = newlineIn(bytes, after, encoding)) {
    after = at + unitOf(encoding)
  }
  // A line this long is cut anyway.
  return after === 0 && isMiddle ? bytes.length : after
}
