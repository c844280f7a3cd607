// The processes of a program, among others of its file name that any account may run.
import {describe, expect, it} from 'vitest'
import {openProcesses} from '../../../../src/machine/real/win32/processes.js'
import {fakeNative, type Played} from './fake-native.js'

const SHIM = String.raw`C:\k\containerd\bin\shim.exe`
const QUERY = 0x10_00
const TERMINATE = 1
const DENIED = {lastError: 5, result: null}

interface Process {
  /** Access that Windows denies. */
  readonly denied?: number
  readonly path?: string
}

/** Handles are the IDs of their processes. */
function play(processes: readonly (Process & {readonly id: number})[], own: Readonly<Record<string, Played>> = {}) {
  const ended: number[] = []
  const privilege: string[] = []
  let listed = 0
  const list = (_: unknown, entry: Buffer) => {
    const one = processes[listed++]
    if (!one) return {lastError: 18, result: 0}
    entry.fill(0, 4)
    entry.writeUInt32LE(one.id, 8)
    entry.write('SHIM.exe', 44, 'utf16le')
    return {result: 1}
  }
  const {calls, native} = fakeNative({
    AdjustTokenPrivileges(_token, _all, privileges: Buffer, _bytes, before: Buffer | null) {
      privilege.push(privileges.readUInt32LE(12) === 2 ? 'on' : 'as before')
      // It was there, and disabled.
      if (before) {
        privileges.copy(before)
        before.writeUInt32LE(0, 12)
      }
      return {lastError: 0, result: 1}
    },
    CloseHandle: () => ({result: 1}),
    CreateToolhelp32Snapshot: () => ({result: 7n}),
    LookupPrivilegeValueW: (_, name) => ({result: name === 'SeDebugPrivilege' ? 1 : 0}),
    OpenProcess(access: number, _, id: number) {
      const one = processes.find((process) => process.id === id)
      return ((one?.denied ?? 0) & access) === 0 ? {result: BigInt(id)} : DENIED
    },
    OpenProcessToken: () => ({result: 1}),
    Process32FirstW: list,
    Process32NextW: list,
    QueryFullProcessImageNameW(handle, _, name: Buffer, letters: Buffer) {
      const {path = SHIM} = processes.find(({id}) => BigInt(id) === handle) ?? {}
      letters.writeUInt32LE(name.write(path, 'utf16le') / 2)
      return {result: 1}
    },
    TerminateProcess: (handle) => (ended.push(Number(handle)), {result: 1}),
    ...own,
  })
  return {calls, ended, privilege, processes: openProcesses(native)}
}

const EVIL = String.raw`C:\Users\bob\shim.exe`

describe('review W3-3: the processes of a program', () => {
  it('end, and others of its file name do not, also those that may not be ended', async () => {
    const {ended, privilege, processes} = play([
      {id: 40, path: SHIM.toUpperCase()},
      {denied: TERMINATE, id: 66, path: EVIL},
      {id: 44},
    ])
    expect(await processes.endProgram(SHIM)).toEqual({denied: [], ended: 2})
    expect(ended).toEqual([40, 44])
    expect(privilege).toEqual(['on', 'as before'])
  })

  it('end also where another one denies all access, which is named', async () => {
    const {ended, processes} = play([{denied: QUERY, id: 66, path: EVIL}, {id: 40}])
    expect(await processes.endProgram(SHIM)).toEqual({denied: [66], ended: 1})
    expect(ended).toEqual([40])
  })

  it('are named where one of them cannot be ended', async () => {
    const TerminateProcess: Played = () => ({lastError: 5, result: 0})
    expect(await play([{id: 40}], {TerminateProcess}).processes.endProgram(SHIM)).toEqual({denied: [40], ended: 0})
  })

  it('end without the privilege where this process does not hold it', async () => {
    const AdjustTokenPrivileges: Played = () => ({lastError: 1300, result: 1})
    const {ended, processes} = play([{id: 40}], {AdjustTokenPrivileges})
    expect(await processes.endProgram(SHIM)).toEqual({denied: [], ended: 1})
    expect(ended).toEqual([40])
  })

  it('have a path where Windows does not deny it', async () => {
    const {privilege, processes} = play([{denied: QUERY, id: 66}, {id: 67, path: EVIL}, {id: 40}])
    expect(await processes.processPaths('shim.exe')).toEqual([{id: 66}, {id: 67, path: EVIL}, {id: 40, path: SHIM}])
    expect(privilege).toEqual(['on', 'as before'])
  })

  it('need no privilege where no program has that name', async () => {
    const {calls, processes} = play([])
    expect(await processes.processPaths('shim.exe')).toEqual([])
    expect(calls).not.toContain('AdjustTokenPrivileges')
  })
})
