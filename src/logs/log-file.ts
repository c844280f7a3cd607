// A log's file as it was when it was first looked at, read in pieces by what it is, not by what it is called.
import {win32} from 'node:path'
import {FileError, type Files} from '../machine/files.js'
import type {Origin} from './assemble.js'
import type {LogEntry} from './entry.js'
import {asBuffer, type Encoding} from './split-lines.js'
import type {Zone} from './zone.js'

/** Read at a time. */
export const BLOCK = 65_536

export interface LogFile extends Origin {
  readonly encoding: Encoding
  /** Its first bytes, and the last of those that are read: by these it is known again. */
  readonly head: Uint8Array
  readonly identity: string
  readonly mark: Uint8Array
  /** The last entry in it, as far as a short look shows. */
  readonly last: Pick<LogEntry, 'level' | 'time'> | undefined
  readonly modifiedMs: number
  /** The process that wrote it, where its name tells. */
  readonly process?: number
  /** No entry is earlier, none is later. Infinite where a short look does not tell. */
  readonly begins: number
  readonly ends: number
  /** About when it begins and ends, by its lines, its name or its date: for lines that tell no year, or no time at all. */
  readonly about: {readonly begins: number; readonly ends: number}
  /** Up to where it is read: what comes later is not part of this look. */
  readonly size: number
}

export interface LogReader {
  readonly files: Files
  /** Something people should know of: told on the side. */
  readonly note: (text: string) => void
  readonly zone: Zone
}

/** Bytes of a file, or undefined where it is gone; under its new name where it was renamed meanwhile. */
export async function readBytes(
  {files}: LogReader,
  file: LogFile,
  start: number,
  length: number,
): Promise<Buffer | undefined> {
  const range = await files.readRange(file.file, start, length)
  if (range?.identity === file.identity) return asBuffer(range.bytes)
  const folder = win32.dirname(file.file)
  for (const name of await files.list(folder)) {
    const path = win32.join(folder, name)
    if ((await files.status(path))?.kind !== 'file') continue
    const other = await files.readRange(path, start, length)
    if (other?.identity === file.identity) return asBuffer(other.bytes)
  }
  return undefined
}

/** Why, in a word people know. */
export function refusal(error: unknown): string {
  if (!(error instanceof FileError)) throw error
  if (error.code === 'EBUSY') return 'another program holds it (EBUSY)'
  return ['EACCES', 'EPERM'].includes(error.code) ? `Windows does not let us (${error.code})` : error.code
}

export const stampTime = (stamp: string, {at}: Zone): number => {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)$/.exec(stamp) ?? []
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = parts.map(Number)
  return at(year, month, day, hour, minute, second)
}
