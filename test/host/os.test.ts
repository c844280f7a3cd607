// Which Windows this is, and why a daemon died.
import {describe, expect, it} from 'vitest'

import {lastLogLines} from '../../src/host/services/daemon-log.js'
import {openOperatingSystem} from '../../src/host/os.js'
import type {RegistryValue, Win32} from '../../src/machine/win32.js'
import {memoryFiles} from '../fakes/memory-files.js'
import {only} from '../fakes/partial.js'

const open = (values: Record<string, RegistryValue>) =>
  openOperatingSystem(only<Win32>('win32', {registryValue: async (_root, _key, name) => values[name]}))

describe('the version of Windows', () => {
  it('is read', async () => {
    const os = open({
      CurrentBuild: {data: '17763', type: 'REG_SZ'},
      InstallationType: {data: 'Server Core', type: 'REG_SZ'},
      ProductName: {data: 'Windows Server 2019 Standard', type: 'REG_SZ'},
      UBR: {data: 2237, type: 'REG_DWORD'},
    })
    expect(await os.version()).toEqual({
      build: 17_763,
      installation: 'Server Core',
      productName: 'Windows Server 2019 Standard',
      ubr: 2237,
    })
  })

  it('is known by its build alone', async () => {
    expect(await open({CurrentBuild: {data: '20348', type: 'REG_SZ'}}).version()).toEqual({
      build: 20_348,
      installation: '',
      productName: 'Windows',
      ubr: 0,
    })
  })

  it('is unknown where the registry does not have it', async () => {
    expect(await open({}).version()).toBeUndefined()
    expect(await open({CurrentBuild: {data: 'x', type: 'REG_SZ'}}).version()).toBeUndefined()
  })
})

describe('the end of a log', () => {
  it('is that of the newest file with something in it', async () => {
    const files = memoryFiles({
      [String.raw`C:\logs\old.log`]: 'old',
      [String.raw`C:\logs\new.log`]: 'one\r\ntwo\r\n\r\nthree\r\nfour\r\n',
      [String.raw`C:\logs\newer.log`]: '',
    })
    expect(await lastLogLines(files, String.raw`C:\logs`)).toEqual(['two', 'three', 'four'])
    expect(await lastLogLines(files, String.raw`C:\logs`, 1)).toEqual(['four'])
  })

  it('leaves out the stacks that Go shows after its last words', async () => {
    const stacks = 'goroutine 1 [running]:\nmain.main()\n\tmain.go:4\n\ngoroutine 7 [chan receive]:\nx()\n'
    const files = memoryFiles({
      [String.raw`C:\logs\a.log`]: `I1115 one\nF1115 two\n${stacks}E1116 three\nF1116 four\nof it\n${stacks}`,
    })
    expect(await lastLogLines(files, String.raw`C:\logs`, 5)).toEqual([
      'I1115 one',
      'F1115 two',
      'E1116 three',
      'F1116 four',
      'of it',
    ])
  })

  it('is nothing where there is none', async () => {
    expect(await lastLogLines(memoryFiles(), String.raw`C:\logs`)).toEqual([])
  })
})
