// The queue of asynchronous native calls. koffi throws where more calls than its `max_async_calls` are running or
// queued, and checking a folder takes several calls for each file in it (koffi's doc/misc.md, "Memory usage").

/** More than libuv has worker threads (4 by default), and few enough that koffi's memory blocks stay small. */
export const CALLS_AT_ONCE = 32

interface CallQueue {
  /** Calls `start` now or when an earlier call has returned. `start` must report the return of its own call. */
  add(start: (returned: () => void) => void): void
  /** How many calls were started and have not returned. Waiting ones do not count. */
  running(): number
}

export function callQueue(): CallQueue {
  const waiting: (() => void)[] = []
  let running = 0
  return {
    add(start) {
      const begin = () => {
        running++
        start(() => {
          running--
          waiting.shift()?.()
        })
      }
      if (running < CALLS_AT_ONCE) begin()
      else waiting.push(begin)
    },
    running: () => running,
  }
}
