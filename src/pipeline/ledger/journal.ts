// What k8s-win created on this node. Reset removes that and nothing else; each line is on the disk before its effect.
import {win32 as windowsPath} from 'node:path'
import type {StepId} from '../../config/step-ids.js'
import type {K8sWinError} from '../../errors/k8s-win-error.js'
import type {Host} from '../../host/host.js'
import {ADMINISTRATORS_ONLY} from '../../host/security/security.js'
import type {Files} from '../../machine/files.js'
import {type EntryOf, type JournalEntry, type JournalKind, subjectOf} from './entries.js'
import {type JournalDamage, type JournalLine, journalText, readJournalFile, type TimedLine} from './journal-format.js'

export type {JournalLine} from './journal-format.js'

/** Recorded wherever the journal turns out to be incomplete. */
export const LOSS: JournalLine = {entry: {kind: 'loss'}, step: 'base-dir'}

export interface Journal {
  /** Everything, oldest first. */
  all(): readonly JournalLine[]
  /** What was wrong with the file when it was opened. */
  readonly damage?: JournalDamage | undefined
  /** Newest first. */
  entries<K extends JournalKind>(step: StepId, kind: K): EntryOf<K>[]
  /** Removes lines in one write: what they name is gone, or no longer managed by k8s-win. */
  forget(isForgotten: (line: JournalLine) => boolean): Promise<void>
  /** In one write. An entry equal to the newest one of its subject is not written again. */
  record(step: StepId, ...entries: readonly JournalEntry[]): Promise<void>
  /** The same for entries of several steps. */
  recordLines(noted: readonly JournalLine[]): Promise<void>
}

export async function openJournal(files: Files, path: string, now: () => number): Promise<Journal> {
  const {damage, last, lines: read, text} = await readJournalFile(files, path)
  let lines = read
  let next = last + 1
  let hasFolder = text !== ''
  // A line that a crash cut short is ended before the next one is added.
  let isOpenEnded = text !== '' && !text.endsWith('\n')
  // Steps run side by side, and each line needs its own number.
  let lastWork: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = lastWork.then(work, work)
    lastWork = turn
    return turn
  }

  const rewrite = async (kept: readonly TimedLine[]): Promise<void> => {
    await files.write(path, journalText(kept, 1))
    isOpenEnded = false
    lines = kept
    next = kept.length + 1
  }

  const append = async (noted: readonly JournalLine[]): Promise<void> => {
    // Only the newest entry of a subject is valid: a previous value must be recorded again.
    const newest = ({entry, step}: JournalLine): JournalEntry | undefined =>
      lines.findLast((line) => line.step === step && isSameSubject(line.entry, entry))?.entry
    const fresh = noted.filter((line) => JSON.stringify(newest(line)) !== JSON.stringify(line.entry))
    if (fresh.length === 0) return
    // It may be the first file in a new base directory, which is then created too.
    if (!hasFolder) await files.makeDirectory(windowsPath.dirname(path), {security: ADMINISTRATORS_ONLY})
    hasFolder = true
    const at = new Date(now()).toISOString()
    const written = fresh.map(({entry, step}) => ({at, entry, step}))
    const start = isOpenEnded ? '\n' : ''
    // A failed append may have written a part.
    isOpenEnded = true
    await files.append(path, `${start}${journalText(written, next)}`, {flush: true})
    isOpenEnded = false
    next += written.length
    lines = [...lines, ...written]
  }

  const recordLines = (noted: readonly JournalLine[]): Promise<void> => inTurn(() => append(noted))
  return {
    all: () => lines.map(({entry, step}) => ({entry, step})),
    damage: damage && {
      message: damage.message,
      repair: () =>
        inTurn(async () => {
          await damage.keepAside()
          const loss: TimedLine = {at: new Date(now()).toISOString(), ...LOSS}
          await rewrite(damage.message === undefined ? lines : [...lines, loss])
        }),
    },
    entries: <K extends JournalKind>(step: StepId, kind: K) =>
      lines
        .filter((line) => line.step === step && line.entry.kind === kind)
        .map((line) => line.entry as EntryOf<K>)
        .reverse(),
    forget: (isForgotten) =>
      inTurn(async () => {
        const kept = lines.filter((line) => !isForgotten(line))
        if (kept.length === lines.length) return
        if (kept.length > 0) return rewrite(kept)
        await files.remove(path)
        isOpenEnded = false
        lines = kept
        next = 1
      }),
    record: (step, ...entries) => recordLines(entries.map((entry) => ({entry, step}))),
    recordLines,
  }
}

/**
 * The spelling of a folder in the journal: to Windows C:\K and C:\k are the same, in records and command lines they
 * differ.
 */
export async function recordedSpelling(files: Files, journal: string, folder: string): Promise<string | undefined> {
  for (const {entry} of (await readJournalFile(files, journal)).lines) {
    const {path} = entry as {readonly path?: unknown}
    if (typeof path !== 'string') continue
    const recorded = path.slice(0, folder.length)
    const isInside = path.length === folder.length || path[folder.length] === '\\'
    if (isInside && recorded.toLowerCase() === folder.toLowerCase()) return recorded
  }

  return undefined
}

/** That a file is k8s-win's, and the memo of its verified content, are two subjects. */
const isSameSubject = (a: JournalEntry, b: JournalEntry): boolean =>
  subjectOf(a) === subjectOf(b) && isVerified(a) === isVerified(b)

const isVerified = (entry: JournalEntry): boolean => entry.kind === 'file' && entry.sha256 !== undefined

/** The journal as if it had these lines only. Forgetting works on the whole. */
export function narrowed(journal: Journal, isOurs: (line: JournalLine) => boolean): Journal {
  return {
    ...journal,
    all: () => journal.all().filter(isOurs),
    entries: <K extends JournalKind>(step: JournalLine['step'], kind: K) =>
      journal.entries(step, kind).filter((entry) => isOurs({entry, step})),
  }
}

export interface TrustedJournal {
  /** Why it was not read: then it has no entries and accepts none. */
  readonly distrust?: K8sWinError
  readonly journal: Journal
}

/** Checked before it is read: whoever can write it decides what reset removes and what setup considers verified. */
export async function openTrustedJournal(
  {clock, files, trust}: Pick<Host, 'clock' | 'files' | 'trust'>,
  path: string,
): Promise<TrustedJournal> {
  const distrust = await trust.problem(path)
  if (distrust) return {distrust, journal: closedJournal(distrust)}
  return {journal: await openJournal(files, path, () => clock.now())}
}

function closedJournal(distrust: K8sWinError): Journal {
  const refuse = (): Promise<void> => Promise.reject(distrust)
  return {all: () => [], damage: undefined, entries: () => [], forget: refuse, record: refuse, recordLines: refuse}
}
