// The registry and the machine's environment in it, through the product's own calls.
import assert from 'node:assert/strict'
import {after, before, describe, test} from 'node:test'
import {openCondition} from '../../../src/host/condition.js'
import {openEnvironment} from '../../../src/host/environment.js'
import {openOperatingSystem} from '../../../src/host/os.js'
import {openRealMachine} from '../../../src/machine/real/index.js'
import type {RegistryValue} from '../../../src/machine/win32.js'
import {CHANGES_ALLOWED, IS_WINE, runProgram} from './windows-host.js'

const {files, run, win32} = openRealMachine()
const REG = 'C:\\Windows\\System32\\reg.exe'
const skip = !CHANGES_ALLOWED && 'changes HKLM: allowed with --yes-change-this-host'

describe('a file that is deleted at the next start', {skip}, () => {
  const key = 'SYSTEM\\CurrentControlSet\\Control\\Session Manager'
  const name = 'PendingFileRenameOperations'
  const PROGRAMS = ['C:\\k8s-win-01234567.deleted', 'C:\\k8s-win-89abcdef.deleted']
  let before: RegistryValue | undefined
  after(async () => {
    for (const file of PROGRAMS) await files.remove(file)
    if (before) await win32.setRegistryValue('HKLM', key, name, before)
    else await win32.deleteRegistryValue('HKLM', key, name)
  })

  test('is in the list behind the others, each with an empty name', async () => {
    before = await win32.registryValue('HKLM', key, name)
    const others = before?.type === 'REG_MULTI_SZ' ? before.data : []
    for (const file of PROGRAMS) {
      await files.write(file, 'MZ')
      await win32.deleteAtRestart(file)
    }
    const data = [...others, ...PROGRAMS.flatMap((file) => [`\\??\\${file}`, ''])]
    assert.deepEqual(await win32.registryValue('HKLM', key, name), {data, type: 'REG_MULTI_SZ'})
    const reasons = (await openCondition(win32).pendingRestarts()).map(({reason}) => reason)
    assert.equal(reasons.includes('files are to be replaced'), others.length > 0)
  })
})

describe('a value', {skip}, () => {
  const root = 'SOFTWARE\\k8s-win lab'
  const key = `${root}\\ü 中\\deep`
  after(() => runProgram(REG, ['delete', `HKLM\\${root}`, '/f']))

  const values: Record<string, RegistryValue> = {
    '': {data: 'the default value', type: 'REG_SZ'},
    'empty ': {data: '', type: 'REG_SZ'},
    expand: {data: '%SystemRoot%\\ü;%nobody%', type: 'REG_EXPAND_SZ'},
    largest: {data: 0xffff_ffff, type: 'REG_DWORD'},
    letters: {data: 'ü中\u{1F600} "x"\r\n\ud800', type: 'REG_SZ'},
    list: {data: ['a', 'ü 中', '"b"'], type: 'REG_MULTI_SZ'},
    long: {data: 'x'.repeat(200_000), type: 'REG_SZ'},
    'long list': {data: Array.from({length: 2000}, (_, index) => `entry ${index}`), type: 'REG_MULTI_SZ'},
    nothing: {data: [], type: 'REG_MULTI_SZ'},
    'ünï 中\\name': {data: 1, type: 'REG_DWORD'},
    [`name ${'n'.repeat(250)}`]: {data: 'long name', type: 'REG_SZ'},
  }

  test('of any type, length and letters is read as it was set', async () => {
    for (const [name, value] of Object.entries(values)) {
      await win32.setRegistryValue('HKLM', key, name, value)
      assert.deepEqual(await win32.registryValue('HKLM', key, name), value, name)
    }
    assert.deepEqual(await win32.registryValues('HKLM', key), values)
  })

  test('is replaced by one of another type, under a name in other case', async () => {
    await win32.setRegistryValue('HKLM', key, 'LARGEST', {data: 'text', type: 'REG_SZ'})
    assert.deepEqual(await win32.registryValue('HKLM', key, 'largest'), {data: 'text', type: 'REG_SZ'})
    assert.equal(Object.keys(await win32.registryValues('HKLM', key)).length, Object.keys(values).length)
  })

  test('that other programs made is seen, and types that are not read are passed over', async () => {
    for (const args of [
      ['plain', 'REG_SZ', 'by reg'],
      ['bytes', 'REG_BINARY', '00ff'],
    ] as const) {
      const add = ['add', `HKLM\\${root}\\reg`, '/v', args[0], '/t', args[1], '/d', args[2], '/f']
      assert.equal((await run(REG, add, {deadlineMs: 60_000, effect: 'change'})).exitCode, 0)
    }
    assert.deepEqual(await win32.registryValues('HKLM', `${root}\\reg`), {plain: {data: 'by reg', type: 'REG_SZ'}})
    await assert.rejects(win32.registryValue('HKLM', `${root}\\reg`, 'bytes'), {code: 1630})
  })

  test('that is not there, in a key that is or is not', async () => {
    for (const place of [key, `${root}\\nobody`]) {
      assert.equal(await win32.registryValue('HKLM', place, 'nobody'), undefined)
      await assert.rejects(win32.deleteRegistryValue('HKLM', place, 'nobody'), {code: 2})
    }
    assert.deepEqual(await win32.registryValues('HKLM', `${root}\\nobody`), {})
  })

  test('is deleted', async () => {
    await win32.deleteRegistryValue('HKLM', key, 'letters')
    assert.equal(await win32.registryValue('HKLM', key, 'letters'), undefined)
  })
})

