// What is piped into the process: read to its end, once, within limits.
import {PassThrough} from 'node:stream'
import {expect, it} from 'vitest'
import {openStandardInput} from '../../../src/machine/real/standard-input.js'

const never = new AbortController().signal

it('is read to its end, and the same for who asks again', async () => {
  const stdin = new PassThrough()
  const input = openStandardInput({stdin})
  const asked = input.read(100, never)
  stdin.write('abc')
  stdin.end('def')
  expect(String(await asked)).toBe('abcdef')
  expect(await input.read(100, never)).toBe(await asked)
  expect(input.isTerminal).toBe(false)
  expect(stdin.listenerCount('data')).toBe(0)
})

it('is read a little further than the limit, and then let go', async () => {
  const stdin = new PassThrough()
  const asked = openStandardInput({stdin}).read(4, never)
  stdin.write('abc')
  stdin.write('def')
  stdin.write('ghi')
  expect(String(await asked)).toBe('abcdef')
  expect(stdin.isPaused()).toBe(true)
})

it('ends with the signal', async () => {
  const stdin = new PassThrough()
  const controller = new AbortController()
  const asked = openStandardInput({stdin}).read(4, controller.signal)
  controller.abort(new Error('enough'))
  await expect(asked).rejects.toThrow('enough')
  expect(stdin.isPaused()).toBe(true)
  await expect(openStandardInput({stdin}).read(4, controller.signal)).rejects.toThrow('enough')
})

it('may be a terminal, or not there at all', async () => {
  expect(openStandardInput({stdin: Object.assign(new PassThrough(), {isTTY: true})}).isTerminal).toBe(true)
  const none = openStandardInput({
    get stdin(): NodeJS.ReadableStream {
      throw new Error('EBADF')
    },
  })
  expect(none.isTerminal).toBe(false)
  expect(await none.read(4, never)).toEqual(Buffer.alloc(0))
})
