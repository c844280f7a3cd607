// What is piped into this process: read once, and only where an option asks for it.

export interface StandardInput {
  /**
   * Everything up to its end; at most a little more than `most` bytes. On a terminal one line, which is asked for with
   * `prompt` and not shown. Rejects with the signal's reason when that is aborted.
   */
  read(most: number, signal: AbortSignal, prompt: string): Promise<Buffer>
}
