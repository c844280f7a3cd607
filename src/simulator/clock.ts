// Simulated time: when nothing is being done, the clock jumps to the next sleeper; or, to be watched, walks there.
import {type Clock, DeadlineError} from '../machine/clock.js'

/**
 * Milliseconds since 1970, until the end of the year 9999: what a clock can show.
 * @minimum 0
 * @maximum 253402300799999
 */
export type Moment = number

/**
 * Milliseconds; a moment plus one of these is still a date.
 * @minimum -1e14
 * @maximum 1e14
 */
export type Span = number

/** Daemons advance at least this often while time passes. */
const HOP_MS = 1000
/** The same where time is watched, in real time. */
const WATCHED_HOP_MS = 100
/** Real time that is not made up for: the simulated host stood still while a user answered a question. */
const MOST_BEHIND_MS = 1000
/** Turns of the event loop without an effect before time passes: what was just woken comes first. */
const QUIET_TURNS = 3

/** Its multiples, without their whole part, are spread evenly over 0 to 1 (low-discrepancy sequence). */
const GOLDEN = (Math.sqrt(5) - 1) / 2

export interface SimulatedClock extends Clock {
  /** Sleeps inside an effect, which is not in progress meanwhile. */
  elapse(ms: number, signal?: AbortSignal): Promise<void>
  /** Runs an effect, during which time stands still. */
  whileBusy<T>(effect: () => Promise<T>): Promise<T>
}

interface Waiting {
  readonly at: number
  /** Ends the sleep with an error: the daemons failed. */
  readonly fail: (error: unknown) => void
  readonly wake: () => void
}

/** How fast simulated time passes: `factor` 1 is real time, and 0 no waiting at all. `real` is the clock of this machine. */
export interface Speed {
  readonly factor: number
  /** The longest hop, where time jumps; a second by default. */
  readonly hopMs?: () => number
  readonly real: Pick<Clock, 'now' | 'sleep'>
}

/** Waits as long as simulated milliseconds take. */
function pacer({factor, real}: Speed): (ms: number) => Promise<void> {
  let due = real.now()
  return async (ms) => {
    due = Math.max(due + ms / factor, real.now() - MOST_BEHIND_MS)
    if (due > real.now()) await real.sleep(due - real.now())
  }
}

/** `onHop` runs after every hop, with time standing still. */
export function createSimulatedClock(start: number, onHop: () => Promise<void>, speed?: Speed): SimulatedClock {
  const pace = speed && speed.factor > 0 ? pacer(speed) : undefined
  const longest = pace ? Math.min(HOP_MS, WATCHED_HOP_MS * (speed?.factor ?? 1)) : HOP_MS
  let now = start
  let busy = 0
  let advancing = false
  let drawn = 0
  const sleepers = new Set<Waiting>()
  const deadlines = new Set<Waiting>()

  const wakeDue = (waiting: Set<Waiting>): void => {
    for (const one of [...waiting].filter(({at}) => at <= now).sort((a, b) => a.at - b.at)) {
      waiting.delete(one)
      one.wake()
    }
  }

  const isQuiet = async (turns: number): Promise<boolean> => {
    for (let turn = 0; turn < turns; turn++) {
      await nextTurn()
      if (busy > 0) return false
    }

    return sleepers.size > 0
  }

  const hop = async (): Promise<void> => {
    // Deadlines do not make time pass, but it must not jump over one.
    const next = (most: number): number =>
      Math.max(now, Math.min(most, ...[...sleepers, ...deadlines].map(({at}) => at)))
    const then = next(now + (speed?.hopMs?.() ?? longest))
    await pace?.(then - now)
    // Something began meanwhile, such as the end after Ctrl-C: time stands still for it.
    if (busy > 0) return
    now = next(then)
    await onHop()
    const before = sleepers.size
    wakeDue(deadlines)
    wakeDue(sleepers)
    if (sleepers.size < before) await isQuiet(QUIET_TURNS)
  }

  const advance = async (): Promise<void> => {
    advancing = true
    try {
      for (let turns = QUIET_TURNS; await isQuiet(turns); turns = 1) await hop()
    } catch (error) {
      for (const sleeper of sleepers) sleeper.fail(error)
      sleepers.clear()
    } finally {
      advancing = false
    }

    settle()
  }

  /** Lets time pass if nothing is in progress. */
  const settle = (): void => {
    if (!advancing && busy === 0 && sleepers.size > 0) void advance()
  }

  const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error)
      const aborted = (): void => {
        sleepers.delete(sleeper)
        reject(signal?.reason as Error)
      }

      const wake = (): void => {
        signal?.removeEventListener('abort', aborted)
        resolve()
      }

      const fail = (error: unknown): void => {
        signal?.removeEventListener('abort', aborted)
        reject(error)
      }

      const sleeper = {at: now + Math.max(0, ms), fail, wake}
      signal?.addEventListener('abort', aborted, {once: true})
      sleepers.add(sleeper)
      settle()
    })

  return {
    deadline(ms) {
      const controller = new AbortController()
      const waiting = {at: now + ms, fail: () => {}, wake: () => controller.abort(new DeadlineError(ms))}
      deadlines.add(waiting)
      return {cancel: () => void deadlines.delete(waiting), signal: controller.signal}
    },
    async elapse(ms, signal) {
      busy--
      try {
        await sleep(ms, signal)
      } finally {
        busy++
      }
    },
    elapsed: () => now - start,
    now: () => now,
    // Spread evenly, and the same in every run: a test must not depend on luck.
    random: () => (drawn = (drawn + GOLDEN) % 1),
    sleep,
    async whileBusy(effect) {
      busy++
      try {
        return await effect()
      } finally {
        busy--
        settle()
      }
    },
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))
