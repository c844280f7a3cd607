// What is ours on this host, before anything is asked or removed: by the journal, as far as it can be believed, or by our
// marks where it is lost.
import {layoutOf} from '../config/layout.js'
import type {SetupConfig} from '../config/model.js'
import type {Host} from '../host/host.js'
import {type Journal, type JournalEntry, type JournalLine, openJournal} from '../pipeline/journal.js'
import {damagedCopy, findJournalDamage, type JournalDamage} from '../pipeline/journal-damage.js'
import {guardJournal} from '../pipeline/journal-guard.js'
import {findByMarks} from '../pipeline/marks.js'
import {findElsewhere} from '../pipeline/node-elsewhere.js'

export interface OwnThings {
  readonly damage?: JournalDamage | undefined
  /** Where the node lives, if not here. */
  readonly elsewhere: readonly string[]
  /** What is believed of it. */
  readonly journal: Journal
  /** Found by marks: to be noted before it is removed, so that a run that dies in between is not lost. */
  readonly marked: readonly JournalLine[]
  /** In words: what is not removed, and why. */
  readonly told: readonly string[]
}

/** They say themselves that they are ours, and are noted before they are made. */
const SURE: ReadonlySet<JournalEntry['kind']> = new Set(['firewall-rule', 'service'])
/** Nobody else would have made them so, on a host whose services are ours. */
const UNMISTAKABLE: ReadonlySet<JournalEntry['kind']> = new Set(['environment', 'network', 'node', 'path-entry'])

export async function findOwnThings(host: Host, config: SetupConfig): Promise<OwnThings> {
  const path = layoutOf(config.baseDir).journal
  const [written, damage] = await Promise.all([
    openJournal(host.files, path, () => host.clock.now()),
    findJournalDamage(host.files, path),
  ])
  const guarded = await guardJournal(written, config, host.files)
  const refused = guarded.refused.map((entry) => `the journal has an entry that is not followed: ${entry}`)
  const other = await findElsewhere(host, config.baseDir, guarded.journal)
  const journal = other?.journal ?? guarded.journal
  const base = {damage, elsewhere: other?.homes ?? [], journal}
  const {left, lines} = await findByMarks(host, config)
  const named = new Set(guarded.journal.all().map(({entry}) => subjectOf(entry)))
  const unnamed = lines.filter(({entry}) => !named.has(subjectOf(entry)))
  // One that was lost is begun anew by the next setup, and then names only what that made. A service or a rule of ours
  // that it does not name gives it away; the rest may have been there before setup.
  const isLost = named.size === 0 || unnamed.some(({entry}) => SURE.has(entry.kind))
  if (isLost) return {...base, marked: unnamed, told: [...refused, ...left]}
  // Of one that is only damaged any line may be missing: what is ours without a doubt goes too.
  const isDamaged = damage?.message !== undefined || refused.length > 0 || (await wasMended(host, path))
  const marked = isDamaged ? unnamed.filter(({entry}) => UNMISTAKABLE.has(entry.kind)) : []
  return {...base, marked, told: refused}
}

/** By a run that may have died before it noted what was missing. */
async function wasMended({files}: Host, journal: string): Promise<boolean> {
  return (await files.status(damagedCopy(journal))) !== undefined
}

function subjectOf(entry: JournalEntry): string {
  const {folder, name, path, reference} = entry as Partial<Record<string, string>>
  return `${entry.kind} ${path ?? name ?? folder ?? reference ?? ''}`.toLowerCase()
}
