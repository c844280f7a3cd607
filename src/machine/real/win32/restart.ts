// A restart of Windows, announced and planned (learn.microsoft.com, InitiateShutdownW and "System Shutdown Reason Codes"), and
// a file that is deleted with it (MoveFileExW).
import type {Win32} from '../../win32.js'
import {demand, demandSuccess, functionsOf, type LazyNative} from './library.js'
import {enablePrivileges} from './process-token.js'

/**
 * winreg.h: SHUTDOWN_FORCE_OTHERS, SHUTDOWN_FORCE_SELF, SHUTDOWN_RESTART. Sessions are ended as with "shutdown.exe /r /t 30":
 * without the first, one that a user has left open would refuse the restart (1191), and the run would never continue.
 */
const FLAGS = 0x1 | 0x2 | 0x4
/** Planned; operating system: reconfiguration (SHTDN_REASON_FLAG_PLANNED, _MAJOR_OPERATINGSYSTEM, _MINOR_RECONFIG). */
const REASON = 0x80_02_00_04

const MOVEFILE_DELAY_UNTIL_REBOOT = 0x4

export function openRestart(native: LazyNative): Pick<Win32, 'deleteAtRestart' | 'restartWindows'> {
  return {
    async deleteAtRestart(path) {
      const {moveFile} = functionsOf(await native(), 'kernel32.dll', {
        moveFile: 'int32_t MoveFileExW(str16, str16, uint32_t)',
      })
      // Without a new name, the file is deleted.
      await demand(path, moveFile(path, null, MOVEFILE_DELAY_UNTIL_REBOOT))
    },
    async restartWindows(message, delaySeconds) {
      const opened = await native()
      const {restart} = functionsOf(opened, 'advapi32.dll', {
        restart: 'uint32_t InitiateShutdownW(str16, str16, uint32_t, uint32_t, uint32_t)',
      })
      await enablePrivileges(opened, ['SeShutdownPrivilege'])
      // It returns its error, and does not set the last one.
      await demandSuccess('this computer', restart(null, message, delaySeconds, FLAGS, REASON))
    },
  }
}
