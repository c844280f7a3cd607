// Adds lines to the journal of a simulated host, as setup would.
import type {StepId} from '../../../src/config/step-ids.js'
import {journalText, readJournal} from '../../../src/pipeline/ledger/journal-format.js'
import type {JournalLine} from '../../../src/pipeline/ledger/journal.js'
import type {HostFolder} from '../../steps/host-folder.js'

export const JOURNAL = String.raw`k\k8s-win\journal.ndjson`

export function noteIn(host: HostFolder, ...lines: readonly JournalLine[]): void {
  const noted = host.read(JOURNAL)
  const added = lines.map((line) => ({...line, at: '2026-11-15T00:00:00.000Z'}))
  host.put(JOURNAL, `${noted}${journalText(added, readJournal(noted).last + 1)}`)
}

/** As the line of a run that did not finish. `at`: the step that failed. */
export const noteStop = (host: HostFolder, run: 'reset' | 'setup', at: StepId): void =>
  noteIn(host, {entry: {kind: 'began', run, stoppedAt: at}, step: 'base-dir'})

/** As the first line of a run that did not finish. */
export const noteBeginning = (host: HostFolder, run: 'reset' | 'setup', ...flags: readonly string[]): void =>
  noteIn(host, {entry: {kind: 'began', ...(flags.length > 0 && {flags}), run}, step: 'base-dir'})

/** A journal with these lines. */
export const textOf = (...lines: readonly JournalLine[]): string =>
  journalText(
    lines.map((line) => ({...line, at: 'x'})),
    1,
  )
