// Whether the journal is lost, or a part of it: by what is found of ours and not named in it.
import type {Journal, JournalEntry, JournalLine} from './journal.js'

/** They say themselves that they are ours, and are noted before they are made. */
const SURE: ReadonlySet<JournalEntry['kind']> = new Set(['firewall-rule', 'service'])

export const isSure = ({entry}: JournalLine): boolean => SURE.has(entry.kind)

export function isNamedIn(journal: Pick<Journal, 'all'>): (entry: JournalEntry) => boolean {
  const named = new Set(journal.all().map(({entry}) => subjectOf(entry)))
  return (entry) => named.has(subjectOf(entry))
}

export function unnamedIn(journal: Pick<Journal, 'all'>, lines: readonly JournalLine[]): JournalLine[] {
  const isNamed = isNamedIn(journal)
  return lines.filter(({entry}) => !isNamed(entry))
}

/**
 * One that was lost is begun anew by the next setup, and then names only what that made. A service or a rule of ours that
 * it does not name gives it away; the rest may have been there before setup.
 */
export const isLost = (journal: Pick<Journal, 'all'>, unnamed: readonly JournalLine[]): boolean =>
  journal.all().length === 0 || unnamed.some(isSure)

/** Of what only findSureMarks finds. */
export function lossInWords(path: string, unnamed: readonly JournalLine[]): string {
  const things = unnamed.map(({entry}) => {
    const {name = entry.kind} = entry as {readonly name?: string}
    return entry.kind === 'firewall-rule' ? `the firewall rule "${name}"` : `the service ${name}`
  })
  return `${path} is lost, or a part of it: it does not name ${things.join(', ')}, which k8s-win made`
}

function subjectOf(entry: JournalEntry): string {
  const {folder, name, path, reference} = entry as Partial<Record<string, string>>
  return `${entry.kind} ${path ?? name ?? folder ?? reference ?? ''}`.toLowerCase()
}