describe("the machine's environment", {skip}, () => {
  const KEY = 'SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment'
  const environment = openEnvironment(win32)
  const folder = 'C:\\k8s-win lab ü中\\bin'
  let path: RegistryValue
  before(async () => {
    path = (await win32.registryValue('HKLM', KEY, 'Path'))!
  })
  after(async () => {
    await win32.setRegistryValue('HKLM', KEY, 'Path', path)
    if ((await environment.get('K8S_WIN_LAB')) !== undefined) await environment.set('K8S_WIN_LAB', undefined)
  })

  test('PATH gains a folder and loses it, with its variables unexpanded', async () => {
    assert.equal(path.type, 'REG_EXPAND_SZ')
    assert.match(String(path.data), /%SystemRoot%/i)
    assert.equal(await environment.isOnPath(folder), false)
    await environment.addToPath(folder)
    await environment.addToPath(`${folder.toUpperCase()}\\`)
    const added = await win32.registryValue('HKLM', KEY, 'Path')
    const data = String(path.data).replace(/;?$/, (end) => `;${folder}${end}`)
    assert.deepEqual(added, {data, type: 'REG_EXPAND_SZ'})
    assert.equal(await environment.isOnPath(folder), true)
    await environment.removeFromPath(folder)
    assert.deepEqual(await win32.registryValue('HKLM', KEY, 'Path'), path)
  })

  test('a variable is set, changed and removed', async () => {
    for (const [value, type] of [
      ['C:\\k ü中\\kubeconfig', 'REG_SZ'],
      ['%SystemRoot%\\x', 'REG_EXPAND_SZ'],
    ] as const) {
      await environment.set('K8S_WIN_LAB', value)
      assert.deepEqual(await win32.registryValue('HKLM', KEY, 'K8S_WIN_LAB'), {data: value, type})
      assert.equal(await environment.get('k8s_win_lab'), value)
    }
    await environment.set('K8S_WIN_LAB', undefined)
    assert.equal(await environment.get('K8S_WIN_LAB'), undefined)
  })
})

test('programs are notified of a changed environment', () => win32.broadcastEnvironmentChange())

test('Windows reports its version', async () => {
  const version = (await openOperatingSystem(win32).version())!
  assert.match(version.productName, /^Windows /)
  const [, , build] = (await import('node:os')).release().split('.')
  assert.equal(version.build, Number(build))
  // Wine 10 has no UBR.
  assert.equal(version.ubr > 0, !IS_WINE)
})
