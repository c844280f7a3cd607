// The standard input of this process. A process without a console may have none that can be opened.
import type {StandardInput} from '../standard-input.js'

type Input = NodeJS.ReadableStream & {readonly isTTY?: boolean; setRawMode?(on: boolean): unknown}
type Output = Pick<NodeJS.WritableStream, 'write'> & {readonly isTTY?: boolean}

interface Owner {
  readonly stderr: Output
  readonly stdin: Input
  readonly stdout: Output
}

/** Adds a chunk, with a character per byte, to what was read. True where that is all. */
type Take = (chunk: string, read: string[]) => boolean

/**
 * The same bytes to whoever asks again: a pipe is empty after the first time. `interrupt`: what Ctrl-C does, which a
 * console does not do while it shows nothing of what is typed.
 */
export function openStandardInput(owner: Owner, interrupt: () => void): StandardInput {
  let known: Promise<Buffer> | undefined
  const open = (): Input | undefined => {
    try {
      return owner.stdin
    } catch {
      return undefined
    }
  }
  const read = async (most: number, signal: AbortSignal, prompt: string): Promise<Buffer> => {
    const input = open()
    if (!input) return Buffer.alloc(0)
    if (input.isTTY !== true) return readUntil(input, signal, upTo(most))
    const screen = !owner.stderr.isTTY && owner.stdout.isTTY ? owner.stdout : owner.stderr
    screen.write(prompt)
    input.setRawMode?.(true)
    try {
      return await readUntil(input, signal, aLine(interrupt))
    } finally {
      input.setRawMode?.(false)
      screen.write('\n')
    }
  }
  return {read: (...asked) => (known ??= read(...asked))}
}

const upTo = (most: number): Take => {
  let bytes = 0
  return (chunk, read) => {
    read.push(chunk)
    bytes += chunk.length
    return bytes > most
  }
}

const [CTRL_C, CTRL_D, BACKSPACE] = ['\u0003', '\u0004', '\u007F']

/** Of keys: Enter and Ctrl-D end it. */
const aLine =
  (interrupt: () => void): Take =>
  (chunk, read) => {
    for (const key of chunk) {
      if (key === '\r' || key === '\n' || key === CTRL_D) return true
      if (key === CTRL_C) interrupt()
      else if (key === '\b' || key === BACKSPACE) read.pop()
      else read.push(key)
    }
    return false
  }

async function readUntil(input: Input, signal: AbortSignal, take: Take): Promise<Buffer> {
  signal.throwIfAborted()
  const parts: string[] = []
  let leave = (): void => {}
  try {
    return await new Promise<Buffer>((resolve, reject) => {
      const done = (): void => resolve(Buffer.from(parts.join(''), 'latin1'))
      const aborted = (): void => reject(signal.reason as Error)
      const more = (chunk: Buffer | string): void => {
        if (take(Buffer.from(chunk as string).toString('latin1'), parts)) done()
      }
      leave = () => {
        input.off('data', more).off('end', done).off('error', reject)
        signal.removeEventListener('abort', aborted)
      }
      // One that was paused does not continue by itself.
      input.on('data', more).once('end', done).once('error', reject).resume()
      signal.addEventListener('abort', aborted, {once: true})
    })
  } finally {
    leave()
    // An input that is still read would keep the process from ending.
    input.pause()
  }
}
