// A few rows at the bottom of the terminal that are drawn again and again, below lines that stay.
import {clearScreenDown, cursorTo, moveCursor} from 'node:readline'
import type {Sink} from './view.js'

/** Taller lists overwrite what is above them when the window is small (listr2 issue 296). */
const MOST_ROWS = 8

export class LiveRegion {
  #drawn = 0
  readonly #stream: Sink

  constructor(stream: Sink) {
    this.#stream = stream
  }

  /** The column after the last one that may be used: a full row would make the terminal wrap. */
  get width(): number {
    return Math.max(20, (this.#stream.columns ?? 80) - 1)
  }

  /** How many rows there are for the list. */
  get height(): number {
    return Math.max(1, Math.min(MOST_ROWS, (this.#stream.rows ?? 24) - 1))
  }

  /** Takes the rows away. */
  clear(): void {
    if (this.#drawn === 0) return
    const stream = this.#stream as NodeJS.WritableStream
    moveCursor(stream, 0, -this.#drawn)
    cursorTo(stream, 0)
    clearScreenDown(stream)
    this.#drawn = 0
  }

  draw(rows: readonly string[]): void {
    this.clear()
    if (rows.length === 0) return
    this.#stream.write(rows.map((row) => `${row}\n`).join(''))
    this.#drawn = rows.length
  }

  /** Lines that stay, above the region. */
  print(lines: readonly string[]): void {
    this.clear()
    if (lines.length > 0) this.#stream.write(lines.map((line) => `${line}\n`).join(''))
  }
}
