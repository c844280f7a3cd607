// A restart of Windows, announced and planned (learn.microsoft.com, InitiateShutdownW and "System Shutdown Reason Codes").
import type {Win32} from '../../win32.js'
import {Win32Error} from '../../win32.js'
import {ERROR_SUCCESS} from './codes.js'
import {functionsOf, type LazyNative, type Pointer} from './library.js'

const THIS_PROCESS = -1
const TOKEN_QUERY = 0x8
const TOKEN_ADJUST_PRIVILEGES = 0x20
const SE_PRIVILEGE_ENABLED = 0x2
/** TOKEN_PRIVILEGES with one entry: its count, the LUID at 4, the attributes at 12. */
const PRIVILEGES_BYTES = 16

/**
 * winreg.h: SHUTDOWN_FORCE_OTHERS, SHUTDOWN_FORCE_SELF, SHUTDOWN_RESTART. Sessions are ended as with "shutdown.exe /r /t 30":
 * without the first, one that a user has left open would refuse the restart (1191), and the run would never continue.
 */
const FLAGS = 0x1 | 0x2 | 0x4
/** Planned; operating system: reconfiguration (SHTDN_REASON_FLAG_PLANNED, _MAJOR_OPERATINGSYSTEM, _MINOR_RECONFIG). */
const REASON = 0x80_02_00_04

export function openRestart(native: LazyNative): Pick<Win32, 'restartWindows'> {
  return {
    async restartWindows(message, delaySeconds) {
      const opened = await native()
      const {closeHandle} = functionsOf(opened, 'kernel32.dll', {closeHandle: 'int32_t CloseHandle(void *)'})
      const {adjust, find, openToken, restart} = functionsOf(opened, 'advapi32.dll', {
        adjust: 'int32_t AdjustTokenPrivileges(void *, int32_t, void *, uint32_t, void *, void *)',
        find: 'int32_t LookupPrivilegeValueW(str16, str16, void *)',
        openToken: 'int32_t OpenProcessToken(intptr_t, uint32_t, out void *)',
        restart: 'uint32_t InitiateShutdownW(str16, str16, uint32_t, uint32_t, uint32_t)',
      })
      const token: Pointer[] = [null]
      const got = await openToken(THIS_PROCESS, TOKEN_QUERY | TOKEN_ADJUST_PRIVILEGES, token)
      if (got.result === 0) throw new Win32Error('OpenProcessToken', got.lastError, 'this process')
      try {
        const luid = Buffer.alloc(8)
        const found = await find(null, 'SeShutdownPrivilege', luid)
        if (found.result === 0) throw new Win32Error('LookupPrivilegeValueW', found.lastError, 'SeShutdownPrivilege')
        const privileges = Buffer.alloc(PRIVILEGES_BYTES)
        privileges.writeUInt32LE(1, 0)
        luid.copy(privileges, 4)
        privileges.writeUInt32LE(SE_PRIVILEGE_ENABLED, 12)
        // It succeeds too where the account does not have the privilege: then the next call is refused.
        const {lastError, result} = await adjust(token[0], 0, privileges, 0, null, null)
        if (result === 0) throw new Win32Error('AdjustTokenPrivileges', lastError, 'SeShutdownPrivilege')
      } finally {
        await closeHandle(token[0])
      }

      // It returns its error, and does not set the last one.
      const {result} = await restart(null, message, delaySeconds, FLAGS, REASON)
      if (result !== ERROR_SUCCESS) throw new Win32Error('InitiateShutdownW', result, 'this computer')
    },
  }
}
