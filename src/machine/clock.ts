// Time as the rest of the program sees it. No other module calls setTimeout or Date.now.

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** From 0 to below 1: pauses of many hosts that were started together must not end together. */
  random(): number
  /** Resolves after `ms`, rejects with the signal's reason as soon as the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** A signal that is aborted with a DeadlineError after `ms`. Call `cancel` when the work is done. */
  deadline(ms: number): Deadline
}

/** Up to half as long again, as client-go does it (apimachinery/pkg/util/wait, Jitter). */
const JITTER = 0.5

export const jittered = (clock: Pick<Clock, 'random'>, ms: number): number =>
  Math.round(ms * (1 + clock.random() * JITTER))

export interface Deadline {
  cancel(): void
  readonly signal: AbortSignal
}

/** The reason of a deadline's signal. */
export class DeadlineError extends Error {
  constructor(readonly ms: number) {
    super(`not done within ${Math.round(ms / 1000)} s`)
    this.name = 'DeadlineError'
  }
}
