import {describe, expect, it} from 'vitest'
import {openProcesses} from '../../../../src/machine/real/win32/processes.js'
import {fakeNative, type Played} from './fake-native.js'

const HANDLE = 7n

function play(functions: Record<string, Played>) {
  const {calls, native} = fakeNative({CloseHandle: () => ({result: 1}), ...functions})
  return {calls, processes: openProcesses(native)}
}

describe('the start of a process', () => {
  it('is reported in milliseconds since 1970, and the handle is closed', async () => {
    const asked: unknown[] = []
    const {calls, processes} = play({
      GetProcessTimes: (handle, created: Buffer) => {
        // 2021-10-01T08:00:00Z as a FILETIME.
        created.writeBigUInt64LE(132_775_488_000_000_000n)
        return {result: handle === HANDLE ? 1 : 0}
      },
      OpenProcess: (...args) => {
        asked.push(...args)
        return {result: HANDLE}
      },
    })
    expect(new Date((await processes.processStartedAt(1234)) ?? 0).toISOString()).toBe('2021-10-01T08:00:00.000Z')
    expect(asked).toEqual([0x10_00, 0, 1234])
    expect(calls).toEqual(['OpenProcess', 'GetProcessTimes', 'CloseHandle'])
  })

  it.each([
    ['is not there', 87],
    ['is not ours to look at', 5],
  ])('is not reported for one that %s', async (_, lastError) => {
    const {processes} = play({OpenProcess: () => ({lastError, result: null})})
    expect(await processes.processStartedAt(1)).toBeUndefined()
  })

  it('fails where Windows fails, and closes what it opened', async () => {
    const none = play({OpenProcess: () => ({lastError: 8, result: null})})
    await expect(none.processes.processStartedAt(1)).rejects.toMatchObject({call: 'OpenProcess', code: 8})
    const {calls, processes} = play({
      GetProcessTimes: () => ({lastError: 6, result: 0}),
      OpenProcess: () => ({result: HANDLE}),
    })
    await expect(processes.processStartedAt(1)).rejects.toMatchObject({call: 'GetProcessTimes', code: 6})
    expect(calls.at(-1)).toBe('CloseHandle')
  })
})

describe('all processes', () => {
  const entry = (buffer: Buffer, id: number, parentId: number, name: string): void => {
    expect(buffer.readUInt32LE()).toBe(568)
    buffer.fill(0, 4)
    buffer.writeUInt32LE(id, 8)
    buffer.writeUInt32LE(parentId, 32)
    buffer.write(`${name}\0rest of a longer name`, 44, 'utf16le')
  }

  it('are read one by one, and the snapshot is closed', async () => {
    let asked = 0
    const {calls, processes} = play({
      CreateToolhelp32Snapshot: (flags) => ({result: flags === 2 ? HANDLE : null}),
      Process32FirstW: (_, buffer: Buffer) => (entry(buffer, 4, 0, 'System'), {result: 1}),
      Process32NextW: (_, buffer: Buffer) => {
        if (asked++ > 0) return {lastError: 18, result: 0}
        entry(buffer, 812, 4, 'kube-log-runner.exe')
        return {result: 1}
      },
    })
    expect(await processes.processes()).toEqual([
      {id: 4, name: 'System', parentId: 0},
      {id: 812, name: 'kube-log-runner.exe', parentId: 4},
    ])
    expect(calls.at(-1)).toBe('CloseHandle')
  })

  it('fail where Windows fails', async () => {
    const none = play({CreateToolhelp32Snapshot: () => ({lastError: 5, result: 0xffff_ffff_ffff_ffffn})})
    await expect(none.processes.processes()).rejects.toMatchObject({call: 'CreateToolhelp32Snapshot', code: 5})
    const {calls, processes} = play({
      CreateToolhelp32Snapshot: () => ({result: HANDLE}),
      Process32FirstW: () => ({lastError: 24, result: 0}),
    })
    await expect(processes.processes()).rejects.toMatchObject({code: 24})
    expect(calls.at(-1)).toBe('CloseHandle')
  })
})
