// The script of user data in a real cmd.exe: what its programs get, where it jumps, what it ends with. argv-echo.exe stands for
// k8s-win.exe, curl.exe and certutil.exe, so that nothing is fetched and no digest is right by itself.
import assert from 'node:assert/strict'
import {copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import path from 'node:path'
import {after, before, describe, test} from 'node:test'
import fc from 'fast-check'
import {userdataText} from '../../../src/runs/userdata/formats.js'
import {batchWord, whyNotQuotable} from '../../../src/runs/userdata/quote.js'
import {scriptLines} from '../../../src/runs/userdata/script.js'
import {type Echo} from '../quoting/echo.js'
import {SEED, vector} from '../quoting/vectors.js'
import {PROGRAMS, runProgram} from './windows-host.js'

const LINES = 150
const WORDS = [
  '',
  '%',
  '%%PATH%%',
  '100%',
  '!x!',
  'a^b',
  '^',
  'a&b|c>d<5',
  "it's",
  'a b\\',
  'a\\\\',
  '(x)',
  '*',
  '/?',
  '~',
  '=',
]
const CONTENT = Buffer.from(`# ${'0123456789'.repeat(300)}\r\nnode: "ü %PATH%"\n`)

describe(
  'the script of user data',
  {skip: PROGRAMS === undefined && 'needs argv-echo.exe, compiled in the lab'},
  () => {
    let folder: string
    let home: string
    let system: string
    const real = process.env['SystemRoot']!

    before(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'k8s-win userdata '))
      home = path.join(folder, 'Program Files', 'k8s-win')
      system = path.join(folder, 'Windows', 'System32')
      for (const one of [home, system]) await mkdir(one, {recursive: true})
      const echo = path.join(PROGRAMS!, 'argv-echo.exe')
      for (const name of ['curl', 'certutil']) await copyFile(echo, path.join(system, `${name}.exe`))
    })
    after(() => rm(folder, {force: true, maxRetries: 10, recursive: true}))

    /** Wine gives every process its own ProgramFiles and SystemRoot: others have other names here. */
    const elsewhere = (line: string): string => line.replaceAll(/(?<!%)%(ProgramFiles|SystemRoot)%(?!%)/g, '%LAB_$1%')

    /** What cmd.exe /c runs. */
    async function command(text: string, variables: Readonly<Record<string, string>> = {}) {
      const env = {...variables, LAB_ProgramFiles: path.dirname(home), LAB_SystemRoot: path.dirname(system)}
      return runProgram(path.join(real, 'System32', 'cmd.exe'), ['/d', '/c', text], {env, isVerbatim: true})
    }

    async function run(lines: readonly string[], variables: Readonly<Record<string, string>> = {}) {
      const file = path.join(folder, 'userdata.cmd')
      await writeFile(file, lines.map((line) => `${elsewhere(line)}\r\n`).join(''))
      return command(`"${file}"`, variables)
    }

    /** `matches`: findstr.exe finds what it searches for. */
    async function install({program, matches}: {readonly matches: boolean; readonly program: boolean}): Promise<void> {
      const [echo, findstr] = [path.join(PROGRAMS!, 'argv-echo.exe'), path.join(real, 'System32', 'findstr.exe')]
      await copyFile(matches ? echo : findstr, path.join(system, 'findstr.exe'))
      await rm(path.join(home, 'k8s-win.exe'), {force: true})
      if (program) await copyFile(echo, path.join(home, 'k8s-win.exe'))
    }

    const input = (words: readonly string[]) => ({
      digest: 'a'.repeat(64),
      files: [{content: CONTENT, name: 'node.yaml'}],
      notFetched: 4 as const,
      retryIsRestart: true,
      token: 'abcdef.0123456789abcdef',
      url: batchWord('https://example.com/100%/k8s-win.exe?a=1&b=%20|'),
      words: words.map(batchWord),
    })

    test('runs setup where the digest is right, with its arguments as they were given', async () => {
      await install({matches: true, program: true})
      const {code, stderr, stdout} = await run(scriptLines(input(WORDS)))
      assert.deepEqual({code, stderr}, {code: 0, stderr: ''})
      assert.deepEqual((JSON.parse(stdout) as Echo).argv.slice(1), ['setup', ...WORDS])
      assert.deepEqual((await readdir(home)).sort(), ['k8s-win.exe'])
    })

    test('downloads where it is wrong, and ends with 4 where it stays wrong', async () => {
      await install({matches: false, program: true})
      await writeFile(path.join(home, 'k8s-win.new'), 'another program')
      const {code, stdout} = await run(scriptLines(input([])))
      assert.equal(code, 4)
      const [, curl = ''] = /^(\{.*\})/.exec(stdout) ?? []
      const {argv} = JSON.parse(curl) as Echo
      assert.deepEqual(argv.slice(argv.indexOf('--proto'), argv.indexOf('--proto') + 2), ['--proto', '=https'])
      assert.deepEqual(argv.slice(-2), [
        path.join(home, 'k8s-win.new'),
        'https://example.com/100%/k8s-win.exe?a=1&b=%20|',
      ])
      assert.match(stdout, /has another digest/)
      assert.deepEqual((await readdir(home)).sort(), ['k8s-win.exe'])
    })

    test('a variable named ERRORLEVEL hides no exit code', async () => {
      await install({matches: false, program: true})
      await writeFile(path.join(home, 'k8s-win.new'), 'another program')
      const {code, stdout} = await run(scriptLines(input([])), {ERRORLEVEL: '0'})
      assert.equal(code, 4)
      assert.match(stdout, /has another digest/)
    })

    test('ends with the exit code of setup', async () => {
      await install({matches: true, program: false})
      const {code} = await run(scriptLines(input([])))
      // There is no such program: 9009 in Windows, 1 or more everywhere.
      assert.notEqual(code, 0)
      const mapped = (level: number) => [
        '@echo off',
        `"${path.join(real, 'System32', 'cmd.exe')}" /d /c exit ${level}`,
        ...scriptLines(input([])).filter((line) => /^if %errorlevel%==1002 |^exit \/b %/.test(line)),
      ]
      for (const [level, wanted] of [
        [0, 0],
        [3, 3],
        [1002, 1003],
        [1003, 1003],
        [3010, 3010],
      ] as const)
        assert.equal((await run(mapped(level))).code, wanted)
    })

    test('writes base64 as it is', async () => {
      const lines = scriptLines(input([]))
      const written = lines.filter((line) => /^(@|set|>)/.test(line))
      assert.equal(written.filter((line) => line.startsWith('>>')).length > 1, true)
      assert.equal((await run(written)).code, 0)
      const encoded = await readFile(path.join(home, 'node.yaml.b64'), 'latin1')
      assert.deepEqual(Buffer.from(encoded, 'base64'), CONTENT)
    })

    test("Azure's command line writes the script, and ends with its exit code", async () => {
      const lines = scriptLines({...input(WORDS), files: []})
      const {protectedSettings} = JSON.parse(userdataText('azure', 'cse', lines)) as {
        protectedSettings: {commandToExecute: string}
      }
      // What certutil.exe would decode it to.
      await writeFile(path.join(home, 'userdata.cmd'), '@echo off\r\nexit /b 7\r\n')
      assert.deepEqual(await command(elsewhere(protectedSettings.commandToExecute)), {code: 7, stderr: '', stdout: ''})
      const encoded = await readFile(path.join(home, 'userdata.b64'), 'latin1')
      assert.equal(Buffer.from(encoded, 'base64').toString('latin1'), lines.map((line) => `${line}\r\n`).join(''))
      assert.match(encoded, /^[\w+/=]{2000,}\r\n$/)
    })

    test(`gets the words of ${LINES} hostile command lines to the program (seed ${SEED})`, async () => {
      await install({matches: true, program: true})
      const quotable = vector.map((words) => words.filter((word) => whyNotQuotable(word) === undefined))
      const vectors = fc.sample(quotable, {numRuns: LINES, seed: SEED})
      const lines = scriptLines(input([]))
      const head = lines.slice(0, lines.findIndex((line) => line.startsWith('set "program=')) + 1)
      const calls = vectors.flatMap((words) => [['"%program%"', ...words.map(batchWord)].join(' '), 'echo --next'])
      const {code, stderr, stdout} = await run([...head, ...calls])
      assert.deepEqual({code, stderr}, {code: 0, stderr: ''})
      const arrived = stdout.split('--next\r\n').slice(0, -1)
      assert.deepEqual(
        arrived.map((text) => (JSON.parse(text) as Echo).argv.slice(1)),
        vectors,
      )
    })
  },
)
