// Processes of others: when one began.
import type {Win32} from '../../win32.js'
import {Win32Error} from '../../win32.js'
import {ERROR_ACCESS_DENIED, ERROR_INVALID_PARAMETER} from './codes.js'
import {functionsOf, lazily, type LazyNative} from './library.js'

/** Enough for its times, also of processes whose memory cannot be read. */
const PROCESS_QUERY_LIMITED_INFORMATION = 0x10_00
/** A FILETIME counts steps of 100 ns from 1601 on. */
const STEPS_A_MS = 10_000n
const FROM_1601_TO_1970_MS = 11_644_473_600_000

export function openProcesses(native: LazyNative): Pick<Win32, 'processStartedAt'> {
  const open = lazily(native, (opened) =>
    functionsOf(opened, 'kernel32.dll', {
      closeHandle: 'int32_t CloseHandle(void *)',
      getProcessTimes: 'int32_t GetProcessTimes(void *, void *, void *, void *, void *)',
      openProcess: 'void *OpenProcess(uint32_t, int32_t, uint32_t)',
    }),
  )

  return {
    async processStartedAt(processId) {
      const {closeHandle, getProcessTimes, openProcess} = await open()
      const {lastError, result: handle} = await openProcess(PROCESS_QUERY_LIMITED_INFORMATION, 0, processId)
      if (handle === null) {
        if (lastError === ERROR_INVALID_PARAMETER || lastError === ERROR_ACCESS_DENIED) return undefined
        throw new Win32Error('OpenProcess', lastError, String(processId))
      }

      const [created, ended, kernel, user] = [Buffer.alloc(8), Buffer.alloc(8), Buffer.alloc(8), Buffer.alloc(8)]
      try {
        const times = await getProcessTimes(handle, created, ended, kernel, user)
        if (times.result === 0) throw new Win32Error('GetProcessTimes', times.lastError, String(processId))
        return Number(created.readBigUInt64LE() / STEPS_A_MS) - FROM_1601_TO_1970_MS
      } finally {
        await closeHandle(handle)
      }
    },
  }
}
