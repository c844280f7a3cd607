// The lab itself: what a run sees, and that nothing of it stays.
import {type ChildProcess, spawn} from 'node:child_process'
import {once} from 'node:events'
import {createServer} from 'node:http'
import type {AddressInfo} from 'node:net'
import {readdir, readFile} from 'node:fs/promises'
import path from 'node:path'
import {createInterface} from 'node:readline'
import {fileURLToPath} from 'node:url'
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest'
import {IN_LAB, type Lab, openLab} from './lab.js'
import {labsFolder} from './recipe.js'

const HELD_LAB = fileURLToPath(new URL('held-lab.ts', import.meta.url))
let lab: Lab

beforeAll(async () => {
  lab = await openLab()
})

afterAll(async () => {
  await lab.close()
})

describe('a run', () => {
  test.each([22, 24] as const)('is node.exe %i on Windows', async (node) => {
    const {code, stderr, stdout} = await lab.run({args: ['-p', 'process.platform + process.version'], node})
    expect({code, stderr}).toEqual({code: 0, stderr: ''})
    expect(stdout).toMatch(new RegExp(`^win32v${node}\\.`))
  })

  test('has its arguments, its environment and nothing of k8s-win, its files and its host name', async () => {
    const args = ['a b', 'c"d', 'e\\', '', 'ü中']
    const script = `const fs = require('fs')
      console.log(JSON.stringify([process.argv.slice(1), process.env.LAB_WORD, process.env.VITEST, fs.readFileSync('C:\\\\lab data\\\\ü.txt', 'utf8'), require('os').hostname()]))`
    const {stdout} = await lab.run({
      args: ['-e', script, '--', ...args],
      env: {LAB_WORD: 'wört 中'},
      files: {'C:\\lab data\\ü.txt': 'content'},
    })
    expect(JSON.parse(stdout)).toEqual([args, 'wört 中', null, 'content', 'win-1'])
  })

  test.each([0, 1, 256, 1060, 70_000])('ends with the true exit code %i', async (code) => {
    expect(await lab.run({args: ['-e', `process.exitCode = ${code}`]})).toMatchObject({code})
  })

  test('that does not end is ended, and says what it had written', async () => {
    const endless = lab.run({args: ['-e', 'console.log("so far"); setInterval(() => {}, 1000)'], timeoutMs: 15_000})
    await expect(endless).rejects.toThrow(/did not end in 15000 ms[^]*so far/)
  })

  test('reaches a server of the test on loopback', async () => {
    const server = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const {port} = server.address() as AddressInfo
    const script = `fetch('http://127.0.0.1:${port}').then((answer) => answer.text()).then(console.log)`
    const {stdout} = await lab.run({args: ['-e', script]})
    server.close()
    expect(stdout).toBe('hello\n')
  })

  test('shows its output as it comes', async () => {
    const machine = await lab.machine()
    const args = ['-e', 'console.log("early"); setInterval(() => {}, 1000)']
    let seen = ''
    const running = await machine.start({args, onOutput: (text) => (seen += text)})
    await expect.poll(() => seen, {timeout: 60_000}).toBe('early\n')
    await running.kill()
    expect(await running.ended).toMatchObject({code: 1, stdout: 'early\n'})
    await machine.close()
  })

  test('gets Ctrl-C as Windows gives it, and no other process does', async () => {
    const machine = await lab.machine()
    const script = `process.on('SIGINT', () => process.exit(130)); setTimeout(() => {}, Number(process.argv[1])); console.log('early')`
    let seen = ''
    const other = await machine.start({args: ['-e', script, '5000'], onOutput: (text) => (seen += text)})
    const running = await machine.start({args: ['-e', script, '60000'], onOutput: (text) => (seen += text)})
    await expect.poll(() => seen, {timeout: 60_000}).toBe('early\nearly\n')
    await running.interrupt()
    expect(await Promise.all([running.ended, other.ended])).toMatchObject([{code: 130}, {code: 0}])
    await machine.close()
  })
})

describe('a machine', () => {
  test('keeps its drive and its registry from run to run, and shares neither', async () => {
    const [one, other] = await Promise.all([lab.machine(), lab.machine('other')])
    await one.write('C:\\mark.txt', 'mine')
    const reg = 'C:\\windows\\system32\\reg.exe'
    expect(
      await one.run({args: ['add', 'HKLM\\Software\\Lab', '/v', 'mark', '/d', 'mine'], program: reg}),
    ).toMatchObject({code: 0})
    const query = {args: ['query', 'HKLM\\Software\\Lab', '/v', 'mark'], program: reg}
    expect((await one.run(query)).stdout).toContain('mine')
    expect((await other.run(query)).code).not.toBe(0)
    expect(await one.read('c:\\MARK.txt')).toBe('mine')
    await expect(other.read('C:\\mark.txt')).rejects.toThrow('ENOENT')
    await Promise.all([one.close(), other.close()])
  })

  test('has the package, its native part and the real host-local', async () => {
    const script = `const koffi = require('C:\\\\k8s-win\\\\node_modules\\\\koffi')
      console.log(koffi.load('C:\\\\windows\\\\system32\\\\kernel32.dll').func('uint32_t GetACP()')())`
    expect((await lab.run({args: ['-e', script]})).stdout).toMatch(/^\d+\n$/)
    const hostLocal = {env: {CNI_COMMAND: 'VERSION'}, program: `${IN_LAB.tools}\\host-local.exe`}
    const {code, stdout} = await lab.run(hostLocal)
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({supportedVersions: expect.arrayContaining(['0.3.1', '1.0.0']) as unknown})
  })
})

describe('nothing stays', () => {
  test('of a machine that is closed', async () => {
    const machine = await lab.machine()
    await machine.start({args: ['-e', 'setInterval(() => {}, 1000)']})
    const root = machine.linuxPath('/')
    await machine.close()
    await expect(readdir(root)).rejects.toThrow('ENOENT')
  })

  test.each(['SIGKILL', 'SIGTERM'] as const)('of a process that ends by %s with machines open', async (signal) => {
    const holder = spawn(process.execPath, ['--import', 'tsx', HELD_LAB], {stdio: ['ignore', 'pipe', 'inherit']})
    onTestFinished(() => void holder.kill('SIGKILL'))
    const root = await firstLine(holder)
    expect(await readdir(root)).toContain('lab')
    const ended = once(holder, 'close')
    holder.kill(signal)
    await ended
    await expect
      .poll(() =>
        readdir(root).then(
          () => 'there',
          () => 'gone',
        ),
      )
      .toBe('gone')
    expect(await readFile('/proc/self/mounts', 'utf8')).not.toContain(labsFolder())
    // What a killed process left on disk goes with the next that opens the lab.
    await (await openLab()).close()
    const sessions = await readdir(path.join(labsFolder(), 'sessions'))
    expect(sessions.filter((name) => name.startsWith(`${holder.pid}-`))).toEqual([])
  })
})

async function firstLine(child: ChildProcess): Promise<string> {
  const [line] = (await once(createInterface({input: child.stdout!}), 'line')) as [string]
  return line
}
