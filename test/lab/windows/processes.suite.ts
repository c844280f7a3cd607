// Programs the product starts: their arguments, environment, input and output, their exit codes, and their end.
import assert from 'node:assert/strict'
import {type ChildProcess, spawn} from 'node:child_process'
import {once} from 'node:events'
import {copyFile, mkdir, mkdtemp, readFile, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import path from 'node:path'
import {after, before, describe, test} from 'node:test'
import {waitFor} from '../../../src/host/wait.js'
import {DeadlineError} from '../../../src/machine/clock.js'
import {openRealMachine} from '../../../src/machine/real/index.js'
import {ProgramNotFoundError, type RunOptions} from '../../../src/machine/run.js'
import {isAlive} from './service-rig.js'
import {IS_WINE} from './windows-host.js'

const machine = openRealMachine()
const SYSTEM = 'C:\\Windows\\System32'
const READ: RunOptions = {deadlineMs: 30_000, effect: 'read'}
let folder: string

before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'k8s-win processes ü中-'))
})
after(() => rm(folder, {force: true, maxRetries: 10, recursive: true}))

/** A script, with what it needs to know behind it. */
const node = (script: string, args: readonly string[] = [], options: Partial<RunOptions> = {}) =>
  machine.run(process.execPath, ['-e', script, '--', ...args], {...READ, ...options})

describe('a program', () => {
  test('gets its arguments as they are', async () => {
    const args = ['a b', 'c"d', '', 'e\\', 'f\\\\" g', '%PATH%', '$x', '^&|<>', '—ß中', '\u{1F600}', "'", '\t']
    const {stdout} = await node('process.stdout.write(JSON.stringify(process.argv.slice(1)))', args)
    assert.deepEqual(JSON.parse(stdout), args)
  })

  test('gets the environment of the machine and what is added, names in any case', async () => {
    const script = `process.stdout.write(JSON.stringify([
      process.env.PATH, process.env.LAB_NEW, process.env.SystemRoot !== undefined,
      Object.keys(process.env).filter((name) => name.toLowerCase() === 'path').length]))`
    const {stdout} = await node(script, [], {env: {Lab_New: 'ü 中=;', pAtH: 'C:\\x'}})
    assert.deepEqual(JSON.parse(stdout), ['C:\\x', 'ü 中=;', true, 1])
  })

  test('gets its input to the end, and none where there is none', async () => {
    const script =
      "let got = ''; process.stdin.setEncoding('utf8').on('data', (d) => (got += d)).on('end', () => console.log(got.length))"
    assert.equal((await node(script, [], {input: 'ü中\n'.repeat(100_000)})).stdout, '300000\n')
    assert.equal((await node(script)).stdout, '0\n')
  })

  test('starts in the folder of Windows, not in that of k8s-win', async () => {
    const {stdout} = await node('process.stdout.write(process.cwd())')
    assert.equal(stdout.toLowerCase(), SYSTEM.toLowerCase())
  })

  for (const code of [0, 1, 255, 256, 1060, 70_000, 0xc000_0005, 0xffff_ffff]) {
    test(`ends with ${code}, all 32 bits of it`, async () => {
      // cmd.exe takes a signed number.
      const {exitCode} = await machine.run(`${SYSTEM}\\cmd.exe`, ['/d', '/c', 'exit', String(code | 0)], READ)
      assert.equal(exitCode, code)
    })
  }
})

describe('output is read for what it is', () => {
  const written = (bytes: Buffer) =>
    node("process.stdout.write(Buffer.from(process.argv[1], 'hex'))", [bytes.toString('hex')])

  test('UTF-16, with its mark and without', async () => {
    assert.equal((await written(Buffer.from('\uFEFFÄ 中\r\n', 'utf16le'))).stdout, 'Ä 中\r\n')
    assert.equal((await written(Buffer.from('Ä 中\r\n', 'utf16le'))).stdout, 'Ä 中\r\n')
    const {stdout} = await machine.run(`${SYSTEM}\\cmd.exe`, ['/d', '/u', '/c', 'echo', 'ü中'], READ)
    assert.equal(stdout, 'ü中\r\n')
  })

  test('UTF-8', async () => {
    assert.equal((await written(Buffer.from('Ä 中 \u{1F600}'))).stdout, 'Ä 中 \u{1F600}')
  })

  test("the console's code page", {skip: !IS_WINE && 'the letters are those of code page 437'}, async () => {
    assert.equal((await written(Buffer.from([0x81, 0x20, 0x94]))).stdout, 'ü ö')
  })
})

