// What the journal records about itself: the end of runs, and the loss of lines.
import {parseVersion} from '../../../config/version.js'
import type {Kind} from './kind.js'

export type MilestoneEntry =
  /** Lines were lost before this one: setup may have created things that the journal does not name. */
  | {readonly kind: 'loss'}
  /** A reset finished: the entries before this one are what it left. */
  | {readonly kind: 'reset'}
  /** A setup finished: recorded before node.yaml is written, so that a journal without it has lost its end. */
  | {readonly kind: 'setup'}
  /** Programs of another release are about to be installed: forgotten when one of the two releases is proven. */
  | {
      /** By k8s-win, and not by somebody before. */
      readonly cordoned: boolean
      /** With --drain, which a run that resumes needs too. */
      readonly drain?: true
      readonly from: string
      readonly kind: 'upgrade'
      readonly to: string
    }

export const milestone: Kind = {steps: ['base-dir']}

export const upgrade: Kind = {
  ...milestone,
  accepts: ({cordoned, drain, from, to}) =>
    typeof cordoned === 'boolean' &&
    (drain === undefined || drain === true) &&
    [from, to].every((one) => parseVersion(String(one))?.text === one),
}
