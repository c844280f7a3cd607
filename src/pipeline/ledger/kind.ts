// What the ledger knows of a kind of thing that k8s-win creates: which entries are possible, and how things are removed; and
// the search for things on a host whose journal is lost. owned/ lists the kinds and the searches.
import {win32} from 'node:path'
import type {Decided} from '../../config/model.js'
import type {Host} from '../../host/host.js'
import {keyOf} from '../../host/security/known-paths.js'
import type {StepContext, StepId} from '../run/step.js'
import type {JournalEntry} from './entries.js'

/** An entry of which only the kind is known: whoever can write the journal may have written anything. */
export type Fields = Readonly<Partial<Record<string, unknown>>>

export interface Kind {
  /** Could a setup with this configuration have recorded this under this step? Anything by default. */
  accepts?(fields: Fields, step: StepId, config: Decided): boolean
  /** Where the journal is lost: searches this base directory for such things. */
  readonly find?: {readonly place: string; search(search: Search): Promise<void>}
  /** Removes what the step recorded. `isLast`: with --purge, no later reset is to try it again. */
  remove?(context: StepContext, step: StepId, isLast: boolean): Promise<void>
  /** Those that record it; left out where `accepts` judges the step. */
  readonly steps?: readonly StepId[]
}

/** A search of the host: findings are claimed as the step would have recorded them, or reported as left. */
export interface Search {
  readonly config: Decided
  readonly host: Host
  claim(step: StepId, ...entries: readonly JournalEntry[]): void
  /** Removed whole by what the journal names or the search has claimed. */
  isGoing(path: string): boolean
  /** In the journal; for what is reported last also what was claimed. */
  isNamed(entry: JournalEntry): boolean
  /** What setup may have created: reset reports it, and does not remove it. */
  leave(what: string): void
  /** What belongs to another node. */
  remark(what: string): void
}

/** Things by name, or by path in lower case. */
export type Things = ReadonlyMap<unknown, StepId>

/** The steps of each path, by its key. */
export function stepsOf(
  places: readonly {readonly path: string; readonly steps?: readonly StepId[]}[],
): ReadonlyMap<string, ReadonlySet<StepId>> {
  const all = new Map<string, Set<StepId>>()
  for (const {path, steps = []} of places) all.set(keyOf(path), new Set([...(all.get(keyOf(path)) ?? []), ...steps]))
  return all
}

export function perConfig<T>(compute: (config: Decided) => T): (config: Decided) => T {
  const known = new WeakMap<Decided, T>()
  return (config) => {
    const value = known.get(config) ?? compute(config)
    known.set(config, value)
    return value
  }
}

/** A path in its normal spelling whose last part is a valid name in Windows. */
export function isChildOf(folders: ReadonlySet<string>, path: unknown): path is string {
  if (typeof path !== 'string' || path !== win32.normalize(path)) return false
  // eslint-disable-next-line no-control-regex -- Windows forbids control characters in names
  const isName = /^[^\u0000-\u001F"*/:<>?\\|]+$/.test(win32.basename(path)) && !/[ .]$/.test(path)
  return isName && folders.has(keyOf(win32.dirname(path)))
}

export async function claimFolders({claim, host}: Search, step: StepId, ...paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    if ((await host.files.status(path))?.kind === 'directory') claim(step, {kind: 'directory', path})
  }
}

export async function readText({host}: Pick<Search, 'host'>, path: string): Promise<string | undefined> {
  const status = await host.files.status(path)
  return status?.kind === 'file' ? (await host.files.read(path))?.toString('utf8') : undefined
}
