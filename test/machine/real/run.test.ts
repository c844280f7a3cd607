import {existsSync, readFileSync} from 'node:fs'
import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {describe, expect, it, vi} from 'vitest'
import {DeadlineError} from '../../../src/machine/clock.js'
import {openRealMachine} from '../../../src/machine/real/index.js'
import {openRun} from '../../../src/machine/real/run.js'
import {LARGEST_OUTPUT, ProgramNotFoundError, ProgramOutputError} from '../../../src/machine/run.js'
import type {RunOptions} from '../../../src/machine/run.js'
import {nightly} from '../../nightly.js'
import {scratchFolder} from './scratch.js'

const machine = openRealMachine()
const options: RunOptions = {deadlineMs: 10_000, effect: 'read'}

function node(script: string, more: Partial<RunOptions> = {}, args: readonly string[] = []) {
  return machine.run(process.execPath, ['-e', script, ...args], {...options, ...more})
}

describe('a program that prints without end', () => {
  const flood = (stream: string): string =>
    `const more = () => process.${stream}.write('x'.repeat(65536), more); more()`

  it.each(['stdout', 'stderr'])('review S10: on %s is ended, and so is what it started', async (stream) => {
    const folder = await scratchFolder()
    const pidFile = join(folder, 'pid')
    const child = `require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {stdio: 'ignore'})`
    const script = `require('node:fs').writeFileSync(${JSON.stringify(pidFile)}, String(${child}.pid)); ${flood(stream)}`
    const error: unknown = await node(script, {maxOutputBytes: 500_000}).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ProgramOutputError)
    expect(error).toMatchObject({limit: 500_000, program: process.execPath})
    const pid = Number(readFileSync(pidFile, 'utf8'))
    await vi.waitFor(() => expect(isRunning(pid)).toBe(false))
  })

  it('review S10: is ended where a limit is not given, too', async () => {
    await expect(node(flood('stdout'))).rejects.toMatchObject({limit: LARGEST_OUTPUT})
  })

  it('review S10: may print as much as the limit', async () => {
    const {stdout} = await node(`process.stdout.write('x'.repeat(500_000))`, {maxOutputBytes: 500_000})
    expect(stdout).toHaveLength(500_000)
  })

  function isRunning(pid: number): boolean {
    try {
      process.kill(pid, 0)
      return !/^\) [ZX]/.test(/\)[^)]*$/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[0] ?? '')
    } catch {
      return false
    }
  }
})

describe('a program', () => {
  it.each([0, 1, 3, 255])('that ends with %i is a result', async (code) => {
    const result = await node(`process.stdout.write('o\\n'); process.stderr.write('e\\n'); process.exitCode = ${code}`)
    expect(result).toMatchObject({exitCode: code, stderr: 'e\n', stdout: 'o\n'})
    expect(result.durationMs).toBeGreaterThan(0)
  })

  it('gets its arguments as they are', async () => {
    const args = ['a b', '"c"', '$HOME', '%PATH%', '&', '', 'ü', '\\']
    const {stdout} = await node('process.stdout.write(JSON.stringify(process.argv.slice(1)))', {}, ['--', ...args])
    expect(JSON.parse(stdout)).toEqual(args)
  })

  it('gets its input, and none where none is given', async () => {
    const script =
      'process.stdin.on("data", (data) => process.stdout.write(data)).on("end", () => process.stdout.write("|end"))'
    expect((await node(script, {input: 'hello ü'})).stdout).toBe('hello ü|end')
    expect((await node(script)).stdout).toBe('|end')
  })

  it('gets the environment of this process and what is added', async () => {
    const run = openRun({
      clock: machine.clock,
      environment: {KEPT: 'k', REPLACED: 'old'},
      oemCodePage: async () => 437,
      platform: 'linux',
      systemFolder: async () => '',
    })
    const script = 'process.stdout.write(JSON.stringify([process.env.KEPT, process.env.REPLACED, process.env.PATH]))'
    const {stdout} = await run(process.execPath, ['-e', script], {...options, env: {REPLACED: 'new'}})
    expect(JSON.parse(stdout)).toEqual(['k', 'new', null])
  })

  it('does not start in our folder', async () => {
    expect((await node('process.stdout.write(process.cwd())')).stdout).toBe('/')
  })

  it('killed by a signal has the code a shell would show', async () => {
    expect((await node('process.kill(process.pid, "SIGTERM"); setTimeout(() => {}, 9999)')).exitCode).toBe(143)
  })

  it('writes in other encodings', async () => {
    const utf16 = await node(String.raw`process.stdout.write(Buffer.from('\ufeffÄ ok', 'utf16le'))`)
    expect(utf16.stdout).toBe('Ä ok')
  })
})

