// The real CLI as a process on the real Windows Node: what everybody meets first.
import assert from 'node:assert/strict'
import {existsSync} from 'node:fs'
import {mkdtemp, readFile, rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import path from 'node:path'
import {after, before, describe, test} from 'node:test'
import type {RunResultDocument} from '../../../src/pipeline/run/events.js'
import {APP, IS_WINE, PROGRAMS, runCli, runProgram} from './windows-host.js'

let scratch: string

before(async () => {
  scratch = await mkdtemp(path.join(tmpdir(), 'k8s-win smoke ü中-'))
})

after(async () => {
  await rm(scratch, {force: true, maxRetries: 10, recursive: true})
})

test('this is Windows, with the Node that was asked for', () => {
  assert.equal(process.platform, 'win32')
  assert.match(process.version, /^v(?:2[2-9]|[3-9]\d)\./)
  assert.equal(existsSync('C:\\windows\\system32\\winecfg.exe'), IS_WINE)
})

describe('version and help', () => {
  test('--version names Windows', async () => {
    const {version} = JSON.parse(await readFile(path.join(APP, 'package.json'), 'utf8')) as {version: string}
    for (const flag of ['--version', '-Version']) {
      const ended = await runCli([flag])
      assert.deepEqual(ended, {code: 0, stderr: '', stdout: `k8s-win/${version} win32-x64 node-${process.version}\n`})
    }
  })

  for (const args of [[], ['--help'], ['/?'], ['-?'], ['-Help']]) {
    test(`k8s-win ${args.join(' ')} shows the first page`, async () => {
      const {code, stderr, stdout} = await runCli(args)
      assert.deepEqual({code, stderr}, {code: 0, stderr: ''})
      for (const name of ['doctor', 'logs', 'reset', 'setup', 'status'])
        assert.match(stdout, new RegExp(`^  ${name} `, 'm'))
    })
  }

  for (const args of [
    ['setup', '--help'],
    ['setup', '/?'],
  ]) {
    test(`k8s-win ${args.join(' ')} shows the page of setup`, async () => {
      const {code, stderr, stdout} = await runCli(args)
      assert.deepEqual({code, stderr}, {code: 0, stderr: ''})
      assert.match(stdout, /--base-dir=<folder>/)
    })
  }
})

describe('what is wrong by itself ends with 2', () => {
  const cases = [
    {args: ['setup', '-BaseDri', 'c:\\k'], id: 'UNKNOWN_FLAG'},
    {args: ['setup', '-BaseDir'], id: 'MISSING_VALUE'},
    {args: ['setup', '-ClusterCidr', '10.244.0.0/99'], id: undefined},
    {args: ['setup', '-BaseDir', '\\\\server\\share\\k'], id: undefined},
    {args: ['stup'], id: 'UNKNOWN_COMMAND'},
  ]
  for (const {args, id} of cases) {
    test(args.join(' '), async () => {
      const {result, ended} = await runForResult(args)
      assert.equal(ended.code, 2, ended.stderr)
      assert.equal(result.exitCode, 2)
      if (id !== undefined) assert.equal(result.error?.id, id)
    })
  }
})

describe('what the host does not give ends with 3, and nothing is made', () => {
  test('a base directory that is not there', async () => {
    const baseDir = path.join(scratch, 'not there')
    const {ended, result} = await runForResult(['setup', '-BaseDir', baseDir])
    assert.equal(ended.code, 3, ended.stderr)
    assert.equal(failedCheck(result, 'base-dir'), true, JSON.stringify(result.checks, undefined, 1))
    await assert.rejects(readFile(baseDir), {code: 'ENOENT'})
    // All checks ask Windows at the same moment: none of its answers may be an accident.
    const accidents = result.errors?.filter(({id}) => id === 'WINDOWS_CALL_FAILED')
    assert.deepEqual(accidents, [])
    // Wine has no vmcompute.dll, as a Windows Server without the feature.
    if (IS_WINE) assert.ok(result.errors?.some(({id}) => id === 'CONTAINERS_MISSING'))
  })

  test(
    'no administrator',
    {skip: PROGRAMS === undefined && 'needs without-admin.exe, compiled in the lab'},
    async () => {
      const program = path.join(PROGRAMS!, 'without-admin.exe')
      const cli = path.join(APP, 'bin', 'run.js')
      const ended = await runProgram(program, [process.execPath, cli, 'setup', '-BaseDir', scratch, '--json'])
      assert.equal(ended.code, 3, ended.stderr)
      const result = JSON.parse(ended.stdout) as RunResultDocument
      assert.equal(failedCheck(result, 'administrator'), true, JSON.stringify(result.checks, undefined, 1))
    },
  )
})

describe('setup on the simulator, kept on a Windows path', () => {
  for (const [title, style] of [
    ['flags', ['--simulate', 'ws2019', '--simulate-dir']],
    ['PowerShell-style arguments', ['-Simulate:ws2019', '-SimulateDir']],
  ] as const) {
    test(`ends Ready, and again changes nothing (${title})`, async () => {
      const store = path.join(scratch, `sim ${title}`)
      const args = ['setup', ...style, store, '-BaseDir', 'c:\\k']
      const first = await runForResult(args)
      assert.equal(first.ended.code, 0, first.ended.stderr)
      assert.equal(first.result.outcome, 'done')
      assert.equal(first.result.node?.ready, true)
      assert.ok(first.result.recap.changed > 0)

      const second = await runForResult(args)
      assert.equal(second.ended.code, 0, second.ended.stderr)
      assert.equal(second.result.recap.changed, 0)
      assert.match(second.ended.stderr, /changed=0/)

      const kept = await readFile(path.join(store, 'c', 'k', 'k8s-win', 'result.json'), 'utf8')
      assert.equal((JSON.parse(kept) as RunResultDocument).recap.changed, 0)
    })
  }
})

async function runForResult(args: readonly string[]) {
  const ended = await runCli([...args, '--json'])
  assert.notEqual(ended.stdout, '', ended.stderr)
  return {ended, result: JSON.parse(ended.stdout) as RunResultDocument}
}

function failedCheck(result: RunResultDocument, id: string): boolean {
  return result.checks.some((check) => check.id === id && check.result === 'fail')
}
