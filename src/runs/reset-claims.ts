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
import {findExactFiles} from '../pipeline/marked-files.js'
import {findByMarks} from '../pipeline/marks.js'
import {findElsewhere} from '../pipeline/node-elsewhere.js'
import {STEPS} from '../steps/index.js'

export interface OwnThings {
  readonly damage?: JournalDamage | undefined
  /** Where the node lives, if not here: the first of them has the kubelet. */
  readonly elsewhere: readonly string[]
  /** They have names of ours. */
  readonly foreign: readonly ForeignService[]
  /** What it uses there, and is noted here: to be noted there, for this journal may go. */
  readonly handedOver: readonly JournalLine[]
  /** Something that nobody noted goes, which might not be ours after all. */
  readonly isDoubtful: boolean
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
  const refused = guarded.refused.map((entry) => `the journal has an entry that is not followed: ${entry}`)
  const {left, lines} = await findByMarks(host, config, guarded.journal)
  const unnamed = unnamedIn(guarded.journal, lines)
  const lost = isLost(guarded.journal, unnamed)
  // Of one that is only damaged any line may be missing: what is ours without a doubt goes too.
  const isDamaged = damage?.message !== undefined || refused.length > 0 || (await wasMended(host, path))
  const sure = isDamaged ? unnamed.filter(({entry}) => UNMISTAKABLE.has(entry.kind)) : []
  const exact = isDamaged || damage ? await findExactFiles(host, config, guarded.journal) : []
  const marked = lost ? unnamed : [...sure, ...exact]
  const foreign = await findForeignServices(host, [...journal.all(), ...marked], STEPS)
  const handedOver = other?.images ?? []
  const theirs = [
    ...foreign.map(({told}) => told),
    ...(await tellDrivers(host, journal)),
    ...tellImages(handedOver, other?.homes[0] ?? ''),
  ]
  return {
    damage,
    elsewhere: other?.homes ?? [],
    foreign,
    handedOver,
    isDoubtful: lost ? unnamed.length > 0 : sure.length > 0,
    journal,
    marked,
    told: [...refused, ...theirs, ...(lost ? left : [])],
  }
}

/** Only where the folder they are in would go. */
async function tellDrivers({files}: Host, journal: Journal): Promise<string[]> {
  const trees = new Set(journal.all().flatMap(({entry}) => (entry.kind === 'tree' ? [entry.path] : [])))
  const drivers = await Promise.all([...trees].map((path) => driversBelow(files, path)))
  const names = [...new Set(drivers.flat())]
  return names.length === 0 ? [] : [`in ${KUBELET_DRIVERS}: ${names.join(', ')}. No kubelet puts anything there`]
}

function tellImages(lines: readonly JournalLine[], home: string): string[] {
  const names = new Set(lines.flatMap(({entry}) => ('reference' in entry ? [entry.reference] : [])))
  if (names.size === 0) return []
  return [
    `the images ${[...names].join(', ')}, for the node in ${home} uses them. A reset there with --purge removes them`,
  ]
}

/** By a run that may have died before it noted what was missing. */
async function wasMended({files}: Host, journal: string): Promise<boolean> {
  return (await files.status(damagedCopy(journal))) !== undefined
}
