// The file of the journal: one JSON object per line, with a number and a checksum, so that a changed, lost, repeated or moved
// line is noticed. This protects against disks and editors, not against people, who can compute a checksum: the kinds judge
// what a line may name. What cannot be a journal is not read, and damage is reported. Setup and reset keep a damaged file
// aside, and continue with what is readable.
import {createHash} from 'node:crypto'
import {win32} from 'node:path'
import {layoutOf} from '../../config/layout.js'
import type {StepId} from '../../config/step-ids.js'
import type {Files} from '../../machine/files.js'
import {remembered} from '../../machine/remembered.js'
import {shortList} from '../short-list.js'
import {isNamed, type JournalEntry} from './entries.js'

/** A setup writes about 200 lines of about 300 bytes. */
const LARGEST = 32 * 1024 * 1024
/** A failing disk may damage thousands of lines. */
const MOST_NAMED = 10

export const damagedCopy = (path: string): string => `${path}.damaged`

export interface JournalDamage {
  /** Undefined for a last line that a crash cut short: every line is flushed before its effect, so nothing is lost with it. */
  readonly message?: string | undefined
  /** Only after the checks: nothing is changed on a host that does not qualify. */
  repair(): Promise<void>
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

/** Setup records its end, and flushes it, before it stores its options. */
async function isWithoutEnd(files: Files, path: string, {lines}: ReadJournal): Promise<boolean> {
  if (lines.length === 0 || lines.at(-1)?.entry.kind === 'reset') return false
  // A recorded loss was reported already.
  if (lines.some(({entry}) => entry.kind === 'setup' || entry.kind === 'loss')) return false
  const {nodeConfig} = layoutOf(win32.dirname(win32.dirname(path)))
  return (await files.status(nodeConfig)) !== undefined
}

export interface JournalLine {
  readonly entry: JournalEntry
  readonly step: StepId
}

export interface TimedLine extends JournalLine {
  readonly at: string
}

interface ReadJournal {
  /** The last line is incomplete, as a crash leaves it. */
  readonly isCut: boolean
  /** The highest number. */
  readonly last: number
  /** In the order in which they were written. */
  readonly lines: readonly TimedLine[]
  /** Lines that are missing between others. */
  readonly missing: number
  /** Positions in the file, from 1. */
  readonly unreadable: readonly number[]
}

const CHECKSUM = /,"sum":"([\da-f]{16})"\}$/

interface NumberedLine extends TimedLine {
  readonly n: number
  readonly text: string
}

/** `first`: the number of the first of them. */
export const journalText = (lines: readonly TimedLine[], first: number): string =>
  lines.map((line, index) => `${lineText(line, first + index)}\n`).join('')

function lineText({at, entry, step}: TimedLine, n: number): string {
  const text = JSON.stringify({at, step, ...entry, n})
  return `${text.slice(0, -1)},"sum":"${checksumOf(text)}"}`
}

const checksumOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)

export function readJournal(text: string): ReadJournal {
  const numbered = new Map<string, NumberedLine>()
  const unreadable: number[] = []
  const rawLines = text.split('\n')
  for (const [index, raw] of rawLines.entries()) {
    if (raw.trim() === '') continue
    const line = parseLine(raw.trimEnd())
    if (line) numbered.set(line.text, line)
    else unreadable.push(index + 1)
  }

  const lines = [...numbered.values()].sort((a, b) => a.n - b.n)
  const last = lines.at(-1)?.n ?? 0
  const missing = last - new Set(lines.map(({n}) => n)).size
  // NTFS may have logged the new size before the bytes were on the disk: they read as zeros.
  const isLastCut = unreadable.at(-1) === rawLines.length && /^(?:\{|\0+$)/.test(rawLines.at(-1) ?? '')
  return {
    isCut: isLastCut && unreadable.length === 1 && missing === 0,
    last,
    lines,
    missing,
    unreadable,
  }
}

/** One run reads its journal many times; every reader gets its own entries. */
function parseLine(text: string): NumberedLine | undefined {
  const known = knownLine(text)
  return known && {...known, entry: {...known.entry}}
}

const knownLine = remembered((text): NumberedLine | undefined => {
  const checksum = CHECKSUM.exec(text)
  const signed = checksum && `${text.slice(0, checksum.index)}}`
  if (!signed || checksumOf(signed) !== checksum[1]) return undefined
  try {
    const {at, n, step, ...entry} = JSON.parse(signed) as {at?: unknown; n?: unknown; step: StepId} & JournalEntry
    // Valid JSON may still be a number or a text, and what names the thing may be anything.
    if (typeof step !== 'string' || typeof entry.kind !== 'string' || !isNamed(entry)) return undefined
    if (typeof n !== 'number' || !Number.isSafeInteger(n) || n < 1) return undefined
    return {at: typeof at === 'string' ? at : '', entry, n, step, text}
  } catch {
    return undefined
  }
})
