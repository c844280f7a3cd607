// The restart of Windows: its flags, its privilege, and its refusals. Windows is played by the test.
import {expect, it} from 'vitest'
import {openRestart} from '../../../../src/machine/real/win32/restart.js'
import {fakeNative, filling, type Played} from './fake-native.js'

const MESSAGE = 'k8s-win setup continues after the restart'

const played = (functions: Record<string, Played> = {}): ReturnType<typeof fakeNative> =>
  fakeNative({
    AdjustTokenPrivileges: () => ({result: 1}),
    CloseHandle: () => ({result: 1}),
    InitiateShutdownW: () => ({result: 0}),
    LookupPrivilegeValueW: () => ({result: 1}),
    OpenProcessToken: filling(1, {2: 7n}),
    ...functions,
  })

it('is announced, planned, and made with the privilege for it', async () => {
  let privileges = ''
  let asked: unknown[] = []
  const {calls, native} = played({
    AdjustTokenPrivileges: (_token, _all, bytes: Buffer) => {
      privileges = bytes.toString('hex')
      return {result: 1}
    },
    InitiateShutdownW: (...args) => ((asked = args), {result: 0}),
    LookupPrivilegeValueW: (_system, name, luid: Buffer) => {
      luid.writeUInt32LE(19, 0)
      return {result: name === 'SeShutdownPrivilege' ? 1 : 0}
    },
  })
  await openRestart(native).restartWindows(MESSAGE, 30)
  expect(asked).toEqual([null, MESSAGE, 30, 7, 0x80_02_00_04])
  expect(privileges).toBe('01000000' + '1300000000000000' + '02000000')
  expect(calls).toEqual([
    'OpenProcessToken',
    'LookupPrivilegeValueW',
    'AdjustTokenPrivileges',
    'CloseHandle',
    'InitiateShutdownW',
  ])
})

it.each([
  ['OpenProcessToken', {lastError: 5, result: 0}, 5],
  ['LookupPrivilegeValueW', {lastError: 1313, result: 0}, 1313],
  ['AdjustTokenPrivileges', {lastError: 6, result: 0}, 6],
  // The account does not hold the privilege.
  ['AdjustTokenPrivileges', {lastError: 1300, result: 1}, 1300],
  ['InitiateShutdownW', {lastError: 99, result: 1190}, 1190],
])('%s can refuse', async (call, reply, code) => {
  const {calls, native} = played({[call]: () => reply})
  await expect(openRestart(native).restartWindows(MESSAGE, 30)).rejects.toMatchObject({call, code})
  expect(calls.includes('CloseHandle')).toBe(call !== 'OpenProcessToken')
})
