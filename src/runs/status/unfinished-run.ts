// What the records say of a run that did not come to its end, and what the journal of one that did must note.
import type {Layout} from '../../config/layout.js'
import type {StepId} from '../../config/step-ids.js'
import {plainName} from '../../config/nearest.js'
import {at, listAt, textAt} from '../../host/document.js'
import type {Files} from '../../machine/files.js'
import type {Journal, JournalKind} from '../../pipeline/ledger/journal.js'
import {isEndedSetup, readRecord} from '../../pipeline/run/last-run.js'
import type {KnownNode} from '../known-node.js'
import {PURGE_TITLE} from '../reset/jobs.js'

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
export type Runs = [last: unknown, lock: unknown]

export const readRuns = (files: Files, {lock, result}: Layout): Promise<Runs> =>
  Promise.all([readRecord(files, result), readRecord(files, lock)])

/** One that was refused, or went no further than to drain the node, has changed nothing on the host. */
function isFailedReset(last: unknown): boolean {
  if (textAt(last, 'command') !== 'reset' || at(last, 'exitCode') === 0) return false
  return listAt(last, 'steps').some(
    (step) => (isTouched(step) || textAt(step, 'error', 'id') !== '') && textAt(step, 'id') !== 'drain',
  )
}

const isTouched = (step: unknown): boolean => ['changed', 'failed'].includes(textAt(step, 'state'))

/** What decides which things and pods a reset takes. */
const TAKING = [
  'drain',
  'keep-downloads',
  'keep-images',
  'keep-node',
  'no-keep-downloads',
  'no-keep-images',
  'purge',
] as const

/** "reset --drain": that reset again, as far as it is known. Anything may stand in a record: only flags of ours are told. */
export function resetAgain(last: unknown, lock: unknown): string {
  const given = lock === undefined ? seenIn(last) : typedIn(textAt(lock, 'command'))
  return ['reset', ...TAKING.filter((flag) => given.has(plainName(flag))).map((flag) => `--${flag}`)].join(' ')
}

/** In the usual style, and in PowerShell's. */
function typedIn(command: string): ReadonlySet<string> {
  const flags = command.split(/\s+/).map((word) => /^--?([a-z-]+)(?:[:=]\$?true)?$/i.exec(word)?.[1] ?? '')
  return new Set(flags.map((flag) => plainName(flag)))
}

/** One that took something from the host has drained its node. */
function seenIn(last: unknown): ReadonlySet<string> {
  const has = (id: string, key: string, value: string): boolean =>
    listAt(last, 'steps').some((step) => textAt(step, 'id') === id && textAt(step, key) === value)
  return new Set([
    ...(has('node-registered', 'state', 'skipped') ? [plainName('keep-node')] : []),
    ...(has('records', 'title', PURGE_TITLE) ? ['purge'] : []),
  ])
}

/** Without these setup does a step again: one that came to its end has noted them. */
const ALWAYS_NOTED: readonly (readonly [StepId, JournalKind])[] = [
  ['base-images', 'image-proof'],
  ['kubernetes-binaries', 'file'],
  ['cni-binaries', 'file'],
  ['flannel-binary', 'file'],
]

export function unnotedSteps(journal: Journal, skipped: readonly StepId[]): StepId[] {
  const unnotedIn = (steps: typeof ALWAYS_NOTED): StepId[] =>
    steps.flatMap(([step, kind]) => (skipped.includes(step) || journal.entries(step, kind).length > 0 ? [] : [step]))
  const unnoted = unnotedIn(ALWAYS_NOTED)
  // Where Docker had such a network before setup there is no note; in a journal that lost others, it says nothing.
  return unnoted.length === 0 ? [] : [...unnoted, ...unnotedIn([['pause-image', 'docker-network']])]
}
