// What is piped into this process: read once, and only where an option asks for it.

export interface StandardInput {
  /** Someone would have to type it, without being asked for it. */
  readonly isTerminal: boolean
  /** Everything up to its end; at most a little more than `most` bytes. Rejects with the signal's reason when that is aborted. */
  read(most: number, signal: AbortSignal): Promise<Buffer>
}
