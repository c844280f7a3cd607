// What this tool created on this node. Reset removes that and nothing else; each line is written before its effect.
import {win32 as windowsPath} from 'node:path'
import type {NetworkSnapshot} from '../host/network.js'
import {ADMINISTRATORS_ONLY} from '../host/security.js'
import type {Files} from '../machine/files.js'
import {readJournalText} from './journal-file.js'
import type {StepId} from './step-id.js'

/** What was created or changed, with what is needed to undo it. */
export type JournalEntry =
  /** False before a file is replaced that this daemon reads at its start only, true when it was started since. */
  | {readonly kind: 'configuration-read'; readonly name: string; readonly read: boolean}
  | {readonly kind: 'directory'; readonly path: string}
  /** Fetched by us. Downloads stay, as images do. */
  | {readonly kind: 'download'; readonly path: string}
  | {readonly kind: 'environment'; readonly name: string; readonly previous?: string}
  /** False before the environment is changed, true when running programs were told of it. */
  | {readonly kind: 'environment-told'; readonly told: boolean}
  | {
      readonly kind: 'file'
      readonly path: string
      /** Where a file that was there before us is kept. */
      readonly previous?: string
      readonly sha256?: string
      readonly version?: string
    }
  | {readonly kind: 'firewall-rule'; readonly name: string}
  /** Pulled by us, where it was not there. Images stay, unless somebody wants nothing to stay. */
  | {readonly kind: 'image-pull'; readonly reference: string}
  | {readonly kind: 'image-proof'; readonly build: number; readonly id: string; readonly image: string}
  | {
      readonly kind: 'image-tag'
      /** Undefined where it is known only afterwards. */
      readonly id?: string
      /** The image of somebody else that had this name. */
      readonly previousId?: string
      readonly reference: string
    }
  | {readonly kind: 'network'; readonly name: string}
  | {
      readonly adapter: string
      readonly id: string
      readonly kind: 'network-before'
      readonly snapshot: NetworkSnapshot
    }
  | {readonly kind: 'network-verified'; readonly id: string}
  | {readonly kind: 'node'; readonly name: string}
  | {readonly kind: 'path-entry'; readonly folder: string}
  | {readonly kind: 'reservation'; readonly network: string; readonly subnet: string}
  /** The node was taken apart; what is named before this is what reset has left. */
  | {readonly kind: 'reset'}
  | {readonly kind: 'security'; readonly path: string; readonly previous: string}
  | {readonly kind: 'service'; readonly name: string}
  /** What a daemon makes, with everything in it. */
  | {readonly kind: 'tree'; readonly path: string}

export type JournalKind = JournalEntry['kind']
export type EntryOf<K extends JournalKind> = Extract<JournalEntry, {kind: K}>

export interface JournalLine {
  readonly entry: JournalEntry
  readonly step: StepId
}

/** With the text it has in the file. */
interface WrittenLine extends JournalLine {
  readonly text: string
}

export interface Journal {
  /** Everything, oldest first. */
  all(): readonly JournalLine[]
  /** Newest first. */
  entries<K extends JournalKind>(step: StepId, kind: K): EntryOf<K>[]
  /** Takes lines out, all in one write: what they name is gone, or no longer ours. */
  forget(isForgotten: (line: JournalLine) => boolean): Promise<void>
  /** All in one write. An entry that says the same as the newest of its subject is not written again. */
  record(step: StepId, ...entries: readonly JournalEntry[]): Promise<void>
  /** The same for entries of several steps. */
  recordLines(noted: readonly JournalLine[]): Promise<void>
}

export async function openJournal(files: Files, path: string, now: () => number): Promise<Journal> {
  let lines: WrittenLine[] = []
  const text = await readJournalText(files, path)
  for (const line of text.split('\n')) {
    const parsed = parseLine(line)
    if (parsed) lines.push({...parsed, text: line})
  }

  // A line that a crash cut short gets its end before the next one is added.
  let hasFolder = text !== ''
  let broken = text !== '' && !text.endsWith('\n')
  const recordLines = async (noted: readonly JournalLine[]): Promise<void> => {
    // Only the newest entry of a subject says what is: a value that comes back is news again.
    const newest = ({entry, step}: JournalLine): JournalEntry | undefined =>
      lines.findLast((line) => line.step === step && subjectOf(line.entry) === subjectOf(entry))?.entry
    const fresh = noted.filter((line) => JSON.stringify(newest(line)) !== JSON.stringify(line.entry))
    if (fresh.length === 0) return
    // It may be the first thing made in a new base directory, which is then made here too.
    if (!hasFolder) await files.makeDirectory(windowsPath.dirname(path), {security: ADMINISTRATORS_ONLY})
    hasFolder = true
    const at = new Date(now()).toISOString()
    const written = fresh.map(({entry, step}) => ({entry, step, text: JSON.stringify({at, step, ...entry})}))
    await files.append(path, `${broken ? '\n' : ''}${written.map((line) => `${line.text}\n`).join('')}`)
    broken = false
    lines.push(...written)
  }

  return {
    all: () => lines.map(({entry, step}) => ({entry, step})),
    entries: <K extends JournalKind>(step: StepId, kind: K) =>
      lines
        .filter((line) => line.step === step && line.entry.kind === kind)
        .map((line) => line.entry as EntryOf<K>)
        .reverse(),
    async forget(isForgotten) {
      const kept = lines.filter((line) => !isForgotten(line))
      if (kept.length === lines.length) return
      if (kept.length > 0) await files.write(path, kept.map((line) => `${line.text}\n`).join(''))
      else await files.remove(path)
      lines = kept
      broken = false
    },
    record: (step, ...entries) => recordLines(entries.map((entry) => ({entry, step}))),
    recordLines,
  }
}

/** A folder as the journal writes it: to Windows C:\K and C:\k are one, to our records and command lines they are two. */
export async function recordedSpelling(files: Files, journal: string, folder: string): Promise<string | undefined> {
  const text = await readJournalText(files, journal)
  for (const line of text.split('\n')) {
    const {path} = (parseLine(line)?.entry ?? {}) as {readonly path?: unknown}
    // Somebody may have written anything into it.
    if (typeof path !== 'string') continue
    const recorded = path.slice(0, folder.length)
    const isInside = path.length === folder.length || path[folder.length] === '\\'
    if (isInside && recorded.toLowerCase() === folder.toLowerCase()) return recorded
  }

  return undefined
}

/** What an entry is about: its kind and the thing's own name. A file's claim and its verified content are two subjects. */
function subjectOf(entry: JournalEntry): string {
  const {folder, id, image, name, network, path, reference} = entry as Partial<Record<string, string>>
  const verified = entry.kind === 'file' && entry.sha256 !== undefined
  return JSON.stringify([entry.kind, verified, path ?? name ?? reference ?? image ?? folder ?? network ?? id])
}

export const isJournalLine = (line: string): boolean => parseLine(line) !== undefined

function parseLine(line: string): JournalLine | undefined {
  try {
    const {at: _at, step, ...entry} = JSON.parse(line) as {at: string; step: StepId} & JournalEntry
    // JSON all the same may be a number, or a text.
    return typeof step === 'string' && typeof entry.kind === 'string' ? {entry, step} : undefined
  } catch {
    return undefined
  }
}
