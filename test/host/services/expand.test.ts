// Variables in registry values: those that every service has, and no others.
import {expect, test} from 'vitest'
import {expanded} from '../../../src/host/services/expand.js'
import type {RegistryValue, Win32} from '../../../src/machine/win32.js'

const STORED: Readonly<Record<string, RegistryValue>> = {
  CTD: {data: String.raw`%SystemDrive%\ctd`, type: 'REG_EXPAND_SZ'},
  SystemRoot: {data: String.raw`E:\Windows`, type: 'REG_SZ'},
}
const win32: Pick<Win32, 'registryValue'> = {registryValue: async (_root, _key, name) => STORED[name]}

test.each([
  [String.raw`%ProgramFiles%\containerd\containerd.exe`, String.raw`E:\Program Files\containerd\containerd.exe`],
  [String.raw`%PROGRAMW6432%\a %windir%`, String.raw`E:\Program Files\a E:\Windows`],
  [String.raw`%CTD%\containerd.exe`, String.raw`E:\ctd\containerd.exe`],
  [String.raw`%UNKNOWN%\containerd.exe`, String.raw`%UNKNOWN%\containerd.exe`],
  ['100%', '100%'],
])('%s', async (data, wanted) => {
  expect(await expanded(win32, {data, type: 'REG_EXPAND_SZ'})).toBe(wanted)
  expect(await expanded(win32, {data, type: 'REG_SZ'})).toBe(data)
})

test('what is not text is nothing', async () => {
  expect(await expanded(win32, {data: ['a'], type: 'REG_MULTI_SZ'})).toBe('')
  expect(await expanded(win32, undefined)).toBe('')
})
