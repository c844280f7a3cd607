// A step is one desired thing on the node: how to see it, make it, remove it.
import type {NodeConfig, SetupConfig} from '../../config/model.js'
import type {Host} from '../../host/host.js'
import type {Journal, JournalKind} from '../ledger/journal.js'
import type {StepId} from './step-id.js'

/** What a step sees. `evidence` says it in words: one entry a thing seen. */
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
  readonly config: NodeConfig
  readonly host: Host
  readonly journal: Journal
  /** Says what is being done right now. */
  progress(progress: Progress): void
  /** Aborted on Ctrl-C, when the step's deadline passes, and when another step failed. */
  readonly signal: AbortSignal
  /** For people: something they should know, though the step goes on. */
  warn(message: string): void
  /** A change that was made, in words; the result lists them. */
  changed(what: string): void
}

/** What is not removed with the rest, because the next setup can use it. */
export interface Leavings {
  /** The journal's entries of it, which stay as long as it does. */
  readonly claims: readonly JournalKind[]
  /** Reset, where nothing of it is to stay. */
  discard(context: StepContext): Promise<void>
  readonly kind: 'downloads' | 'images'
}

export interface Step {
  /** Pure: is it in this plan at all? */
  applies?(config: SetupConfig): boolean
  /** Idempotent; inspect must then say "in-place". */
  apply(context: StepContext): Promise<void>
  /** For the whole step, waiting included. */
  readonly deadlineMs: number
  /** Stable, kebab-case: journal, JSON, docs anchor. */
  readonly id: StepId
  /** Reads only. */
  inspect(context: StepContext): Promise<Finding>
  readonly leaves?: Leavings
  readonly needs: readonly StepId[]
  /** Reset, second pass: tolerant of half-made things. Removes only what the journal names. `isLast`: with --purge. */
  remove?(context: StepContext, isLast?: boolean): Promise<void>
  /** Reset, first pass: daemons come to rest before anything is taken away. */
  stop?(context: StepContext): Promise<void>
  readonly title: string
}

export const inPlace = (...evidence: string[]): Finding => ({evidence, state: 'in-place'})
export const missing = (...evidence: string[]): Finding => ({evidence, state: 'missing'})
export const drifted = (...evidence: string[]): Finding => ({evidence, state: 'drifted'})
