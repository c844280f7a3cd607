// The question on a terminal: what is shown, which answers count, and that there is no other prompt.
import {PassThrough} from 'node:stream'
import {describe, expect, onTestFinished, test, vi} from 'vitest'
import {askOn} from '../../src/cli/ask.js'
import {InterruptedError} from '../../src/pipeline/run/to-user-error.js'
import {FakeTerminal} from '../output/fake-terminal.js'

const QUESTION = {
  lines: ['the service kubelet', `C:\\k: ${'kubelet.exe, '.repeat(12)}`],
  stays: ['images', 'logs'],
  text: 'Remove all of this?',
}
const never = new AbortController().signal

function terminal() {
  const screen = new FakeTerminal(80)
  const keys = new PassThrough()
  const stdin = Object.assign(keys, {isTTY: true})
  const stderr = Object.assign(screen, {isTTY: true})
  const {ask} = askOn({stderr, stdin, stdout: {isTTY: true, write: () => true}})
  return {ask, keys, screen}
}

describe('a question', () => {
  test.each([
    ['y', 'yes'],
    ['Yes', 'yes'],
    [' y ', 'yes'],
    ['', 'no'],
    ['n', 'no'],
    ['yo', 'no'],
    ['no, yes', 'no'],
  ])('answered with "%s" means %s', async (typed, meant) => {
    const {ask, keys} = terminal()
    const answered = ask(QUESTION, never)
    keys.write(`${typed}\n`)
    expect(await answered).toBe(meant)
  })

  test('comes after the list, which fits the window', async () => {
    const {ask, keys, screen} = terminal()
    const answered = ask(QUESTION, never)
    keys.write('n\n')
    await answered
    const {lines} = screen
    expect(lines[1]).toBe('  the service kubelet')
    expect(lines.at(-3)).toContain('images, logs')
    expect(lines.at(-1)).toBe('Remove all of this? [y/N]')
    expect(Math.max(...lines.map(({length}) => length))).toBeLessThan(80)
  })

  test('without an answer, for the input has ended, means no', async () => {
    const {ask, keys} = terminal()
    const answered = ask(QUESTION, never)
    keys.end()
    expect(await answered).toBe('no')
  })

  test('is given up with Ctrl-C', async () => {
    const {ask} = terminal()
    const abort = new AbortController()
    const answered = ask(QUESTION, abort.signal)
    abort.abort(new InterruptedError())
    await expect(answered).rejects.toBeInstanceOf(InterruptedError)
  })

  test('review S8: shows names from outside without what would steer the terminal', async () => {
    const {ask, keys, screen} = terminal()
    const answered = ask({lines: ['the service\u0007 x\u001B[2J'], stays: [], text: 'Remove?'}, never)
    keys.write('\n')
    await answered
    expect(screen.lines[1]).toBe('  the service^G x')
  })

  test.each([
    [true, true, 'stderr'],
    [true, false, 'stderr'],
    [false, true, 'stdout'],
    [false, false, 'stderr'],
  ])('review U1: is asked whatever stderr (%s) and stdout (%s) are, on %s', async (isErr, isOut, where) => {
    const written = {stderr: '', stdout: ''}
    const keys = new PassThrough()
    const {ask, isTerminal} = askOn({
      stderr: {isTTY: isErr, write: (text) => (written.stderr += text)},
      stdin: Object.assign(keys, {isTTY: true}),
      stdout: {isTTY: isOut, write: (text) => (written.stdout += text)},
    })
    expect(isTerminal).toBe(true)
    keys.write('n\n')
    expect(await ask(QUESTION, never)).toBe('no')
    expect(Object.entries(written).flatMap(([name, text]) => (text.includes('[y/N]') ? [name] : []))).toEqual([where])
  })
})

describe('without a terminal', () => {
  const nowhere = {isTTY: false, write: () => expect.unreachable('nobody reads a question')}
  const asker = (stdin: PassThrough) => askOn({stderr: nowhere, stdin, stdout: nowhere})

  test.each([
    ['y\n', 'yes'],
    ['n\r\n', 'no'],
    ['y', 'yes'],
    ['anything', 'no'],
    ['', 'none'],
  ])('review U1: %j piped in means %s', async (text, meant) => {
    const stdin = new PassThrough()
    stdin.end(text)
    expect(await asker(stdin).ask(QUESTION, never)).toBe(meant)
  })

  test('review U1: nothing is waited for any longer than two seconds', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const answered = asker(new PassThrough()).ask(QUESTION, never)
    await vi.advanceTimersByTimeAsync(2000)
    expect(await answered).toBe('none')
  })

  test('a process without any input has no answer', async () => {
    const terminal = {
      stderr: nowhere,
      get stdin(): never {
        throw new Error('EBADF')
      },
      stdout: nowhere,
    }
    expect(await askOn(terminal).ask(QUESTION, never)).toBe('none')
  })
})
