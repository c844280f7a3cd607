// Processes: which there are, which one this is, and when one began.
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

export function openProcesses(native: LazyNative): Pick<Win32, 'currentProcessId' | 'processes' | 'processStartedAt'> {
  const open = lazily(native, (opened) =>
    functionsOf(opened, 'kernel32.dll', {
      closeHandle: 'int32_t CloseHandle(void *)',
      createSnapshot: 'void *CreateToolhelp32Snapshot(uint32_t, uint32_t)',
      firstProcess: 'int32_t Process32FirstW(void *, void *)',
      getProcessTimes: 'int32_t GetProcessTimes(void *, void *, void *, void *, void *)',
      nextProcess: 'int32_t Process32NextW(void *, void *)',
      openProcess: 'void *OpenProcess(uint32_t, int32_t, uint32_t)',
    }),
  )

  return {
    currentProcessId: async () => process.pid,
    async processes() {
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
    },
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
