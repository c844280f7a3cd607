// A step is one desired thing on the node: how to inspect, create and remove it.
import {type Decided, fits, type Node, type RuntimeName} from '../../config/model.js'
import type {StepId} from '../../config/step-ids.js'
import type {Host} from '../../host/host.js'
import type {JournalKind} from '../ledger/entries.js'
import type {Journal} from '../ledger/journal.js'

/** What a step finds. `evidence`: one text per finding. */
export interface Finding {
  readonly evidence: readonly string[]
  readonly state: 'drifted' | 'in-place' | 'missing'
}

export interface Progress {
  readonly current?: number
  readonly text: string
  readonly total?: number
}

export interface StepContext {
  readonly config: Node
  readonly host: Host
  readonly journal: Journal
  progress(progress: Progress): void
  /** Aborted on Ctrl-C, when the step's deadline passes, and when another step failed. */
  readonly signal: AbortSignal
  /** A warning for the user; the step continues. */
  warn(message: string): void
  /** A change that was made; the result lists them. */
  changed(what: string): void
}

/** What is not removed with the rest, because the next setup can use it. */
export interface Leavings {
  /** Entries of the journal that stay as long as it does. */
  readonly claims: readonly JournalKind[]
  /** With --purge, or where it is not to be kept. */
  discard(context: StepContext): Promise<void>
  readonly kind: 'downloads' | 'images'
}

export interface Step {
  /** Pure: is it in the plan of this node at all? */
  applies?(config: Decided): boolean
  /** Idempotent; afterwards inspect must return "in-place". */
  apply(context: StepContext): Promise<void>
  /** For the whole step, waiting included. */
  readonly deadlineMs: number
  /** Why it can differ from what setup left, where more is known than that it was changed. */
  readonly driftCause?: string
  /** Stable, kebab-case: journal, JSON, docs anchor. */
  readonly id: StepId
  /** Reads only. */
  inspect(context: StepContext): Promise<Finding>
  /** For inspecting it on a node that is set up, where it reads large files or runs crictl. */
  readonly inspectMs?: number
  readonly leaves?: Leavings
  /** Reads what is too expensive for status, where `inspect` finds it in place: of runs that repair. */
  prove?(context: StepContext): Promise<Finding>
  readonly needs: readonly StepId[]
  /**
   * Second pass of reset, where more is done than to remove what the step recorded (owned/kinds.ts): tolerates incomplete
   * things, and removes only what the journal names. `isLast`: with --purge.
   */
  remove?(context: StepContext, isLast?: boolean): Promise<void>
  /** The title that reset shows; only steps that have one are removed. */
  readonly removal?: string
  /** Brings back what it recorded and somebody deleted, from records and kept downloads: what a removal needs. */
  restore?(context: StepContext): Promise<void>
  /** In plans of nodes with this container runtime only. */
  readonly runtime?: RuntimeName
  /** First pass of reset: daemons stop before anything is removed. */
  stop?(context: StepContext): Promise<void>
  readonly title: string
}

/** Whether a step is in the plan of this node. */
export const isInPlan = (step: Step, config: Decided): boolean => fits(step, config) && (step.applies?.(config) ?? true)

export const inPlace = (...evidence: string[]): Finding => ({evidence, state: 'in-place'})
export const missing = (...evidence: string[]): Finding => ({evidence, state: 'missing'})
export const drifted = (...evidence: string[]): Finding => ({evidence, state: 'drifted'})

export type {StepId}
