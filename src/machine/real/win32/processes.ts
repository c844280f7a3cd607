// Processes: which there are, which one this is, and when one began.
import {win32 as windowsPath} from 'node:path'
import type {RunningProcess, Win32} from '../../win32.js'
import {ERROR_ACCESS_DENIED, ERROR_INVALID_PARAMETER, ERROR_NO_MORE_FILES} from './codes.js'
import {demand, functionsOf, lazily, type LazyNative, refusalOf} from './library.js'

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

export function openProcesses(
  native: LazyNative,
): Pick<Win32, 'currentProcessId' | 'endProgram' | 'processes' | 'processStartedAt'> {
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

  const endIfOf = async (processId: number, program: string): Promise<boolean> => {
    const {closeHandle, openProcess, queryImageName, terminateProcess} = await open()
    const opening = openProcess(PROCESS_QUERY_LIMITED_INFORMATION | PROCESS_TERMINATE, 0, processId)
    const handle = await demand(program, opening, ERROR_INVALID_PARAMETER)
    // It has ended meanwhile.
    if (handle === null) return false
    const [name, letters] = [Buffer.alloc(2 * LONGEST_PATH), Buffer.alloc(4)]
    letters.writeUInt32LE(LONGEST_PATH)
    try {
      await demand(program, queryImageName(handle, 0, name, letters))
      const path = name.toString('utf16le', 0, 2 * letters.readUInt32LE())
      if (path.toLowerCase() !== program.toLowerCase()) return false
      await demand(program, terminateProcess(handle, 1))
      return true
    } finally {
      await closeHandle(handle)
    }
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
      const name = windowsPath.basename(path).toLowerCase()
      const own = (await processes()).filter((one) => one.name.toLowerCase() === name)
      let ended = 0
      for (const {id} of own) if (await endIfOf(id, path)) ended++
      return ended
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
