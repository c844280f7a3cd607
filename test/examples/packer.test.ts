// examples/packer/install.cmd, by the rules of cmd.exe that rehearsals have.
import {win32} from 'node:path'
import {expect, it} from 'vitest'
import {batchLines, runBatch} from '../../src/simulator/launchers/batch.js'
import {memoryFiles} from '../fakes/memory-files.js'
import {textOf} from './example.js'

const VARIABLES = {
  DIGEST: 'a'.repeat(64),
  ProgramFiles: String.raw`C:\Program Files`,
  SystemRoot: String.raw`C:\Windows`,
  URL: 'https://example.com/k8s-win.exe?a=1&b=%20',
}
const PROGRAM = String.raw`C:\Program Files\k8s-win\k8s-win.exe`

/** `exits`: of the programs, by their names; 0 of all others. */
async function install(exits: Readonly<Record<string, number>>, isWritten = true) {
  const files = memoryFiles()
  const started = new Map<string, readonly string[]>()
  const host = {
    files,
    print() {},
    async run(program: string, args: readonly string[]) {
      const name = win32.basename(program, '.exe')
      started.set(name, args)
      const [, to = ''] = args.slice(args.indexOf('--output'))
      if (name === 'curl' && isWritten) await files.write(to, 'the program')
      return {exitCode: exits[name] ?? 0}
    },
  }
  const exitCode = await runBatch(batchLines(textOf('packer/install.cmd')), host, VARIABLES)
  return {exitCode, program: (await files.read(PROGRAM))?.toString(), started}
}

it('installs the program, and enables the feature', async () => {
  const {exitCode, program, started} = await install({})
  expect([exitCode, program, [...started.keys()]]).toEqual([0, 'the program', ['curl', 'certutil', 'findstr', 'dism']])
  expect([started.get('curl')?.at(0), started.get('curl')?.at(-1)]).toEqual(['--disable', VARIABLES.URL])
  expect(started.get('findstr')?.at(-1)).toBe(VARIABLES.DIGEST)
})

it.each([
  // Windows ends a program with an NTSTATUS, which is below 0.
  [{curl: 22}, 4],
  [{curl: -1_073_741_819}, 4],
  [{findstr: 1}, 4],
  [{findstr: -1_073_741_819}, 4],
])('%j: nothing is installed', async (exits, wanted) => {
  const {exitCode, program, started} = await install(exits)
  expect([exitCode, program, started.has('dism')]).toEqual([wanted, undefined, false])
})

it('ends where the program cannot be written', async () => {
  const {exitCode, started} = await install({}, false)
  expect([exitCode, started.has('dism')]).toEqual([5, false])
})

it.each([
  [3010, 0],
  [87, 87],
])('dism.exe ends with %d', async (dism, wanted) => {
  expect(await install({dism})).toMatchObject({exitCode: wanted, program: 'the program'})
})
