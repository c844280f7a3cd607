// A log file as it was when it was opened; it is read by its identity, also after it was renamed.
import {win32} from 'node:path'
import {FileError, type Files} from '../machine/files.js'
import type {Origin} from './assemble.js'
import type {LogEntry} from './entry.js'
import {asBuffer, type Encoding} from './split-lines.js'
import type {Zone} from './zone.js'

/** Bytes that are read at a time. */
export const BLOCK = 65_536

export interface LogFile extends Origin {
  readonly encoding: Encoding
  readonly identity: string
  /** The last bytes of those that are read: a follower sees by them whether the file was truncated. */
  readonly mark: Uint8Array
  /** The last entry, where the last bytes of the file show it. */
  readonly last: Pick<LogEntry, 'level' | 'time'> | undefined
  readonly modifiedMs: number
  /** The process that wrote it, where the name of the file has it. */
  readonly process?: number
  /** No entry is earlier, none is later. Infinite where the first and last bytes do not show it. */
  readonly begins: number
  readonly ends: number
  /** About when it begins and ends, by its lines, its name or its date: for lines without a year, or without a time. */
  readonly about: {readonly begins: number; readonly ends: number}
  /** Only this much is read, also where more is written meanwhile. */
  readonly size: number
}

export interface LogReader {
  readonly files: Files
  /** Reports what the user should know, beside the lines. */
  readonly note: (text: string) => void
  /** Of k8s-win's own runs the traces in place of the logs. */
  readonly traces?: boolean
  readonly zone: Zone
}

/** Bytes of a file, under its new name where it was renamed meanwhile; undefined where it was removed. */
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

/** Why a file could not be read. */
export function refusal(error: unknown): string {
  if (!(error instanceof FileError)) throw error
  if (error.code === 'EBUSY') return 'another program holds it open (EBUSY)'
  return ['EACCES', 'EPERM'].includes(error.code) ? `access denied (${error.code})` : error.code
}
