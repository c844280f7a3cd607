// Reads what several files of a bundle are made of: documents, files, folders, and the output of programs.
import {win32} from 'node:path'
import {isPlainPath} from '../host/security/security.js'
import type {Files} from '../machine/files.js'
import {systemProgram} from '../machine/system-program.js'
import type {CollectorContext, Content, Reader} from './collector.js'

/** More than any of these has on a healthy node. */
const LARGEST = 512 * 1024
const MOST_NAMES = 500
/** Below the time of a collector, so that the program itself is ended. */
const PROGRAM_MS = 10_000
/** Of what a program prints when it fails. */
const LONGEST_REASON = 500

export const json =
  (read: (context: CollectorContext) => Promise<unknown>): Reader =>
  async (context) => {
    const document = await read(context)
    return document === undefined ? undefined : {content: {document}}
  }

export const asText = (text: string): Content => ({text})
export const asLines = (lines: string): Content => ({lines})

/** Text that is not JSON is shown as it is: that may be the problem. */
export function asJson(text: string): Content {
  try {
    return {document: JSON.parse(text)}
  } catch {
    return {text}
  }
}

export const file =
  (as: (text: string) => Content, of: (context: CollectorContext) => {files: Files; path: string}): Reader =>
  async (context) => {
    const {files, path} = of(context)
    const end = await readEnd(files, path, LARGEST)
    return end && {content: as(end.text), ...(end.cutBytes > 0 && {cut: `the first ${end.cutBytes} bytes`})}
  }

export interface FileEnd {
  /** Bytes of the file in front of the text. */
  readonly cutBytes: number
  readonly text: string
}

/** The newest lines of a file, at most `most` bytes, all from one moment; undefined where there is no such file. */
export async function readEnd(files: Files, path: string, most: number): Promise<FileEnd | undefined> {
  const size = (await files.status(path))?.size
  if (size === undefined) return undefined
  const start = Math.max(0, size - most)
  const range = await files.readRange(path, start, most)
  if (!range) return undefined
  const bytes = Buffer.from(range.bytes)
  if (start === 0) return {cutBytes: 0, text: decode(bytes)}
  const line = bytes.indexOf('\n')
  // The middle of a single long line may be the middle of a secret.
  if (line === -1) return {cutBytes: size, text: ''}
  return {cutBytes: start + line + 1, text: decode(bytes.subarray(line + 1))}
}

function decode(bytes: Buffer): string {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe
  return isUtf16 ? bytes.subarray(2).toString('utf16le') : bytes.toString('utf8').replace(/^\u{FEFF}/u, '')
}

/** Names, kinds, sizes and times; links are listed, and not followed. */
export async function listing(files: Files, folders: readonly string[]): Promise<unknown> {
  const listed = folders.map(async (folder) => {
    if (!(await isPlainPath(files, folder))) return [folder, 'a link, not followed'] as const
    const names = (await files.list(folder)).slice(0, MOST_NAMES)
    const entries = names.map(async (name) => {
      const status = await files.status(win32.join(folder, name))
      return status && {...status, modified: new Date(status.modifiedMs).toISOString(), modifiedMs: undefined, name}
    })
    return [folder, await Promise.all(entries)] as const
  })
  return Object.fromEntries(await Promise.all(listed))
}

/** The output of a program of System32 (with .exe), in the system's language: nothing is decided from it. */
export const program =
  (name: string, ...args: readonly string[]): Reader =>
  async ({machine, signal}) => {
    const path = await systemProgram(machine.win32, name)
    const {exitCode, stderr, stdout} = await machine.run(path, args, {deadlineMs: PROGRAM_MS, effect: 'read', signal})
    if (exitCode !== 0) {
      const printed = `${stdout}${stderr}`.trim().slice(0, LONGEST_REASON)
      throw new Error(`${path} ${args.join(' ')} ended with ${exitCode}: ${printed}`)
    }
    const bytes = Buffer.from(stdout, 'utf8')
    if (bytes.length <= LARGEST) return {content: {text: stdout}}
    // Whole lines: half of a secret would not be recognised.
    const end = bytes.lastIndexOf('\n', LARGEST - 1) + 1
    const cut = `the last ${bytes.length - end} of ${bytes.length} bytes`
    return {content: {text: bytes.toString('utf8', 0, end)}, cut}
  }
