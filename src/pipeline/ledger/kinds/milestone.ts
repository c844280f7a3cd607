// What the journal records about itself: the end of runs, and the loss of lines.
import type {Kind} from './kind.js'

export type MilestoneEntry =
  /** Lines were lost before this one: setup may have created things that the journal does not name. */
  | {readonly kind: 'loss'}
  /** A reset finished: the entries before this one are what it left. */
  | {readonly kind: 'reset'}
  /** A setup finished: recorded before node.yaml is written, so that a journal without it has lost its end. */
  | {readonly kind: 'setup'}

export const milestone: Kind = {steps: ['base-dir']}
