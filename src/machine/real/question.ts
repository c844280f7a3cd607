// A question to whoever sits at the terminal.
import {createInterface} from 'node:readline'

/**
 * The line that is typed; undefined where the input ends. Without readline's own terminal mode: Ctrl-C stays a signal to
 * the process, which ends everything in one way.
 */
export async function readAnswer(input: NodeJS.ReadableStream, signal: AbortSignal): Promise<string | undefined> {
  signal.throwIfAborted()
  const lines = createInterface({input, terminal: false})
  try {
    return await new Promise<string | undefined>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), {once: true})
      lines.once('line', resolve)
      lines.once('close', () => resolve(undefined))
    })
  } finally {
    lines.close()
  }
}
