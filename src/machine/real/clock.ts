// The clock of this machine.
import {setTimeout as delay} from 'node:timers/promises'
import {DeadlineError} from '../clock.js'
import type {Clock, Deadline} from '../clock.js'

/** setTimeout takes 32 bits: what is longer would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

export function openRealClock(now: () => number = Date.now): Clock {
  return {
    elapsed: () => performance.now(),
    now,
    random: Math.random,
    async sleep(ms, signal) {
      signal?.throwIfAborted()
      try {
        await delay(timerMs(ms), undefined, signal ? {signal} : {})
      } catch (error) {
        throw signal?.aborted ? signal.reason : error
      }
    },
    deadline(ms): Deadline {
      const controller = new AbortController()
      const timer = setTimeout(() => controller.abort(new DeadlineError(ms)), timerMs(ms))
      return {cancel: () => clearTimeout(timer), signal: controller.signal}
    },
  }
}

function timerMs(ms: number): number {
  return Math.min(Math.max(ms, 0), LONGEST_TIMER_MS)
}
