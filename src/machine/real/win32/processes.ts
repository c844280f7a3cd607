// Processes: which there are, which one this is, and when one began.
import {win32 as windowsPath} from 'node:path'
import {type RunningProcess, type Win32, Win32Error} from '../../win32.js'
import {ERROR_ACCESS_DENIED, ERROR_INVALID_PARAMETER, ERROR_NO_MORE_FILES} from './codes.js'
import {demand, functionsOf, lazily, type LazyNative, type Pointer, refusalOf} from './library.js'
import {withPrivilege} from './process-token.js'

/** Enough for its times, also of processes whose memory cannot be read. */
const PROCESS_QUERY_LIMITED_INFORMATION = 0x10_00
const TH32CS_SNAPPROCESS = 2
const INVALID_HANDLE_VALUE = 0xffff_ffff_ffff_ffffn
/** PROCESSENTRY32W of 64-bit Windows (tlhelp32.h): its size, and where its fields are. */
const ENTRY = {bytes: 568, id: 8, letters: 260, name: 44, parentId: 32}
/** A FILETIME counts steps of 100 ns from 1601 on. */
const STEPS_A_MS = 10_000n
const FROM_1601_TO_1970_MS = 11_644_473_600_000

const PROCESS_TERMINATE = 1
/** Of a path with the prefix of long ones. */
const LONGEST_PATH = 32_767

const sameText = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

/** It is protected, or is ending: what one process refuses says nothing about the others. */
function ifDenied(error: unknown): 'denied' {
  if (error instanceof Win32Error) return 'denied'
  throw error
}

export function openProcesses(
  native: LazyNative,
): Pick<Win32, 'currentProcessId' | 'endProgram' | 'processes' | 'processPaths' | 'processStartedAt'> {
  const open = lazily(native, (opened) =>
    functionsOf(opened, 'kernel32.dll', {
      closeHandle: 'int32_t CloseHandle(void *)',
      createSnapshot: 'void *CreateToolhelp32Snapshot(uint32_t, uint32_t)',
      firstProcess: 'int32_t Process32FirstW(void *, void *)',
      getProcessTimes: 'int32_t GetProcessTimes(void *, void *, void *, void *, void *)',
      nextProcess: 'int32_t Process32NextW(void *, void *)',
      openProcess: 'void *OpenProcess(uint32_t, int32_t, uint32_t)',
      queryImageName: 'int32_t QueryFullProcessImageNameW(void *, uint32_t, void *, void *)',
      terminateProcess: 'int32_t TerminateProcess(void *, uint32_t)',
    }),
  )

  /** By its handle, so that it stays this process. Undefined where it has ended meanwhile. */
  const withHandle = async <T>(id: number, access: number, work: (handle: Pointer) => Promise<T>) => {
    const {closeHandle, openProcess} = await open()
    const handle = await demand(String(id), openProcess(access, 0, id), ERROR_INVALID_PARAMETER)
    if (handle === null) return undefined
    try {
      return await work(handle)
    } finally {
      await closeHandle(handle)
    }
  }

  const pathOf = async (handle: Pointer): Promise<string> => {
    const {queryImageName} = await open()
    const [name, letters] = [Buffer.alloc(2 * LONGEST_PATH), Buffer.alloc(4)]
    letters.writeUInt32LE(LONGEST_PATH)
    await demand('its path', queryImageName(handle, 0, name, letters))
    return name.toString('utf16le', 0, 2 * letters.readUInt32LE())
  }

  /** Nothing is asked of another program's process but its path: it can deny the rest. */
  const endIfOf = async (id: number, program: string): Promise<boolean> => {
    const isOf = async (handle: Pointer): Promise<boolean> => sameText(await pathOf(handle), program)
    if (!(await withHandle(id, PROCESS_QUERY_LIMITED_INFORMATION, isOf))) return false
    const ended = await withHandle(id, PROCESS_QUERY_LIMITED_INFORMATION | PROCESS_TERMINATE, async (handle) => {
      // Its number may be another one's by now.
      if (!(await isOf(handle))) return false
      await demand(program, (await open()).terminateProcess(handle, 1))
      return true
    })
    return ended ?? false
  }

  /**
   * The processes of a file name, each with what `work` says of it. With SeDebugPrivilege their access lists do not count: any
   * account may run a program of this name, and deny access to administrators (learn.microsoft.com, OpenProcess).
   */
  const ofName = async <T>(
    name: string,
    work: (id: number) => Promise<T>,
  ): Promise<{readonly id: number; readonly said: T | 'denied'}[]> => {
    const named = (await processes()).filter((one) => sameText(one.name, name))
    if (named.length === 0) return []
    return withPrivilege(await native(), 'SeDebugPrivilege', async () => {
      const all: {readonly id: number; readonly said: T | 'denied'}[] = []
      for (const {id} of named) all.push({id, said: await work(id).catch(ifDenied)})
      return all
    })
  }

  const processes: Win32['processes'] = async () => {
    const {closeHandle, createSnapshot, firstProcess, nextProcess} = await open()
    const created = await createSnapshot(TH32CS_SNAPPROCESS, 0)
    const {result: snapshot} = created
    if (snapshot === null || BigInt.asUintN(64, snapshot) === INVALID_HANDLE_VALUE) {
      throw refusalOf(created, 'processes')
    }

    const found: RunningProcess[] = []
    const entry = Buffer.alloc(ENTRY.bytes)
    entry.writeUInt32LE(ENTRY.bytes)
    try {
      for (let step = firstProcess(snapshot, entry); ; step = nextProcess(snapshot, entry)) {
        if (!(await demand('processes', step, ERROR_NO_MORE_FILES))) return found
        const name = entry.toString('utf16le', ENTRY.name, ENTRY.name + 2 * ENTRY.letters).replace(/\0[^]*$/, '')
        found.push({id: entry.readUInt32LE(ENTRY.id), name, parentId: entry.readUInt32LE(ENTRY.parentId)})
      }
    } finally {
      await closeHandle(snapshot)
    }
  }

  return {
    currentProcessId: async () => process.pid,
    async endProgram(path) {
      const name = windowsPath.basename(path)
      const all = await ofName(name, (id) => endIfOf(id, path))
      return {
        denied: all.flatMap(({id, said}) => (said === 'denied' ? [id] : [])),
        ended: all.filter(({said}) => said === true).length,
      }
    },
    async processPaths(name) {
      const all = await ofName(name, (id) => withHandle(id, PROCESS_QUERY_LIMITED_INFORMATION, pathOf))
      return all.flatMap(({id, said}) => (said === undefined ? [] : [said === 'denied' ? {id} : {id, path: said}]))
    },
    processes,
    async processStartedAt(processId) {
      const {closeHandle, getProcessTimes, openProcess} = await open()
      const opening = openProcess(PROCESS_QUERY_LIMITED_INFORMATION, 0, processId)
      const handle = await demand(String(processId), opening, ERROR_INVALID_PARAMETER, ERROR_ACCESS_DENIED)
      if (handle === null) return undefined
      const [created, ended, kernel, user] = [Buffer.alloc(8), Buffer.alloc(8), Buffer.alloc(8), Buffer.alloc(8)]
      try {
        await demand(String(processId), getProcessTimes(handle, created, ended, kernel, user))
        return Number(created.readBigUInt64LE() / STEPS_A_MS) - FROM_1601_TO_1970_MS
      } finally {
        await closeHandle(handle)
      }
    },
  }
}
