// The one loop that tries again: a few times, with growing pauses, for causes that pass by themselves.
import {type Clock, jittered} from './clock.js'

/** Three more tries, within seconds: what takes longer is waited for by who knows what it is. */
const PAUSES_MS: readonly number[] = [1000, 2000, 4000]
/** A longer Retry-After is reported at once instead. */
const LONGEST_PAUSE_MS = 60_000

export interface Retry {
  /** The pause that the other side asked for. */
  readonly afterMs?: number | undefined
  /** In words: "answered 503". */
  readonly why: string
}

/** An attempt ended for a cause that passes by itself; `end` is reported after the last attempt. */
export interface Attempt<T> {
  readonly end: () => T
  readonly retry?: Retry
}

export interface RetryOptions {
  readonly clock: Clock
  /** Called before each pause. */
  readonly onRetry: (retry: {readonly pauseMs: number; readonly why: string}) => void
  /** Any of them ends the pauses. */
  readonly signals?: readonly AbortSignal[]
}

export async function withRetries<T>(
  {clock, onRetry, signals = []}: RetryOptions,
  attempt: () => Promise<Attempt<T>>,
): Promise<T> {
  for (const pause of PAUSES_MS) {
    const {end, retry} = await attempt()
    const askedMs = Math.max(pause, retry?.afterMs ?? 0)
    if (!retry || askedMs > LONGEST_PAUSE_MS || signals.some(({aborted}) => aborted)) return end()
    const pauseMs = jittered(clock, askedMs)
    onRetry({pauseMs, why: retry.why})
    await clock.sleep(pauseMs, AbortSignal.any([...signals]))
  }

  return (await attempt()).end()
}
