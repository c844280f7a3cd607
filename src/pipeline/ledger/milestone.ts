// What the journal records about the runs themselves: what they decided, their end, and the loss of lines.
import type {Decided} from '../../config/model.js'
import {parseVersion} from '../../config/version.js'
import type {Kind} from './kind.js'

export type MilestoneEntry =
  /** Lines were lost before this one: setup may have created things that the journal does not name. */
  | {readonly kind: 'loss'}
  /** What setup decided on, before it creates anything: the runtime follows from it. node.yaml is written at the end. */
  | {readonly kind: 'release'; readonly version: string}
  /** A reset finished: the entries before this one are what it left. */
  | {readonly kind: 'reset'}
  /** A setup finished: recorded before node.yaml is written, so that a journal without it has lost its end. */
  | {readonly kind: 'setup'}
  /** Programs of another release are about to be installed: forgotten when one of the two releases is proven. */
  | {
      /** By k8s-win; false where the node was cordoned before. */
      readonly cordoned: boolean
      /** With --drain, which a run that resumes needs too. */
      readonly drain?: true
      readonly from: string
      readonly kind: 'upgrade'
      readonly to: string
    }

export const milestone: Kind = {steps: ['base-dir']}

const isVersion = (text: unknown): boolean => typeof text === 'string' && parseVersion(text)?.text === text

export const releaseOf = ({release: {text}}: Pick<Decided, 'release'>): MilestoneEntry => ({
  kind: 'release',
  version: text,
})

export const release: Kind = {...milestone, accepts: ({version}) => isVersion(version)}

export const upgrade: Kind = {
  ...milestone,
  accepts: ({cordoned, drain, from, to}) =>
    typeof cordoned === 'boolean' && (drain === undefined || drain === true) && [from, to].every(isVersion),
}
