// A ticker that ticks when the test says so.
import type {Ticker} from '../../src/machine/real/ticker.js'

export class HandTicker {
  #tick: (() => void) | undefined
  ms = 0

  readonly start: Ticker = (ms, tick) => {
    this.#tick = tick
    this.ms = ms
    return () => (this.#tick = undefined)
  }

  get isTicking(): boolean {
    return this.#tick !== undefined
  }

  tick(times = 1): void {
    for (let count = 0; count < times; count += 1) this.#tick?.()
  }
}
