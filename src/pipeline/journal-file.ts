// The journal's file, which may be anything by now: what cannot be one is not read into memory, or not read at all.
import type {Files} from '../machine/files.js'

/** A setup writes some 200 lines of some 200 bytes. */
const LARGEST = 32 * 1024 * 1024

export interface JournalFile {
  /** Undefined where there is none, and where it is no journal. */
  readonly content?: Buffer
  /** Why it is not read, in words. */
  readonly problem?: string
}

export async function readJournalFile(files: Files, path: string): Promise<JournalFile> {
  const status = await files.status(path)
  if (status?.kind === 'directory') return {problem: 'it is a folder'}
  const {size = 0} = status ?? {}
  if (size > LARGEST) return {problem: `it has ${Math.round(size / 1024 / 1024)} MB, and no node writes so much`}
  const content = await files.read(path)
  return content ? {content} : {}
}

export async function readJournalText(files: Files, path: string): Promise<string> {
  return (await readJournalFile(files, path)).content?.toString('utf8') ?? ''
}
