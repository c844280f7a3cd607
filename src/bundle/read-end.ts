// The end of a file: the newest part of a log, cut where a line begins.
import type {Files} from '../machine/files.js'

export interface FileEnd {
  /** Of the file, without those given. */
  readonly cutBytes: number
  readonly text: string
}

/** Undefined where there is no such file. At most `most` bytes, all from one moment. */
export async function readEnd(files: Files, path: string, most: number): Promise<FileEnd | undefined> {
  const size = (await files.status(path))?.size
  if (size === undefined) return undefined
  const start = Math.max(0, size - most)
  const range = await files.readRange(path, start, most)
  if (!range) return undefined
  const bytes = Buffer.from(range.bytes)
  if (start === 0) return {cutBytes: 0, text: decode(bytes)}
  const line = bytes.indexOf('\n')
  // One line without an end: its middle tells nothing, and may be the middle of a secret.
  if (line === -1) return {cutBytes: size, text: ''}
  return {cutBytes: start + line + 1, text: decode(bytes.subarray(line + 1))}
}

function decode(bytes: Buffer): string {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe
  return isUtf16 ? bytes.subarray(2).toString('utf16le') : bytes.toString('utf8').replace(/^\u{FEFF}/u, '')
}
