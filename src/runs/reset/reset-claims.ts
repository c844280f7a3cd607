// What is ours on this host, before anything is asked or removed: by the journal, as far as it can be believed, or by our
// marks where it is lost.
import {KUBELET_DRIVERS, layoutOf} from '../../config/layout.js'
import type {SetupConfig} from '../../config/model.js'
import type {Host} from '../../host/host.js'
import {driversBelow} from '../../pipeline/desired/flex-drivers.js'
import {findForeignServices, type ForeignService} from '../../pipeline/desired/foreign-services.js'
import type {Journal, JournalLine} from '../../pipeline/ledger/journal.js'
import {guardJournal} from '../../pipeline/ledger/journal-guard.js'
import {isLost, unnamedIn} from '../../pipeline/ledger/missing-entries.js'
import {findByMarks} from '../../pipeline/ledger/find-by-mark.js'
import {findElsewhere} from '../../pipeline/ledger/other-base-dirs.js'
import {openTrustedJournal} from '../../pipeline/ledger/trusted-journal.js'
import {STEPS} from '../../steps/index.js'

export interface OwnThings {
  /** Where the node lives, if not here: the first of them has the kubelet. */
  readonly elsewhere: readonly string[]
  /** They have names of ours. */
  readonly foreign: readonly ForeignService[]
  /** What it uses there, and is noted here: to be noted there, for this journal may go. */
  readonly handedOver: readonly JournalLine[]
  /** Something that nobody noted goes, which might not be ours after all. */
  readonly isDoubtful: boolean
  /** Lines of the journal are lost, or not believed. */
  readonly isIncomplete: boolean
  /** What is believed of it. */
  readonly journal: Journal
  /** In words: what setup may have created and is not removed, because the journal no longer says so. */
  readonly left: readonly string[]
  /** Found by marks: to be noted before it is removed, so that a run that dies in between is not lost. */
  readonly marked: readonly JournalLine[]
  /** In words: what is not removed, and why. */
  readonly told: readonly string[]
}

export async function findOwnThings(host: Host, config: SetupConfig): Promise<OwnThings> {
  const path = layoutOf(config.baseDir).journal
  const {distrust, journal: written} = await openTrustedJournal(host, path)
  if (distrust) throw distrust
  const guarded = await guardJournal(written, config, host.files)
  const other = await findElsewhere(host, config.baseDir, guarded.journal)
  const journal = other?.journal ?? guarded.journal
  const refused = guarded.refused.map((entry) => `ignoring an entry of the journal: ${entry}`)
  const {left, lines, remarks} = await findByMarks(host, config, guarded.journal)
  const unnamed = unnamedIn(guarded.journal, lines)
  // A journal that is damaged, or has entries that no setup wrote, may lack any line.
  const isDamaged = written.damage?.message !== undefined || refused.length > 0
  const isIncomplete = isDamaged || isLost(guarded.journal, unnamed)
  const marked = isIncomplete ? unnamed : []
  const foreign = await findForeignServices(host, [...journal.all(), ...marked], STEPS)
  const handedOver = other?.images ?? []
  const theirs = [
    ...foreign.map(({told}) => told),
    ...(await tellDrivers(host, journal)),
    ...tellImages(handedOver, other?.homes[0] ?? ''),
  ]
  return {
    elsewhere: other?.homes ?? [],
    foreign,
    handedOver,
    // Removing an empty folder loses nothing.
    isDoubtful: marked.some(({entry}) => entry.kind !== 'directory'),
    journal,
    isIncomplete,
    left: isIncomplete ? [...guarded.unreached, ...left] : guarded.unreached,
    marked,
    told: [...refused, ...theirs, ...(isIncomplete ? remarks : [])],
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
