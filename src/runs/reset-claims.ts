// What is ours on this host, before anything is asked or removed: by the journal, as far as it can be believed, or by our
// marks where it is lost.
import {KUBELET_DRIVERS, layoutOf} from '../config/layout.js'
import type {SetupConfig} from '../config/model.js'
import type {Host} from '../host/host.js'
import {driversBelow} from '../pipeline/flex-drivers.js'
import {findForeignServices, type ForeignService} from '../pipeline/foreign-services.js'
import {type Journal, type JournalEntry, type JournalLine, openJournal} from '../pipeline/journal.js'
import {damagedCopy, findJournalDamage, type JournalDamage} from '../pipeline/journal-damage.js'
import {guardJournal} from '../pipeline/journal-guard.js'
import {isLost, unnamedIn} from '../pipeline/journal-loss.js'
import {findByMarks} from '../pipeline/marks.js'
import {findElsewhere} from '../pipeline/node-elsewhere.js'

export interface OwnThings {
  readonly damage?: JournalDamage | undefined
  /** Where the node lives, if not here. */
  readonly elsewhere: readonly string[]
  /** They have names of ours. */
  readonly foreign: readonly ForeignService[]
  /** What is believed of it. */
  readonly journal: Journal
  /** Found by marks: to be noted before it is removed, so that a run that dies in between is not lost. */
  readonly marked: readonly JournalLine[]
  /** In words: what is not removed, and why. */
  readonly told: readonly string[]
}

/** Nobody else would have made them so, on a host whose services are ours. */
const UNMISTAKABLE: ReadonlySet<JournalEntry['kind']> = new Set(['environment', 'network', 'node', 'path-entry'])

export async function findOwnThings(host: Host, config: SetupConfig): Promise<OwnThings> {
  const path = layoutOf(config.baseDir).journal
  const [written, damage] = await Promise.all([
    openJournal(host.files, path, () => host.clock.now()),
    findJournalDamage(host.files, path),
  ])
  const guarded = await guardJournal(written, config, host.files)
  const other = await findElsewhere(host, config.baseDir, guarded.journal)
  const journal = other?.journal ?? guarded.journal
  const foreign = await findForeignServices(host, journal)
  const refused = guarded.refused.map((entry) => `the journal has an entry that is not followed: ${entry}`)
  const theirs = [
    ...foreign.map(({name, uses}) => `the service ${name}, for it is not ours; and with it ${uses}`),
    ...(await tellDrivers(host, journal)),
  ]
  const base = {damage, elsewhere: other?.homes ?? [], foreign, journal}
  const {left, lines} = await findByMarks(host, config)
  const unnamed = unnamedIn(guarded.journal, lines)
  if (isLost(guarded.journal, unnamed)) return {...base, marked: unnamed, told: [...refused, ...theirs, ...left]}
  // Of one that is only damaged any line may be missing: what is ours without a doubt goes too.
  const isDamaged = damage?.message !== undefined || refused.length > 0 || (await wasMended(host, path))
  const marked = isDamaged ? unnamed.filter(({entry}) => UNMISTAKABLE.has(entry.kind)) : []
  return {...base, marked, told: [...refused, ...theirs]}
}

/** Only where the folder they are in would go. */
async function tellDrivers({files}: Host, journal: Journal): Promise<string[]> {
  const trees = new Set(journal.all().flatMap(({entry}) => (entry.kind === 'tree' ? [entry.path] : [])))
  const drivers = await Promise.all([...trees].map((path) => driversBelow(files, path)))
  const names = [...new Set(drivers.flat())]
  return names.length === 0 ? [] : [`in ${KUBELET_DRIVERS}: ${names.join(', ')}. No kubelet puts anything there`]
}

/** By a run that may have died before it noted what was missing. */
async function wasMended({files}: Host, journal: string): Promise<boolean> {
  return (await files.status(damagedCopy(journal))) !== undefined
}
