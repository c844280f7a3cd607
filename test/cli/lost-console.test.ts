import {spawn} from 'node:child_process'
import {EventEmitter} from 'node:events'
import {closeSync, existsSync, openSync} from 'node:fs'
import {mkdtemp, readFile, rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {isReaderGone, steadyWriter, surviveLostConsole} from '../../src/cli/lost-console.js'
import type {RunResultDocument} from '../../src/pipeline/run/events.js'
import {isWhole} from '../sample.js'

class FullDisk extends EventEmitter {
  readonly written: unknown[] = []
  isFull = false

  write(text: unknown): boolean {
    if (this.isFull) throw Object.assign(new Error('no space'), {code: 'ENOSPC'})
    this.written.push(text)
    return true
  }
}

test('a stream that throws is lost from then on, and no other stream notices', () => {
  const [stdout, stderr] = [new FullDisk(), new FullDisk()]
  const whyLost = surviveLostConsole([stdout, stderr])
  stdout.write('first')
  stdout.isFull = true
  expect(stdout.write('second')).toBe(false)
  stdout.isFull = false
  stdout.write('third')
  stderr.write('well')
  expect(stdout.written).toEqual(['first'])
  expect(stderr.written).toEqual(['well'])
  expect([whyLost(stdout), whyLost(stderr)]).toEqual(['ENOSPC', undefined])
})

test('who waits for the end of a write does not wait for ever', async () => {
  const stdout = new FullDisk()
  surviveLostConsole([stdout])
  stdout.isFull = true
  const write = steadyWriter(stdout)
  expect([await write('first'), await write('second')]).toEqual([false, false])
})

test('a stream that reports its failure later is lost as well', () => {
  const stdout = new FullDisk()
  const whyLost = surviveLostConsole([stdout])
  stdout.write('first')
  expect(stdout.emit('error', Object.assign(new Error('broken pipe'), {code: 'EPIPE'}))).toBe(true)
  expect(whyLost(stdout)).toBe('EPIPE')
})

// On Linux a real terminal cannot be removed here: Node ends with an abort then (node::ResetStdio), whatever we do.
test.each([
  ['EPIPE', false, true],
  ['EOF', false, true],
  ['EIO', true, true],
  ['EBADF', true, true],
  ['EIO', false, false],
  ['ENOSPC', false, false],
])('review R3: %s on a terminal (%s) means that nothing reads any more: %s', (code, isTerminal, isGone) => {
  expect(isReaderGone(code, isTerminal)).toBe(isGone)
})

test('review R3: of a stream that nothing was written to, nothing is lost', () => {
  const stdout = new FullDisk()
  const whyLost = surviveLostConsole([stdout])
  stdout.isFull = true
  stdout.write('')
  stdout.emit('error', Object.assign(new Error('gone'), {code: 'EIO'}))
  expect(whyLost(stdout)).toBeUndefined()
  stdout.write('{}')
  expect(whyLost(stdout)).toBe('ENOSPC')
})

const BIN = fileURLToPath(new URL('../../bin/run.js', import.meta.url))
const FULL = '/dev/full'

describe.runIf(existsSync(FULL))('standard output on a full disk', () => {
  let dir: string
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'k8s-win-full-'))
  })
  afterAll(async () => rm(dir, {force: true, recursive: true}))

  async function run(args: readonly string[]): Promise<{code: number | null; stderr: string}> {
    const full = openSync(FULL, 'w')
    const child = spawn(process.execPath, [BIN, ...args], {stdio: ['ignore', full, 'pipe']})
    let stderr = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text))
    const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
    closeSync(full)
    return {code, stderr}
  }

  test.each(isWhole ? ['json', 'ndjson'] : ['ndjson'])(
    '--output %s: the run finishes, and what is lost is reported',
    async (format) => {
      const host = join(dir, format)
      const {code, stderr} = await run(['setup', '--simulate', 'ws2019', '--simulate-dir', host, '--output', format])
      expect(code).toBe(5)
      expect(stderr).toMatch(
        /Error: The output could not be written\n {2}Cause: .*ENOSPC.*\n {2}Fix: .*ID: OUTPUT_LOST\n$/s,
      )
      expect(stderr).not.toMatch(/\bat .*\.js:\d+/)
      const result = JSON.parse(await readFile(join(host, 'c/k/k8s-win/result.json'), 'utf8')) as RunResultDocument
      expect(result).toMatchObject({exitCode: 0, outcome: 'done'})
    },
  )

  test('review R3: nothing is lost of a setup that writes nothing there', async () => {
    const {code, stderr} = await run(['setup', '--simulate', 'ws2019', '--simulate-dir', join(dir, 'text')])
    expect(code).toBe(0)
    expect(stderr).not.toContain('OUTPUT_LOST')
  })

  test('an answer in text that is lost is reported', async () => {
    const {code, stderr} = await run(['config', 'schema'])
    expect(code).toBe(5)
    expect(stderr).toContain('OUTPUT_LOST')
  })

  test('a failure keeps its own exit code', async () => {
    const {code, stderr} = await run(['setup', '--nope', '--json'])
    expect(code).toBe(2)
    expect(stderr).toContain('UNKNOWN_FLAG')
    expect(stderr).toContain('OUTPUT_LOST')
  })
})
