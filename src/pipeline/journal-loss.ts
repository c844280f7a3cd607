// Whether the journal is lost, or a part of it: by what is found of ours and not named in it.
import type {Journal, JournalEntry, JournalLine} from './journal.js'

/** They say themselves that they are ours, and are noted before they are made. */
const SURE: ReadonlySet<JournalEntry['kind']> = new Set(['firewall-rule', 'service'])

export const isSure = ({entry}: JournalLine): boolean => SURE.has(entry.kind)

export function unnamedIn(journal: Pick<Journal, 'all'>, lines: readonly JournalLine[]): JournalLine[] {
  const named = new Set(journal.all().map(({entry}) => subjectOf(entry)))
  return lines.filter(({entry}) => !named.has(subjectOf(entry)))
}

/**
 * One that was lost is begun anew by the next setup, and then names only what that made. A service or a rule of ours that
 * it does not name gives it away; the rest may have been there before setup.
 */
export const isLost = (journal: Pick<Journal, 'all'>, unnamed: readonly JournalLine[]): boolean =>
  journal.all().length === 0 || unnamed.some(isSure)

function subjectOf(entry: JournalEntry): string {
  const {folder, name, path, reference} = entry as Partial<Record<string, string>>
  return `${entry.kind} ${path ?? name ?? folder ?? reference ?? ''}`.toLowerCase()
}
