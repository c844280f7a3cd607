// A few rows at the bottom of the terminal that are drawn again and again, below lines that stay.
import type {Screen} from '../screen.js'
import {textWidth} from './text-shape.js'

const ERASE_TO_LINE_END = '\u001B[K'
const ERASE_BELOW = '\u001B[0J'

export class LiveRegion {
  #drawn: readonly string[] = []
  readonly #screen: Screen

  constructor(screen: Screen) {
    this.#screen = screen
  }

  /** Removes the rows. */
  clear(): void {
    this.draw([])
  }

  draw(rows: readonly string[]): void {
    if (rows.length > 0 || this.#drawn.length > 0) this.print([], rows)
  }

  /** Lines that stay, above the rows. In one write, over what stands there: a region that is erased first would flicker. */
  print(lines: readonly string[], rows: readonly string[]): void {
    const up = this.#takenRows()
    const written = [...lines, ...rows].map((row) => `${row}${up > 0 ? ERASE_TO_LINE_END : ''}\n`).join('')
    this.#drawn = rows
    this.#screen.stream.write(`${up > 0 ? `\u001B[${up}A\r` : ''}${written}${up > 0 ? ERASE_BELOW : ''}`)
  }

  /** A narrower window wraps the rows into more rows. What left it at the top cannot be reached. */
  #takenRows(): number {
    const {rows, width} = this.#screen
    const taken = this.#drawn.reduce((sum, row) => sum + Math.max(1, Math.ceil(textWidth(row) / (width + 1))), 0)
    return Math.min(taken, rows - 1)
  }
}
