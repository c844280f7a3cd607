// The question on a terminal: what is shown, which answers count, and that nobody else is asked.
import {PassThrough} from 'node:stream'
import {describe, expect, test} from 'vitest'
import {askOn} from '../../src/cli/ask.js'
import {InterruptedError} from '../../src/pipeline/explain.js'
import {FakeTerminal} from '../output/fake-terminal.js'

const QUESTION = {
  lines: ['the service kubelet', `C:\\k: ${'kubelet.exe, '.repeat(12)}`],
  stays: ['images', 'logs'],
  text: 'Remove all of it?',
}
const never = new AbortController().signal

function terminal() {
  const screen = new FakeTerminal(80)
  const keys = new PassThrough()
  const stdin = Object.assign(keys, {isTTY: true})
  const stderr = Object.assign(screen, {isTTY: true})
  return {ask: askOn({stderr, stdin}), keys, screen}
}

describe('a question', () => {
  test.each([
    ['y', true],
    ['Yes', true],
    [' y ', true],
    ['', false],
    ['n', false],
    ['yo', false],
    ['no, yes', false],
  ])('answered with "%s" means %s', async (typed, meant) => {
    const {ask, keys} = terminal()
    const answered = ask?.(QUESTION, never)
    keys.write(`${typed}\n`)
    expect(await answered).toBe(meant)
  })

  test('comes after the list, which fits the window', async () => {
    const {ask, keys, screen} = terminal()
    const answered = ask?.(QUESTION, never)
    keys.write('n\n')
    await answered
    const {lines} = screen
    expect(lines[0]).toBe('This will be removed:')
    expect(lines[1]).toBe('  the service kubelet')
    expect(lines.at(-3)).toBe('This stays: images, logs.')
    expect(lines.at(-1)).toBe('Remove all of it? [y/N]')
    expect(Math.max(...lines.map(({length}) => length))).toBeLessThan(80)
  })

  test('without an answer, for the input has ended, means no', async () => {
    const {ask, keys} = terminal()
    const answered = ask?.(QUESTION, never)
    keys.end()
    expect(await answered).toBe(false)
  })

  test('is given up with Ctrl-C', async () => {
    const {ask} = terminal()
    const abort = new AbortController()
    const answered = ask?.(QUESTION, abort.signal)
    abort.abort(new InterruptedError())
    await expect(answered).rejects.toBeInstanceOf(InterruptedError)
  })

  test('shows names from outside without what would steer the terminal', async () => {
    const {ask, keys, screen} = terminal()
    const answered = ask?.({lines: ['the service\u0007 x\u001B[2J'], stays: [], text: 'Remove?'}, never)
    keys.write('\n')
    await answered
    expect(screen.lines[1]).toBe('  the service x')
  })

  test.each([
    [true, false],
    [false, true],
    [false, false],
  ])('is asked of nobody where stdin is a terminal: %s, stderr: %s', (stdin, stderr) => {
    const sink = {isTTY: stderr, write: () => true}
    expect(askOn({stderr: sink, stdin: Object.assign(new PassThrough(), {isTTY: stdin})})).toBeUndefined()
  })
})
