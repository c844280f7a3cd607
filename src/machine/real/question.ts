// A prompt on the terminal, or an answer that is piped in.
import {createInterface} from 'node:readline'

/**
 * The line that is typed; undefined where the input ends, or where none comes within `patienceMs`. Without readline's own terminal mode: Ctrl-C stays a signal to
 * the process, which ends everything in one way.
 */
export async function readAnswer(
  input: NodeJS.ReadableStream,
  signal: AbortSignal,
  patienceMs?: number,
): Promise<string | undefined> {
  signal.throwIfAborted()
  const lines = createInterface({input, terminal: false})
  let timer: NodeJS.Timeout | undefined
  let onAbort = (): void => {}
  try {
    return await new Promise<string | undefined>((resolve, reject) => {
      onAbort = () => reject(signal.reason as Error)
      signal.addEventListener('abort', onAbort)
      lines.once('line', resolve)
      lines.once('close', () => resolve(undefined))
      if (patienceMs !== undefined) timer = setTimeout(() => resolve(undefined), patienceMs)
    })
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    lines.close()
  }
}
