// Warnings that nobody sees any more when the run ends: off the screen, or before the part that a launcher keeps.

export class Reminders {
  readonly #warnings: {readonly at: number; readonly text: string}[] = []
  #written = 0

  /** As much is on the output now: rows or bytes. */
  wrote(amount: number): void {
    this.#written += amount
  }

  /** Told now: what is written next. */
  warn(text: string): void {
    this.#warnings.push({at: this.#written, text})
  }

  /** All of them, where one began further back than what is kept: one that is repeated pushes the others out of sight. */
  outOfSight(kept: number): string[] {
    const isAny = this.#warnings.some(({at}) => this.#written - at > kept)
    return isAny ? this.#warnings.map(({text}) => text) : []
  }
}
