// reset as people start it: an answer on a terminal, from a pipe, or none.
import {spawn} from 'node:child_process'
import {existsSync} from 'node:fs'
import {fileURLToPath} from 'node:url'
import {describe, expect, test} from 'vitest'
import type {DiskHost} from '../steps/host-folder.js'
import {setUpHost} from './set-up-host.js'
import {turn} from '../sample.js'

const BIN = fileURLToPath(new URL('../../bin/run.js', import.meta.url))
const SCRIPT = '/usr/bin/script'
const {copyOnDisk: copy} = setUpHost()
type Host = DiskHost

const isSetUp = (host: Host): boolean => 'kubelet' in host.world.services
const commandLine = (host: Host): string[] => [BIN, 'reset', '--simulate', 'ws2019', '--simulate-dir', host.dir]

interface Ended {
  readonly code: number | null
  readonly text: string
}

/** `onText` may type. What comes on stdout and stderr is one text. */
function run(program: string, args: readonly string[], onText: (text: string, type: (keys: string) => void) => void) {
  return new Promise<Ended>((resolve, reject) => {
    const child = spawn(program, args, {stdio: ['pipe', 'pipe', 'pipe']})
    let text = ''
    const hear = (piece: string): void => {
      text += piece
      onText(text, (keys) => child.stdin.write(keys))
    }
    child.stdout.setEncoding('utf8').on('data', hear)
    child.stderr.setEncoding('utf8').on('data', hear)
    child.stdin.on('error', () => {})
    child.on('error', reject)
    child.on('close', (code) => resolve({code, text}))
    onText('', (keys) => (keys === '' ? child.stdin.end() : child.stdin.write(keys)))
  })
}

/** As `echo n | k8s-win reset`. */
const piped = (host: Host, answer: string): Promise<Ended> =>
  run(process.execPath, commandLine(host), (text, type) => {
    if (text !== '') return
    if (answer !== '') type(answer)
    type('')
  })

describe('review U1: with an answer in a pipe', () => {
  test('review U1: "n" cancels', async () => {
    const host = copy()
    expect(await piped(host, 'n\n')).toMatchObject({code: 0, text: expect.stringContaining('cancelled') as string})
    expect(isSetUp(host)).toBe(true)
  })

  test.each([
    ['y', 'y\n'],
    ['nothing', ''],
  ])('review U1: %s goes ahead', async (_, answer) => {
    const host = copy()
    expect(await piped(host, answer)).toMatchObject({code: 0})
    expect(isSetUp(host)).toBe(false)
  })
})

describe.runIf(existsSync(SCRIPT))('review U1: on a terminal', () => {
  const quoted = (host: Host): string => [process.execPath, ...commandLine(host)].map((word) => `'${word}'`).join(' ')
  /** On a pseudo-terminal, with the rest of the line after the command; types as soon as it is asked. */
  const typing = (host: Host, rest: string, keys: string): Promise<Ended> => {
    let isTyped = false
    return run(SCRIPT, ['-qefc', `bash -o pipefail -c "${quoted(host)} ${rest}"`, '/dev/null'], (text, type) => {
      if (isTyped || !text.includes('[y/N]')) return
      isTyped = true
      type(keys)
    })
  }

  test.each(
    turn(
      [
        ['2>&1 | cat', 'n\n', true],
        ['2>&1 | cat', 'y\n', false],
        ['2>/dev/null', 'n\n', true],
        ['> /dev/null', 'n\n', true],
      ],
      1,
      2,
    ),
  )('review U1: %s asks, and %j is honoured', async (rest, keys, stays) => {
    const host = copy()
    const {code, text} = await typing(host, rest, keys)
    expect(text).toContain('[y/N]')
    expect({code, isSetUp: isSetUp(host)}).toEqual({code: 0, isSetUp: stays})
  })

  test('review U1: Ctrl-C at the question says that nothing was changed', async () => {
    const host = copy()
    const {code, text} = await typing(host, '', '\u0003')
    expect({code, isSetUp: isSetUp(host)}).toEqual({code: 130, isSetUp: true})
    expect(text).toContain('INTERRUPTED_AT_QUESTION')
  })
})
