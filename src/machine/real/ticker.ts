// Something to do every so often while the program runs, e.g. turn a spinner. Never keeps the program alive.

export type Ticker = (ms: number, tick: () => void) => () => void

/** Starts ticking; returns how to stop. */
export const startTicker: Ticker = (ms, tick) => {
  const timer = setInterval(tick, ms)
  timer.unref()
  return () => {
    clearInterval(timer)
  }
}
