// A few rows at the bottom of the terminal that are drawn again and again, below lines that stay.
import {textWidth} from './text-shape.js'
import type {Sink} from '../run/view.js'

/** Taller lists overwrite what is above them when the window is small (listr2 issue 296), and nobody reads them. */
const MOST_ROWS = 12
const COLUMNS = 80
const ROWS = 24

const ERASE_TO_LINE_END = '\u001B[K'
const ERASE_BELOW = '\u001B[0J'

export class LiveRegion {
  #drawn: readonly string[] = []
  readonly #stream: Sink

  constructor(stream: Sink) {
    this.#stream = stream
  }

  /** The column after the last one that may be used: a full row would make the terminal wrap. */
  get width(): number {
    return Math.max(20, this.#columns - 1)
  }

  /** How many rows there are for the list: the cursor needs one. */
  get height(): number {
    return Math.min(MOST_ROWS, this.windowRows - 1)
  }

  get windowRows(): number {
    return this.#stream.rows || ROWS
  }

  get #columns(): number {
    return this.#stream.columns || COLUMNS
  }

  /** Takes the rows away. */
  clear(): void {
    if (this.#drawn.length > 0) this.#replace([], [])
  }

  draw(rows: readonly string[]): void {
    if (rows.length > 0 || this.#drawn.length > 0) this.#replace([], rows)
  }

  /** Lines that stay, above the region. */
  print(lines: readonly string[], rows: readonly string[]): void {
    this.#replace(lines, rows)
  }

  /** In one write, over what stands there: a region that is erased first would flicker. */
  #replace(lines: readonly string[], rows: readonly string[]): void {
    const up = this.#takenRows()
    const written = [...lines, ...rows].map((row) => `${row}${up > 0 ? ERASE_TO_LINE_END : ''}\n`).join('')
    this.#drawn = rows
    this.#stream.write(`${up > 0 ? `\u001B[${up}A\r` : ''}${written}${up > 0 ? ERASE_BELOW : ''}`)
  }

  /** A window made narrower has broken our rows into more of its own. What left it at the top cannot be reached. */
  #takenRows(): number {
    const taken = this.#drawn.reduce((sum, row) => sum + Math.max(1, Math.ceil(textWidth(row) / this.#columns)), 0)
    return Math.min(taken, this.windowRows - 1)
  }
}
