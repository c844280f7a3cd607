// What the journal says of itself: where a run finished, and where lines were lost.
import type {Kind} from './kind.js'

export type MilestoneEntry =
  /** Lines were lost before this one: what the journal does not name may have been created by setup all the same. */
  | {readonly kind: 'loss'}
  /** A reset finished: what is named before this is what it has left. */
  | {readonly kind: 'reset'}
  /** A setup finished: recorded before node.yaml is written, so that a journal without it has lost its end. */
  | {readonly kind: 'setup'}

export const milestone: Kind = {steps: ['base-dir']}
