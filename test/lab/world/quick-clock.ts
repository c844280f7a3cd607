// The world's time. It runs faster than real time, so that what the models wait for costs little; but, as in the simulator, it
// stands still while something is done: how the node looks must not depend on how busy the computer is.

const TICK_MS = 20
const FACTOR = 40
/** Whoever asked something is taken to be at work for this long. k8s-win looks once a second while it waits. */
const AT_WORK_MS = 500
/** As the simulator's own clock hops, however long this process was held up. */
const LONGEST_HOP_MS = 1000

export interface QuickClock {
  elapse(ms: number): Promise<void>
  now(): number
  /** Somebody is at work. */
  touch(): void
}

/** `onTick` is awaited before time continues. */
export function startQuickClock(start: number, onTick: () => Promise<void>): QuickClock {
  const waiting = new Set<{readonly at: number; wake(): void}>()
  let now = start
  let last = performance.now()
  let touched = last
  setTimeout(tick, TICK_MS)

  function tick(): void {
    const passed = performance.now() - last
    last += passed
    // A request that takes its time lets just that pass.
    const next = Math.min(...[...waiting].map(({at}) => at))
    const isStill = waiting.size === 0 && last - touched < AT_WORK_MS
    if (!isStill) now = Math.min(now + Math.min(passed * FACTOR, LONGEST_HOP_MS), Math.max(now, next))
    // One that rejects is a defect of the world, and ends it.
    void onTick().then(() => {
      for (const one of waiting) if (one.at <= now) one.wake()
      setTimeout(tick, TICK_MS)
    })
  }

  return {
    elapse: (ms) =>
      new Promise((resolve) => {
        const one = {
          at: now + ms,
          wake() {
            waiting.delete(one)
            resolve()
          },
        }
        waiting.add(one)
      }),
    now: () => Math.round(now),
    touch() {
      touched = performance.now()
    },
  }
}