describe('what cannot be started', () => {
  test('is a folder', async () => {
    const program = path.join(folder, 'folder.exe')
    await mkdir(program)
    await assert.rejects(machine.run(program, [], READ), {code: 'EACCES'})
  })

  test('is not there, and no shell is asked for it', async () => {
    for (const program of [path.join(folder, 'nothing.exe'), path.join(folder, 'no folder', 'x.exe')]) {
      await assert.rejects(machine.run(program, ['%PATH%'], READ), new ProgramNotFoundError(program))
    }
  })

  test('is not a program', async () => {
    const program = path.join(folder, 'text.exe')
    await writeFile(program, 'text')
    // libuv gives ERROR_BAD_EXE_FORMAT a name since Node 22.
    await assert.rejects(machine.run(program, [], READ), {code: 'EFTYPE'})
  })
})

describe('the processes of a program', () => {
  const NAME = 'k8s-win-lab-ended.exe'
  const started: ChildProcess[] = []
  after(() => started.forEach((child) => child.kill('SIGKILL')))

  async function start(folderName: string): Promise<ChildProcess & {readonly path: string}> {
    const program = path.join(folder, folderName, NAME)
    await mkdir(path.dirname(program))
    await copyFile(process.execPath, program)
    const child = spawn(program, ['-e', 'setInterval(() => {}, 1000)'], {stdio: 'ignore'})
    started.push(child)
    await once(child, 'spawn')
    return Object.assign(child, {path: program})
  }

  test('review W3-3: end by the path of their file, and those of another one of its name stay', async () => {
    const [ours, other] = [await start('ours'), await start('other')]
    const paths = await machine.win32.processPaths(NAME.toUpperCase())
    assert.deepEqual(
      new Map(paths.map((one) => [one.id, one.path?.toLowerCase()])),
      new Map([ours, other].map((one) => [one.pid, one.path.toLowerCase()])),
    )
    const exited = once(ours, 'exit')
    assert.deepEqual(await machine.win32.endProgram(ours.path), {denied: [], ended: 1})
    await exited
    assert.equal(isAlive(other.pid!), true)
    assert.deepEqual(await machine.win32.endProgram(ours.path), {denied: [], ended: 0})
  })
})

describe('the end of waiting', () => {
  /** Starts one of its own, writes down both process ids, and never ends. */
  const FAMILY = `
    const {spawn} = require('node:child_process'), {renameSync, writeFileSync} = require('node:fs')
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {stdio: 'inherit'})
    writeFileSync(process.argv[1] + '.part', process.pid + ' ' + child.pid)
    renameSync(process.argv[1] + '.part', process.argv[1])
    setInterval(() => {}, 1000)`

  const pids = (file: string) =>
    waitFor(machine.clock, {deadlineMs: 60_000, everyMs: 20}, async () => {
      const text = await readFile(file, 'utf8').catch(() => undefined)
      return text?.split(' ').map(Number)
    })

  test('by the caller ends the whole tree', async () => {
    const file = path.join(folder, 'by caller')
    const stop = new AbortController()
    const running = node(FAMILY, [file], {signal: stop.signal})
    const reason = new Error('interrupted')
    const rejected = assert.rejects(running, reason)
    const family = await pids(file)
    assert.deepEqual(family?.map(isAlive), [true, true])
    stop.abort(reason)
    await rejected
    assert.deepEqual(family.map(isAlive), [false, false])
  })

  test('by the deadline too, and says which', async () => {
    const file = path.join(folder, 'by deadline')
    const from = Date.now()
    await assert.rejects(node(FAMILY, [file], {deadlineMs: 6000}), new DeadlineError(6000))
    assert.ok(Date.now() - from < 30_000)
    assert.deepEqual((await pids(file))?.map(isAlive), [false, false])
  })
})
