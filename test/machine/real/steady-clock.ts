// A clock on which waiting takes no time and is written down.
import {DeadlineError} from '../../../src/machine/clock.js'
import type {Clock} from '../../../src/machine/clock.js'

export function steadyClock(): Clock & {readonly slept: number[]} {
  const slept: number[] = []
  let time = 0
  return {
    deadline: (ms) => ({cancel: () => undefined, signal: AbortSignal.abort(new DeadlineError(ms))}),
    elapsed: () => time,
    now: () => time,
    random: () => 0,
    async sleep(ms) {
      slept.push(ms)
      time += ms
    },
    slept,
  }
}
