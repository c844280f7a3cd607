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
  const kept = new Set(journal.all().flatMap(({entry}) => (isWithPrevious(entry) ? [subjectOf(entry)] : [])))
  // Of a file several lines may be noted: the one that says where another's is kept must be among them.
  return lines.filter(({entry}) => !isNamed(entry) || (isWithPrevious(entry) && !kept.has(subjectOf(entry))))
}

const isWithPrevious = (entry: JournalEntry): boolean => entry.kind === 'file' && entry.previous !== undefined

/**
 * One that was lost is begun anew by the next setup, which notes the loss. Where that has not happened yet, a service or
 * a rule of ours that the journal does not name shows it; the rest may have been there before setup.
 */
export const isLost = (journal: Pick<Journal, 'all'>, unnamed: readonly JournalLine[]): boolean =>
  journal.all().length === 0 || unnamed.some(isSure) || journal.all().some(({entry}) => entry.kind === 'loss')

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
