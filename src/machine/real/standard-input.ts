// The standard input of this process. A process without a console may have none that can be opened.
import type {StandardInput} from '../standard-input.js'

type Input = NodeJS.ReadableStream & {readonly isTTY?: boolean}

/** The same bytes to whoever asks again: a pipe is empty after the first time. */
export function openStandardInput(owner: {readonly stdin: Input}): StandardInput {
  let known: Promise<Buffer> | undefined
  const open = (): Input | undefined => {
    try {
      return owner.stdin
    } catch {
      return undefined
    }
  }
  return {
    get isTerminal() {
      return open()?.isTTY === true
    },
    read(most, signal) {
      const input = open()
      known ??= input ? readAll(input, most, signal) : Promise.resolve(Buffer.alloc(0))
      return known
    },
  }
}

async function readAll(input: Input, most: number, signal: AbortSignal): Promise<Buffer> {
  signal.throwIfAborted()
  const chunks: Buffer[] = []
  let bytes = 0
  let leave = (): void => {}
  try {
    return await new Promise<Buffer>((resolve, reject) => {
      const done = (): void => resolve(Buffer.concat(chunks))
      const aborted = (): void => reject(signal.reason as Error)
      const take = (chunk: Buffer | string): void => {
        chunks.push(Buffer.from(chunk as string))
        bytes += chunk.length
        if (bytes > most) done()
      }
      leave = () => {
        input.off('data', take).off('end', done).off('error', reject)
        signal.removeEventListener('abort', aborted)
      }
      input.on('data', take).once('end', done).once('error', reject)
      signal.addEventListener('abort', aborted, {once: true})
    })
  } finally {
    leave()
    // An input that is still read would keep the process from ending.
    input.pause()
  }
}
