// A clock that a test moves: sleeping takes no real time, and deadlines pass when time does.
import {type Clock, DeadlineError} from '../../src/machine/clock.js'

export interface HandClock extends Clock {
  advance(ms: number): void
  /** The time of day is set: no deadline comes nearer. */
  jump(ms: number): void
  /** Deadlines that are neither over nor cancelled. */
  readonly open: () => number
  readonly slept: readonly number[]
}

export function handClock(start = 0): HandClock {
  let now = start
  let set = 0
  const slept: number[] = []
  const waiting = new Set<{at: number; fire: () => void}>()
  const advance = (ms: number): void => {
    now += ms
    for (const one of [...waiting].filter(({at}) => at <= now)) {
      waiting.delete(one)
      one.fire()
    }
  }

  return {
    advance,
    deadline(ms) {
      const controller = new AbortController()
      const one = {at: now + ms, fire: () => controller.abort(new DeadlineError(ms))}
      waiting.add(one)
      return {cancel: () => void waiting.delete(one), signal: controller.signal}
    },
    elapsed: () => now - start,
    jump: (ms) => void (set += ms),
    now: () => now + set,
    random: () => 0,
    open: () => waiting.size,
    async sleep(ms, signal) {
      if (signal?.aborted) throw signal.reason
      slept.push(ms)
      const end = now + ms
      // A deadline that passes meanwhile may end it.
      for (const {at} of [...waiting].sort((one, other) => one.at - other.at)) {
        if (at > end) break
        advance(Math.max(0, at - now))
        signal?.throwIfAborted()
      }

      advance(end - now)
    },
    slept,
  }
}
