// What the journal records about the runs themselves: what they decided, their end, and the loss of lines.
import type {Decided} from '../../config/model.js'
import {REMOVAL_FLAGS} from '../../config/options/reset-options.js'
import {STEP_IDS} from '../../config/step-ids.js'
import {parseVersion} from '../../config/version.js'
import type {EntryOf} from './entries.js'
import type {Journal} from './journal.js'
import type {Kind} from './kind.js'

export const runEntry: Kind = {steps: ['base-dir']}

const isVersion = (text: unknown): boolean => typeof text === 'string' && parseVersion(text)?.text === text

export const releaseOf = ({release: {text}}: Pick<Decided, 'release'>): EntryOf<'release'> => ({
  kind: 'release',
  version: text,
})

export const release: Kind = {...runEntry, accepts: ({version}) => isVersion(version)}

export const began: Kind = {
  ...runEntry,
  accepts: ({failed, flags = [], overReset, run, stoppedAt}) =>
    (stoppedAt === undefined || STEP_IDS.some((one) => one === stoppedAt)) &&
    ['reset', 'setup', 'upgrade'].some((one) => one === run) &&
    [failed, overReset].every((mark) => mark === undefined || mark === true) &&
    Array.isArray(flags) &&
    flags.every((flag) => REMOVAL_FLAGS.some((one) => one === flag)),
}

export const setup: Kind = {
  ...runEntry,
  accepts: ({options, skip = []}) =>
    (options === undefined || (typeof options === 'string' && /^[\da-f]{64}$/.test(options))) &&
    Array.isArray(skip) &&
    skip.every((id) => STEP_IDS.some((one) => one === id)),
}

export const upgrade: Kind = {
  ...runEntry,
  accepts: ({containerd, cordoned, drain, from, to}) =>
    typeof cordoned === 'boolean' &&
    (containerd === undefined || isVersion(containerd)) &&
    (drain === undefined || drain === true) &&
    [from, to].every(isVersion),
}

type Read = Pick<Journal, 'entries'>

/** The run that changed the node last, if it did not finish. */
export const begunRun = (journal: Read): EntryOf<'began'> | undefined => journal.entries('base-dir', 'began')[0]

/** Of a setup or upgrade that begins now. */
export function beginningOf(journal: Read, run: 'setup' | 'upgrade'): EntryOf<'began'> {
  const before = begunRun(journal)
  const isOverReset = before?.run === 'reset' || before?.overReset === true
  return {kind: 'began', ...(isOverReset && {overReset: true}), run}
}

/** A setup was killed, or failed before there was a node. */
export function isSetupBegun(journal: Read): boolean {
  const began = begunRun(journal)
  return began?.run === 'setup' && began.failed !== true
}

/** Where nothing is stored: no setup has finished, so that nothing can be lost. */
export function isSetupOpen(journal: Pick<Journal, 'all' | 'damage' | 'entries'>): boolean {
  if (isSetupBegun(journal)) return true
  if (journal.entries('base-dir', 'setup').length > 0) return false
  // The end of a setup may be among the lines that were lost.
  const isLost = journal.damage?.message !== undefined || journal.all().some(({entry}) => entry.kind === 'loss')
  return journal.all().length > 0 && !isLost
}

/** Something of a node is recorded. After a reset the journal names only what that has left. */
export const isBegun = (journal: Pick<Journal, 'all'>): boolean =>
  (journal.all().at(-1)?.entry.kind ?? 'reset') !== 'reset'
