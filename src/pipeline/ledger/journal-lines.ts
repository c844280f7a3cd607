// The journal as text: one JSON object per line, with a number and a checksum, so that a changed, lost, repeated or
// moved line is noticed. This protects against disks and editors, not against people, who can compute a checksum: the
// kinds judge what a line may name.
import {createHash} from 'node:crypto'
import type {StepId} from '../run/step.js'
import type {JournalEntry, JournalLine} from './journal.js'

export interface TimedLine extends JournalLine {
  readonly at: string
}

export interface ReadJournal {
  /** The last line is incomplete, as a crash leaves it. */
  readonly isCut: boolean
  /** Every line has a number: version 0.1.0, which wrote none, did not begin this journal. */
  readonly isNumbered: boolean
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
  /** Undefined for a line of version 0.1.0. */
  readonly n: number | undefined
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
  const unnumbered: NumberedLine[] = []
  const numbered = new Map<string, NumberedLine>()
  const unreadable: number[] = []
  const rawLines = text.split('\n')
  for (const [index, raw] of rawLines.entries()) {
    if (raw.trim() === '') continue
    const line = parseLine(raw.trimEnd())
    if (line?.n !== undefined) numbered.set(line.text, line)
    // Once lines have numbers, one without was not written by k8s-win.
    else if (line && numbered.size === 0) unnumbered.push(line)
    else unreadable.push(index + 1)
  }

  const inOrder = [...numbered.values()].sort((a, b) => (a.n ?? 0) - (b.n ?? 0))
  const numbers = new Set([...unnumbered.map((_, index) => index + 1), ...inOrder.map(({n}) => n ?? 0)])
  const last = Math.max(unnumbered.length, inOrder.at(-1)?.n ?? 0)
  const missing = last - numbers.size
  const isLastCut = unreadable.at(-1) === rawLines.length && rawLines.at(-1)?.startsWith('{') === true
  return {
    isCut: isLastCut && unreadable.length === 1 && missing === 0,
    isNumbered: unnumbered.length === 0,
    last,
    lines: [...unnumbered, ...inOrder],
    missing,
    unreadable,
  }
}

function parseLine(text: string): NumberedLine | undefined {
  const checksum = CHECKSUM.exec(text)
  if (checksum && checksumOf(`${text.slice(0, checksum.index)}}`) !== checksum[1]) return undefined
  try {
    const {
      at,
      n,
      step,
      sum: _sum,
      ...entry
    } = JSON.parse(text) as {at?: unknown; n?: unknown; sum?: unknown} & {
      step: StepId
    } & JournalEntry
    // Valid JSON may still be a number or a text.
    if (typeof step !== 'string' || typeof entry.kind !== 'string') return undefined
    const line = {at: typeof at === 'string' ? at : '', entry, step, text}
    if (!checksum) return n === undefined ? {...line, n} : undefined
    return typeof n === 'number' && Number.isSafeInteger(n) && n > 0 ? {...line, n} : undefined
  } catch {
    return undefined
  }
}
