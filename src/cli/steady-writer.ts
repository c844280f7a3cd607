// Writing no faster than somebody reads.

export interface Writable {
  write(text: string, done: (error?: Error | null) => void): boolean
}

/** Resolves when the text is on its way: false where nobody reads any more. */
export function steadyWriter(stream: Writable): (text: string) => Promise<boolean> {
  return (text) =>
    new Promise((resolve) => {
      stream.write(text, (error) => resolve(!error))
    })
}
