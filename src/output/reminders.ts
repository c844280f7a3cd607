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

  /** Those that began further back than what is kept. */
  outOfSight(kept: number): string[] {
    return this.#warnings.filter(({at}) => this.#written - at > kept).map(({text}) => text)
  }
}
