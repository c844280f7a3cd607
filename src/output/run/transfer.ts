// A transfer of one step: its bytes, how fast they come, and how long it still takes.
import type {Progress} from '../../pipeline/run/step.js'
import {bytesOfTotal, megabytes, timeLeft} from '../text/figures.js'

/** The speed is that of the last seconds: containerd's bytes are read every five. */
const WINDOW_MS = 15_000
const SHORTEST_MS = 500
/** A fast download reports its progress thousands of times. */
const SAMPLE_MS = 250

export class Transfer {
  #bytes = 0
  readonly #samples: {readonly at: number; readonly bytes: number}[] = []
  #total: number | undefined

  /** `at`: milliseconds since 1970. */
  note(at: number, bytes: number, total: number | undefined): void {
    const samples = this.#samples
    if (at - (samples.at(-2)?.at ?? -Infinity) < SAMPLE_MS) samples.pop()
    samples.push({at, bytes})
    while ((samples[1]?.at ?? Infinity) <= at - WINDOW_MS) samples.shift()
    this.#bytes = bytes
    this.#total = total
  }

  /** Undefined where it is not known. */
  leftMs(now: number): number | undefined {
    const speed = this.#speed(now)
    if (!speed || this.#total === undefined) return undefined
    return (Math.max(0, this.#total - this.#bytes) / speed) * 1000
  }

  /** `44/88 MB  12 MB/s  4 s left` */
  text(now: number): string {
    const [left, speed] = [this.leftMs(now), this.#speed(now)]
    return [
      bytesOfTotal(this.#bytes, this.#total),
      ...(speed === undefined || this.#bytes === this.#total ? [] : [`${megabytes(speed)}/s`]),
      ...(left ? [`${timeLeft(left)} left`] : []),
    ].join('  ')
  }

  /** Bytes per second; undefined in the beginning. */
  #speed(now: number): number | undefined {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)]
    if (!first || !last || last.at - first.at < SHORTEST_MS) return undefined
    return now - last.at > WINDOW_MS ? 0 : ((last.bytes - first.bytes) / (last.at - first.at)) * 1000
  }
}

/** A report with the text of the last one continues its transfer; another text is another transfer. */
export function transferOf(
  before: {readonly text?: string | undefined; readonly transfer?: Transfer | undefined},
  {current, text, total}: Progress,
  at: number,
): Transfer | undefined {
  if (current === undefined) return undefined
  const transfer = (before.text === text ? before.transfer : undefined) ?? new Transfer()
  transfer.note(at, current, total)
  return transfer
}
