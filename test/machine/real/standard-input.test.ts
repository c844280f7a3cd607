// What is piped into the process: read to its end, once, within limits.
import {PassThrough} from 'node:stream'
import {describe, expect, it} from 'vitest'
import {openStandardInput} from '../../../src/machine/real/standard-input.js'

const never = new AbortController().signal

/** Of a process with this input. */
function opened(stdin: NodeJS.ReadableStream, interrupt = (): void => {}) {
  const stderr = {isTTY: true, text: '', write: (text: string) => Boolean((stderr.text += text))}
  const owner = {stderr: stderr as unknown as NodeJS.WriteStream, stdin, stdout: process.stdout}
  const {read} = openStandardInput(owner, interrupt)
  return {read: (most: number, signal: AbortSignal) => read(most, signal, 'Token: '), stderr}
}

it('is read to its end, and the same for who asks again', async () => {
  const stdin = new PassThrough()
  const input = opened(stdin)
  const asked = input.read(100, never)
  stdin.write('abc')
  stdin.end('def')
  expect(String(await asked)).toBe('abcdef')
  expect(await input.read(100, never)).toBe(await asked)
  expect(input.stderr.text).toBe('')
  expect(stdin.listenerCount('data')).toBe(0)
})

it('is read a little further than the limit, and then let go', async () => {
  const stdin = new PassThrough()
  const asked = opened(stdin).read(4, never)
  stdin.write('abc')
  stdin.write('def')
  stdin.write('ghi')
  expect(String(await asked)).toBe('abcdef')
  expect(stdin.isPaused()).toBe(true)
})

it('ends with the signal', async () => {
  const stdin = new PassThrough()
  const controller = new AbortController()
  const asked = opened(stdin).read(4, controller.signal)
  controller.abort(new Error('enough'))
  await expect(asked).rejects.toThrow('enough')
  expect(stdin.isPaused()).toBe(true)
  await expect(opened(stdin).read(4, controller.signal)).rejects.toThrow('enough')
})

it('may not be there at all', async () => {
  const none = openStandardInput(
    {
      stderr: process.stderr,
      get stdin(): NodeJS.ReadableStream {
        throw new Error('EBADF')
      },
      stdout: process.stdout,
    },
    () => {},
  )
  expect(await none.read(4, never, '')).toEqual(Buffer.alloc(0))
})

describe('review U2-20: on a terminal', () => {
  function terminal() {
    const modes: boolean[] = []
    const stdin = Object.assign(new PassThrough(), {isTTY: true, setRawMode: (on: boolean) => modes.push(on)})
    return {modes, stdin}
  }

  it('a line is asked for, and not shown', async () => {
    const {modes, stdin} = terminal()
    const {read, stderr} = opened(stdin)
    const asked = read(100, never)
    for (const key of ['a', 'b', 'x', '\u007F', 'c', '\r', 'd']) stdin.write(key)
    expect(String(await asked)).toBe('abc')
    expect(stderr.text).toBe('Token: \n')
    expect(modes).toEqual([true, false])
    expect(stdin.isPaused()).toBe(true)
  })

  it('a pasted line ends at its end, and Ctrl-C interrupts', async () => {
    const {modes, stdin} = terminal()
    const pasted = opened(stdin).read(100, never)
    stdin.write('abc\r\nrest')
    expect(String(await pasted)).toBe('abc')
    const controller = new AbortController()
    const asked = opened(stdin, () => controller.abort(new Error('interrupted'))).read(100, controller.signal)
    stdin.write('ab\u0003')
    await expect(asked).rejects.toThrow('interrupted')
    expect(modes).toEqual([true, false, true, false])
  })
})
