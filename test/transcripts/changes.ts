// One change to one recording at a time, as whoever reads the corpus then sees it; and which recordings were read.
import type {Part, Recording} from './corpus.js'

export interface Change {
  readonly id: string
  readonly what: Part | 'exitCode' | 'status'
}

const MARK = 'MUTATED '
let change: Change | undefined
let read = new Set<string>()

export async function withChange(made: Change, run: () => unknown): Promise<void> {
  change = made
  try {
    await run()
  } finally {
    change = undefined
  }
}

/** The ids of what is read meanwhile. */
export async function reading(run: () => unknown): Promise<ReadonlySet<string>> {
  read = new Set()
  await run()
  return read
}

const isChanged = ({id}: Recording, what: Change['what']): boolean => change?.id === id && change.what === what

export function asChanged(entry: Recording): Recording {
  read.add(entry.id)
  return isChanged(entry, 'exitCode') ? {...entry, exitCode: (entry.exitCode ?? 0) + 1} : entry
}

export const statusAsChanged = (entry: Recording, status: number): number =>
  isChanged(entry, 'status') ? status + 1 : status

/** In front of every line of a text, as readers of logs look at the last ones only; in front of the body of an answer. */
export function bytesAsChanged(entry: Recording, part: Part, bytes: Buffer): Buffer {
  read.add(entry.id)
  if (!isChanged(entry, part)) return bytes
  if (part === 'http') {
    const body = bytes.indexOf('\r\n\r\n') + 4
    return Buffer.concat([bytes.subarray(0, body), Buffer.from(MARK), bytes.subarray(body)])
  }

  const letters = entry.encoding === 'utf-16le' ? 'utf16le' : 'latin1'
  return Buffer.from(bytes.toString(letters).replaceAll(/^/gm, MARK), letters)
}
