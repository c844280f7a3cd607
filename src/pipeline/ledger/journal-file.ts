// The file of the journal. What cannot be a journal is not read, and damage is reported. Setup and reset keep a damaged
// file aside, and continue with what is readable.
import {win32} from 'node:path'
import {layoutOf} from '../../config/layout.js'
import type {Files} from '../../machine/files.js'
import {shortList} from '../short-list.js'
import {readJournal, type ReadJournal} from './journal-lines.js'

/** A setup writes about 200 lines of about 300 bytes. */
const LARGEST = 32 * 1024 * 1024
/** A failing disk may damage thousands of lines. */
const MOST_NAMED = 10

export const damagedCopy = (path: string): string => `${path}.damaged`

export interface JournalDamage {
  /** Undefined for a last line that a crash cut short: its effect did not happen, so nothing is lost with it. */
  readonly message?: string | undefined
  /** Only after the checks: nothing is changed on a host that does not qualify. */
  mend(): Promise<void>
}

export interface JournalFile extends Pick<ReadJournal, 'last' | 'lines'> {
  readonly damage?: FoundDamage | undefined
  readonly text: string
}

interface FoundDamage extends Pick<JournalDamage, 'message'> {
  keepAside(): Promise<void>
}

export async function readJournalFile(files: Files, path: string): Promise<JournalFile> {
  const status = await files.status(path)
  const aside = damagedCopy(path)
  const problem = whyNoJournal(status)
  if (problem !== undefined) {
    const damage = {
      keepAside: () => files.rename(path, aside),
      message: `the journal ${path} cannot be read: ${problem}. k8s-win recognises what it created by its marks on the host only. Setup and reset keep the file as ${aside}`,
    }
    return {damage, last: 0, lines: [], text: ''}
  }

  const content = await files.read(path)
  const text = content?.toString('utf8') ?? ''
  const read = readJournal(text)
  const lost = lossIn(read, await isWithoutEnd(files, path, read))
  if (lost === undefined) {
    return {...read, damage: read.isCut ? {keepAside: () => Promise.resolve()} : undefined, text}
  }

  const damage = {
    keepAside: () => files.write(aside, content ?? ''),
    message:
      `the journal ${path} is damaged: ${lost}. k8s-win recognises what it created by the rest of it and by its marks on the host; ` +
      `reset reports what it cannot prove, and does not remove it. Setup and reset keep the damaged file as ${aside}`,
  }
  return {...read, damage, text}
}

function whyNoJournal(status: Awaited<ReturnType<Files['status']>>): string | undefined {
  if (status?.kind === 'directory') return 'it is a folder'
  const {size = 0} = status ?? {}
  return size > LARGEST ? `it has ${Math.round(size / 1024 / 1024)} MB, and no node writes so much` : undefined
}

function lossIn({isCut, lines, missing, unreadable}: ReadJournal, isEndLost: boolean): string | undefined {
  if (lines.length === 0 && unreadable.length > 0 && !isCut) return 'nothing in it can be read'
  const unread =
    unreadable.length > 0 && (!isCut || isEndLost) ? [`line ${shortList(unreadable, MOST_NAMED)} cannot be read`] : []
  // An unreadable line is missing in the numbers, too.
  const more = missing - unreadable.length
  const gap = more > 0 ? [more === 1 ? '1 line is missing' : `${more} lines are missing`] : []
  const end = isEndLost ? ['its end is missing'] : []
  const all = [...unread, ...gap, ...end]
  return all.length === 0 ? undefined : all.join(', ')
}

/** Setup records its end before it stores its options. Version 0.1.0 did not. */
async function isWithoutEnd(files: Files, path: string, {isNumbered, lines}: ReadJournal): Promise<boolean> {
  if (lines.length === 0 || !isNumbered || lines.at(-1)?.entry.kind === 'reset') return false
  // A recorded loss was reported already.
  if (lines.some(({entry}) => entry.kind === 'setup' || entry.kind === 'loss')) return false
  const {nodeConfig} = layoutOf(win32.dirname(win32.dirname(path)))
  return (await files.status(nodeConfig)) !== undefined
}
