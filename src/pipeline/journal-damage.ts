// A journal that somebody or a failing disk has damaged: told, kept aside as it was, and gone on with what is readable.
import type {Files} from '../machine/files.js'
import {isJournalLine} from './journal.js'

export interface JournalDamage {
  /** Undefined for the last line that a crash cut short: its effect did not happen, and nobody misses it. */
  readonly message?: string
  /** Once the host qualifies: nothing is changed on one that does not. */
  mend(): Promise<void>
}

export async function findJournalDamage(files: Files, path: string): Promise<JournalDamage | undefined> {
  const content = await files.read(path)
  const lines = (content?.toString('utf8') ?? '').split('\n')
  const isCut = (index: number): boolean => index === lines.length - 1 && lines[index]?.startsWith('{') === true
  const wrong = lines.flatMap((line, index) => (line.trim() === '' || isJournalLine(line) ? [] : [index]))
  const [first] = wrong
  if (content === undefined || first === undefined) return undefined
  const readable = lines.filter((line) => isJournalLine(line))
  const rewrite = (): Promise<void> => files.write(path, readable.map((line) => `${line}\n`).join(''))
  if (isCut(first)) return {mend: rewrite}
  const aside = `${path}.damaged`
  const what =
    readable.length === 0
      ? 'nothing in it can be read'
      : `line ${wrong.map((index) => index + 1).join(', ')} cannot be read`
  return {
    async mend() {
      await files.write(aside, content)
      await rewrite()
    },
    message:
      `the journal ${path} is damaged: ${what}. What is ours is known by our marks and by the rest of it; ` +
      `what only the lost lines named is not removed by a later reset. It is begun anew, and kept as it was in ${aside}`,
  }
}
