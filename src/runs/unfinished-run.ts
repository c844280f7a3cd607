// What the records say of a run that did not come to its end, and what the journal of one that did must note.
import type {Layout} from '../config/layout.js'
import type {StepId} from '../config/step-ids.js'
import {at, textAt} from '../host/document.js'
import type {Files} from '../machine/files.js'
import type {Journal, JournalKind} from '../pipeline/journal.js'
import {isEndedSetup, readRecord} from '../pipeline/last-run.js'
import type {KnownNode} from './known-node.js'

export type UnfinishedRun = 'reset' | 'setup'

const RESET = /(?:^|\s)-{0,2}reset(?:\s|$)/i

/** The lock's record is of a run that is at work or died, and so newer than how the last one ended. */
export function unfinishedRun(state: KnownNode['state'], last: unknown, lock: unknown): UnfinishedRun | undefined {
  const isTakenApart = state !== 'set-up' || isFailedReset(last)
  if (lock === undefined && isFailedReset(last)) return 'reset'
  if (lock !== undefined && RESET.test(textAt(lock, 'command'))) return 'reset'
  // What it stored may be lost; it came to its end all the same.
  return isTakenApart && !isEndedSetup(last) ? 'setup' : undefined
}

/** What the last run wrote of itself, and who holds the lock. */
export const readRuns = (files: Files, {lock, result}: Layout): Promise<[last: unknown, lock: unknown]> =>
  Promise.all([readRecord(files, result), readRecord(files, lock)])

/** One that was refused before it began has no step that did anything. */
function isFailedReset(last: unknown): boolean {
  if (textAt(last, 'command') !== 'reset' || at(last, 'exitCode') === 0) return false
  return ['changed', 'failed'].some((state) => Number(at(last, 'recap', state)) > 0)
}

/** Without these setup does a step again: one that came to its end has noted them. */
const ALWAYS_NOTED: readonly (readonly [StepId, JournalKind])[] = [
  ['base-images', 'image-proof'],
  ['kubernetes-binaries', 'file'],
  ['cni-binaries', 'file'],
  ['flannel-binary', 'file'],
]

export const unnotedSteps = (journal: Journal, skipped: readonly StepId[]): StepId[] =>
  ALWAYS_NOTED.flatMap(([step, kind]) =>
    skipped.includes(step) || journal.entries(step, kind).length > 0 ? [] : [step],
  )
