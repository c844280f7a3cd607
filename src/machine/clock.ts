// Time as the rest of the program sees it. No other module calls setTimeout or Date.now.

export interface Clock {
  /** Milliseconds since a moment that is the same for this process. Nobody sets it: for what waits, or takes time, in one process. */
  elapsed(): number
  /**
   * Milliseconds since 1970: for what is stored, shown or compared with what others have stored. Minutes after its first start
   * Windows may set it by hours, forward or back (kubernetes-sigs/image-builder#1518).
   */
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

/** A moment that is stored or shown, so far ahead. */
export const expiry = (clock: Pick<Clock, 'now'>, ms: number): number => clock.now() + ms

export const momentAgo = (clock: Pick<Clock, 'now'>, ms: number): number => clock.now() - ms

/** Of a moment that was stored: negative where the clock was set back since. */
export const ageOf = (clock: Pick<Clock, 'now'>, moment: number): number => clock.now() - moment

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
