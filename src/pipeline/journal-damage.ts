// A journal that somebody or a failing disk has damaged: told, kept aside as it was, and gone on with what is readable.
import type {Files} from '../machine/files.js'
import {isJournalLine} from './journal.js'
import {readJournalFile} from './journal-file.js'

/** Of a disk that wrote rubbish there may be thousands. */
const MOST_NAMED = 10

/** Where one is kept as it was. */
export const damagedCopy = (path: string): string => `${path}.damaged`

export interface JournalDamage {
  /** Undefined for the last line that a crash cut short: its effect did not happen, and nobody misses it. */
  readonly message?: string
  /** Once the host qualifies: nothing is changed on one that does not. */
  mend(): Promise<void>
}

export async function findJournalDamage(files: Files, path: string): Promise<JournalDamage | undefined> {
  const {content, problem} = await readJournalFile(files, path)
  const aside = damagedCopy(path)
  if (problem !== undefined) {
    return {
      mend: () => files.rename(path, aside),
      message: `the journal ${path} cannot be read: ${problem}. What is ours is known by our marks only. Setup and reset keep it as ${aside}`,
    }
  }

  const lines = (content?.toString('utf8') ?? '').split('\n')
  const isCut = (index: number): boolean => index === lines.length - 1 && lines[index]?.startsWith('{') === true
  const wrong = lines.flatMap((line, index) => (line.trim() === '' || isJournalLine(line) ? [] : [index]))
  const [first] = wrong
  if (content === undefined || first === undefined) return undefined
  const readable = lines.filter((line) => isJournalLine(line))
  const rewrite = (): Promise<void> => files.write(path, readable.map((line) => `${line}\n`).join(''))
  if (isCut(first)) return {mend: rewrite}
  const what = readable.length === 0 ? 'nothing in it can be read' : `line ${numbers(wrong)} cannot be read`
  return {
    async mend() {
      await files.write(aside, content)
      await rewrite()
    },
    message:
      `the journal ${path} is damaged: ${what}. What is ours is known by our marks and by the rest of it; ` +
      `what only the lost lines named is not removed by a later reset. Setup and reset begin it anew, and keep it as it was in ${aside}`,
  }
}

function numbers(indices: readonly number[]): string {
  const more = indices.length - MOST_NAMED
  const named = indices.slice(0, MOST_NAMED).map((index) => index + 1)
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
