// A terminal that understands what the live view writes, and knows what stands on it. It complains of what a real one
// would show as a mess: a row that wraps, a cursor that leaves the window.
import type {Sink} from '../../src/output/screen.js'

interface Painted {
  readonly column: number
  readonly paint: string
  text: string
}

interface Row {
  /** What stands in each column; nothing in the one beside a wide letter. */
  cells: string[]
  /** How each column is painted: the numbers of SGR that are switched on there. */
  paints: string[]
  /** Goes on in the next one, because the window was made narrower. */
  wrapped: boolean
}

const emptyRow = (): Row => ({cells: [], paints: [], wrapped: false})

export class FakeTerminal implements Sink {
  #column = 0
  readonly isTTY: boolean = true
  #columns: number
  /** The numbers of SGR that are switched on: 1 bold, 2 dim, 30 and more a colour. */
  #paint: readonly number[] = []
  #row = 0
  /** How far the cursor went up the last time. */
  lastUp = 0
  #rows: Row[] = [emptyRow()]

  constructor(
    columns: number,
    readonly rows = 24,
  ) {
    this.#columns = columns
  }

  get columns(): number {
    return this.#columns
  }

  /** From the first on, those that left the window at its top included. */
  get lines(): readonly string[] {
    return this.#rows.map(({cells}) => cells.join('').trimEnd())
  }

  get screen(): string {
    return this.lines.join('\n')
  }

  /** The lines in parts that are painted alike, each with the column it begins in. */
  get painted(): readonly (readonly Painted[])[] {
    return this.#rows.map(({cells, paints}) => {
      const parts: Painted[] = []
      for (const [column, text] of cells.entries()) {
        const last = parts.at(-1)
        const paint = paints[column] ?? ''
        if (last?.paint === paint) last.text += text
        else parts.push({column, paint, text})
      }
      return parts.filter(({text}) => text.trim() !== '')
    })
  }

  /** As terminals do that break rows anew: all but xterm. The cursor stays behind the last row. */
  resize(columns: number): void {
    const whole: string[][] = []
    for (const [index, {cells}] of this.#rows.entries()) {
      if (this.#rows[index - 1]?.wrapped) whole.at(-1)?.push(...cells)
      else whole.push([...cells])
    }
    this.#columns = columns
    this.#rows = whole.flatMap((cells) => broken(cells, columns))
    this.#row = this.#rows.length - 1
  }

  write(text: string): boolean {
    // eslint-disable-next-line no-control-regex -- the escape character is what is looked for
    for (const part of text.split(/(\u001B\[[\d;]*[A-Za-z])/)) {
      if (part.startsWith('\u001B[')) this.#control(part.slice(2, -1), part.at(-1) ?? '')
      else for (const character of part) this.#put(character)
    }
    return true
  }

  #control(parameter: string, command: string): void {
    const count = Number(parameter === '' ? '1' : parameter)
    if (command === 'A') {
      const top = Math.max(0, this.#rows.length - this.rows)
      if (this.#row - count < top) throw new Error(`moved ${count} rows up, out of a window of ${this.rows}`)
      this.#row -= count
      this.lastUp = count
    } else if (command === 'K' || command === 'J') {
      if (command === 'J') this.#rows.length = this.#row + 1
      this.#here.cells.length = Math.min(this.#here.cells.length, this.#column)
      this.#here.wrapped = false
    } else if (command !== 'm') throw new Error(`unknown control ${parameter}${command}`)
    else if (count === 22 || count === 39) this.#paint = this.#paint.filter((on) => on >= 30 !== (count === 39))
    else this.#paint = [...this.#paint, count]
  }

  #put(character: string): void {
    if (character === '\n') {
      this.#row += 1
      this.#column = 0
      this.#rows[this.#row] ??= emptyRow()
      return
    }
    if (character === '\r') {
      this.#column = 0
      return
    }
    const {cells} = this.#here
    const width = widthOf(character)
    if (this.#column + width >= this.#columns) throw new Error(`row is full: ${cells.join('')}`)
    if (width === 0) cells[this.#column - 1] += character
    else cells.splice(this.#column, width, character, ...(width === 2 ? [''] : []))
    this.#here.paints[this.#column] = this.#paint.join(' ')
    this.#column += width
  }

  get #here(): Row {
    return (this.#rows[this.#row] ??= emptyRow())
  }
}

/** A table of its own, so that it cannot share a mistake with the view. */
function widthOf(character: string): number {
  if (/^(?:[\u0300-\u036F]|\u200D|\uFE0F)$/u.test(character)) return 0
  return /[\u3040-\u30FF\u4E00-\u9FFF\uAC00-\uD7A3\u{1F300}-\u{1F6FF}]/u.test(character) ? 2 : 1
}

function broken(cells: readonly string[], columns: number): Row[] {
  const rows: Row[] = []
  for (let from = 0; from < cells.length || rows.length === 0; from += columns) {
    rows.push({cells: cells.slice(from, from + columns), paints: [], wrapped: from + columns < cells.length})
  }
  return rows
}
