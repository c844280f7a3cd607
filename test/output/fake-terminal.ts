// A terminal that understands what the live view writes, and knows what stands on it.
import type {Sink} from '../../src/output/view.js'

export class FakeTerminal implements Sink {
  /** Rows that were ever written below the window's last one would scroll: kept here from the first on. */
  readonly lines: string[] = ['']
  #column = 0
  #row = 0

  constructor(
    readonly columns: number,
    readonly rows = 24,
  ) {}

  get screen(): string {
    return this.lines.map((line) => line.trimEnd()).join('\n')
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
      if (count >= this.rows) throw new Error(`moved ${count} rows up in a window of ${this.rows}`)
      this.#row -= count
    } else if (command === 'G') this.#column = count - 1
    else if (command === 'J') {
      this.lines.length = this.#row + 1
      this.lines[this.#row] = (this.lines[this.#row] ?? '').slice(0, this.#column)
    } else if (command !== 'm') throw new Error(`unknown control ${parameter}${command}`)
  }

  #put(character: string): void {
    if (character === '\n') {
      this.#row += 1
      this.#column = 0
      this.lines[this.#row] ??= ''
      return
    }
    if (this.#column >= this.columns - 1) throw new Error(`row is full: ${this.lines[this.#row]}`)
    this.lines[this.#row] = `${(this.lines[this.#row] ?? '').slice(0, this.#column)}${character}`
    this.#column += 1
  }
}
