// A console or a pipe that went away must not stop a run half way: what cannot be shown is lost, nothing else.

export interface ConsoleStream {
  emit(event: string | symbol, ...args: unknown[]): boolean
  write(...args: readonly unknown[]): boolean
}

/**
 * Returns, for each of the streams, why something written to it was lost; undefined where nothing was. Of a stream that
 * nothing was written to, nothing is lost: a run in text says everything on stderr.
 */
export function surviveLostConsole<S extends ConsoleStream>(streams: readonly S[]): (stream: S) => string | undefined {
  const lost = new Map<S, string>()
  const used = new Set<S>()
  for (const stream of streams) {
    const lose = (error: unknown): void => {
      if (used.has(stream) && !lost.has(stream))
        lost.set(stream, (error as NodeJS.ErrnoException).code ?? String(error))
    }
    const write = stream.write.bind(stream)
    const emit = stream.emit.bind(stream)
    // Not by a listener: oclif has one of its own, which throws.
    stream.emit = (event, ...args) => {
      if (event !== 'error') return emit(event, ...args)
      lose(args[0])
      return true
    }
    // Some streams throw right here.
    stream.write = (...args) => {
      if (lost.has(stream)) return reportLost(args, lost.get(stream))
      if (args[0] !== '') used.add(stream)
      try {
        return write(...args)
      } catch (error) {
        lose(error)
        return reportLost(args, lost.get(stream))
      }
    }
  }
  return (stream) => lost.get(stream)
}

/** Who waits for the write to end must not wait for ever. */
function reportLost(args: readonly unknown[], code: string | undefined): false {
  const done = args.at(-1) as ((error: Error) => void) | undefined
  if (typeof done === 'function') queueMicrotask(() => void done(new Error(`nothing more can be written: ${code}`)))
  return false
}

/** The other end of a pipe, or the terminal itself, is gone: the output has no reader. */
export const isReaderGone = (code: string, isTerminal: boolean): boolean =>
  isTerminal || code === 'EPIPE' || code === 'EOF'

export interface Writable {
  write(text: string, done: (error?: Error | null) => void): boolean
}

/** Writes no faster than the reader reads. Resolves to false if the reader is gone. */
export const steadyWriter =
  (stream: Writable): ((text: string) => Promise<boolean>) =>
  (text) =>
    new Promise((resolve) => {
      stream.write(text, (error) => resolve(!error))
    })
