// What the journal records about the runs themselves: what they decided, their end, and the loss of lines.
import type {Decided} from '../../config/model.js'
import {STEP_IDS} from '../../config/step-ids.js'
import {parseVersion} from '../../config/version.js'
import type {EntryOf} from './entries.js'
import type {Kind} from './kind.js'

export const runEntry: Kind = {steps: ['base-dir']}

const isVersion = (text: unknown): boolean => typeof text === 'string' && parseVersion(text)?.text === text

export const releaseOf = ({release: {text}}: Pick<Decided, 'release'>): EntryOf<'release'> => ({
  kind: 'release',
  version: text,
})

export const release: Kind = {...runEntry, accepts: ({version}) => isVersion(version)}

export const setup: Kind = {
  ...runEntry,
  accepts: ({skip = []}) => Array.isArray(skip) && skip.every((id) => STEP_IDS.some((one) => one === id)),
}

export const upgrade: Kind = {
  ...runEntry,
  accepts: ({containerd, cordoned, drain, from, to}) =>
    typeof cordoned === 'boolean' &&
    (containerd === undefined || isVersion(containerd)) &&
    (drain === undefined || drain === true) &&
    [from, to].every(isVersion),
}
