// What Windows reports of its condition, read from the registry as it is and as it may be.
import {describe, expect, it} from 'vitest'

import {openCondition} from '../../src/host/condition.js'
import {type RegistryValue, type Win32, Win32Error} from '../../src/machine/win32.js'
import {only} from '../fakes/partial.js'

const NAMES = String.raw`SYSTEM\CurrentControlSet\Control\ComputerName`
const text = (data: string): RegistryValue => ({data, type: 'REG_SZ'})

/** A registry of `key\name` to value; a key is there where something is in it. */
function open(values: Readonly<Record<string, RegistryValue>>, part: Partial<Win32> = {}) {
  const registry = {
    registryKeyExists: async (_root: 'HKLM', key: string) =>
      Object.keys(values).some((path) => path.startsWith(`${key}\\`)),
    registryValue: async (_root: 'HKLM', key: string, name: string) => values[`${key}\\${name}`],
  }
  return openCondition(only<Win32>('win32', {...registry, ...part}))
}

describe('restarts that wait', () => {
  it('none on a host that was just started, whose name has only another case', async () => {
    const condition = open({
      [`${NAMES}\\ActiveComputerName\\ComputerName`]: text('WIN-1'),
      [`${NAMES}\\ComputerName\\ComputerName`]: text('win-1'),
    })
    expect(await condition.pendingRestarts()).toEqual([])
    expect(await open({}).pendingRestarts()).toEqual([])
  })

  it('an empty list of files, or a value of another type, is none', async () => {
    const name = String.raw`SYSTEM\CurrentControlSet\Control\Session Manager\PendingFileRenameOperations`
    for (const value of [{data: [], type: 'REG_MULTI_SZ'}, text('x')] as const) {
      expect(await open({[name]: value}).pendingRestarts()).toEqual([])
    }
  })
})

describe('programs of k8s-win that Windows deletes at its next start', () => {
  const RENAMES = String.raw`SYSTEM\CurrentControlSet\Control\Session Manager\PendingFileRenameOperations`
  const OURS = [String.raw`\??\C:\k8s-win-0123abcd.deleted`, '']
  const reasons = async (data: readonly string[]): Promise<number> =>
    (await open({[RENAMES]: {data, type: 'REG_MULTI_SZ'}}).pendingRestarts()).length

  it('require no restart', async () => {
    expect(await reasons(OURS)).toBe(0)
    expect(await reasons([...OURS, String.raw`\??\D:\K8S-WIN-FFFFFFFF.DELETED`, ''])).toBe(0)
  })

  it.each([
    ['another file is deleted', [...OURS, String.raw`\??\C:\x`, '']],
    ['another file is replaced', [String.raw`\??\C:\x`, String.raw`!\??\C:\y`, ...OURS]],
    ['the program is to be renamed', [OURS[0]!, String.raw`\??\C:\y`]],
    ['another file takes its place', [String.raw`\??\C:\x`, OURS[0]!]],
    ['it is in a folder', [String.raw`\??\C:\x\k8s-win-0123abcd.deleted`, '']],
    ['the name has no number', [String.raw`\??\C:\k8s-win-.deleted`, '']],
  ])('%s: one is pending', async (_, data) => {
    expect(await reasons(data)).toBe(1)
  })
})

describe('the Defender', () => {
  const running = {processId: 1, serviceExitCode: 0, state: 'running', win32ExitCode: 0} as const
  const queryServiceStatus = async (): Promise<typeof running> => running

  it('that does not run, or hides what it leaves out, reports nothing', async () => {
    expect(await open({}, {queryServiceStatus: async () => undefined}).defenderExclusions()).toBeUndefined()
    const refused = new Win32Error('RegOpenKeyExW', 5, 'x')
    const registryValues = async (): Promise<never> => Promise.reject(refused)
    expect(await open({}, {queryServiceStatus, registryValues}).defenderExclusions()).toBeUndefined()
  })

  it('any other refusal is passed on', async () => {
    const registryValues = async (): Promise<never> => Promise.reject(new Win32Error('RegOpenKeyExW', 1, 'x'))
    await expect(open({}, {queryServiceStatus, registryValues}).defenderExclusions()).rejects.toMatchObject({code: 1})
  })
})

describe('what Windows does not report', () => {
  it('is empty or off', async () => {
    expect(await open({}).hardware()).toEqual({azure: false, bios: '', manufacturer: '', product: ''})
    expect(await open({}).longPaths()).toBe(false)
    const name = String.raw`SYSTEM\CurrentControlSet\Control\FileSystem\LongPathsEnabled`
    expect(await open({[name]: {data: 1, type: 'REG_DWORD'}}).longPaths()).toBe(true)
  })
})