describe('a program that cannot be started', () => {
  it('because it is not there', async () => {
    const program = '/nowhere/netsh.exe'
    await expect(machine.run(program, [], options)).rejects.toEqual(new ProgramNotFoundError(program))
  })

  it('because it is none', async () => {
    const program = join(await scratchFolder(), 'text')
    await machine.files.write(program, 'text')
    await expect(machine.run(program, [], options)).rejects.toMatchObject({code: 'EACCES'})
  })

  it('because it is a folder', async () => {
    const folder = await scratchFolder()
    await expect(machine.run(folder, [], options)).rejects.toMatchObject({
      code: 'EACCES',
      name: 'ProgramNotStartedError',
    })
  })

  it.each([
    ['a zero', 'secret\0'],
    ['half a surrogate pair', 'secret\uD800'],
    ['a letter that ends Node on Windows', 'secret\u{10FFFF}'],
  ])('because %s cannot be passed on', async (_, text) => {
    for (const [args, env] of [
      [[text], {}],
      [[], {A: text}],
      [[], {[text]: 'a'}],
    ] as const) {
      const refused = await machine.run(process.execPath, args, {...options, env}).catch((error: unknown) => error)
      expect(refused).toMatchObject({code: 'EINVAL', message: expect.not.stringContaining('secret') as string})
    }
  })

  it.each(['netsh.exe', './netsh.exe', 'C:netsh.exe'])('because %s is not an absolute path', async (program) => {
    await expect(machine.run(program, [], options)).rejects.toBeInstanceOf(TypeError)
  })

  it.each(['netsh.exe', '\\netsh.exe', '/netsh.exe', 'C:\\k\\run.cmd', 'C:\\k\\run'])(
    'on Windows: %s',
    async (program) => {
      const parts = {
        clock: machine.clock,
        environment: {},
        oemCodePage: async () => 437,
        platform: 'win32',
        systemFolder: async () => String.raw`C:\Windows\System32`,
      } as const
      await expect(openRun(parts)(program, [], options)).rejects.toBeInstanceOf(TypeError)
    },
  )
})

describe('a program in the foreground', () => {
  async function inForeground(script: string, until: string, graceMs = 10_000) {
    const ctrlC = new AbortController()
    const seen = {stderr: '', stdout: ''}
    const onOutput = (chunk: Uint8Array, stream: 'stderr' | 'stdout'): void => {
      seen[stream] += Buffer.from(chunk).toString()
      if (seen.stdout.endsWith(until)) ctrlC.abort(new Error('interrupted'))
    }
    const ended = await node(script, {foreground: {graceMs, onOutput}, signal: ctrlC.signal}).catch(
      (error: unknown) => error,
    )
    return {ended, seen}
  }

  it('is heard while it runs, and its output is not in the result', async () => {
    const {ended, seen} = await inForeground('console.log("out"); console.error("err"); process.exitCode = 3', 'never')
    expect(ended).toMatchObject({exitCode: 3, stderr: '', stdout: ''})
    expect(seen).toEqual({stderr: 'err\n', stdout: 'out\n'})
  })

  it('ends by itself after Ctrl-C, and is waited for', async () => {
    const script =
      'process.on("SIGINT", () => setTimeout(() => {console.log("bye"); process.exit()}, 50)); setInterval(() => {}, 999); console.log("up")'
    const {ended, seen} = await inForeground(script, 'up\n')
    expect(ended).toEqual(new Error('interrupted'))
    expect(seen.stdout).toBe('up\nbye\n')
  })

  it('is killed where it does not end', async () => {
    const script = 'process.on("SIGINT", () => console.log("no")); setInterval(() => {}, 999); console.log("up")'
    const {ended, seen} = await inForeground(script, 'up\n', 200)
    expect(ended).toEqual(new Error('interrupted'))
    expect(seen.stdout).toBe('up\nno\n')
  })

  nightly('may print more than is kept of others', async () => {
    const {ended} = await inForeground(`process.stdout.write('x'.repeat(${LARGEST_OUTPUT + 1}))`, 'never')
    expect(ended).toMatchObject({exitCode: 0})
  })
})

describe('the end of waiting', () => {
  /** Starts a child of its own, reports both process ids in files, and never ends. */
  const family = (folder: string, detached: boolean) => `
    const {spawn} = require('node:child_process'), {writeFileSync} = require('node:fs')
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {detached: ${detached}, stdio: 'inherit'})
    writeFileSync(${JSON.stringify(join(folder, 'pids'))}, process.pid + ' ' + child.pid)
    setInterval(() => {}, 1000)`

  async function pids(folder: string): Promise<number[]> {
    const file = join(folder, 'pids')
    for (;;) {
      if (existsSync(file)) {
        const found = (await readFile(file, 'utf8')).split(' ').map(Number)
        if (found.length === 2) return found
      }
      await machine.clock.sleep(5)
    }
  }

  /** A process that ended but was not waited for by its parent is dead too. */
  function isAlive(pid: number): boolean {
    try {
      return !/\) Z /u.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
    } catch {
      return false
    }
  }

  async function gone(pid: number): Promise<void> {
    while (isAlive(pid)) await machine.clock.sleep(5)
  }

  it('by the caller kills the whole tree', async () => {
    const folder = await scratchFolder()
    const controller = new AbortController()
    const pending = node(family(folder, false), {signal: controller.signal})
    const [parent, child] = await pids(folder)
    expect([isAlive(parent!), isAlive(child!)]).toEqual([true, true])
    const reason = new Error('interrupted')
    controller.abort(reason)
    await expect(pending).rejects.toBe(reason)
    await Promise.all([gone(parent!), gone(child!)])
  })

  it('by the deadline rejects with it', async () => {
    await expect(node('setInterval(() => {}, 1000)', {deadlineMs: 50})).rejects.toEqual(new DeadlineError(50))
  })

  it('does not wait for a child that escaped and holds the output', async () => {
    const folder = await scratchFolder()
    const controller = new AbortController()
    const pending = node(family(folder, true), {signal: controller.signal})
    const [, child] = await pids(folder)
    controller.abort(new Error('interrupted'))
    await expect(pending).rejects.toThrow('interrupted')
    process.kill(child!, 'SIGKILL')
  })

  it('before the start starts nothing', async () => {
    const reason = new Error('interrupted')
    await expect(node('', {signal: AbortSignal.abort(reason)})).rejects.toBe(reason)
  })
})
