// A file that is deleted when Windows starts the next time (learn.microsoft.com, MoveFileExW).
import type {Win32} from '../../win32.js'
import {demand, functionsOf, type LazyNative} from './library.js'

const MOVEFILE_DELAY_UNTIL_REBOOT = 0x4

export function openDeleteAtRestart(native: LazyNative): Pick<Win32, 'deleteAtRestart'> {
  return {
    async deleteAtRestart(path) {
      const {moveFile} = functionsOf(await native(), 'kernel32.dll', {
        moveFile: 'int32_t MoveFileExW(str16, str16, uint32_t)',
      })
      // Without a new name, the file is deleted.
      await demand(path, moveFile(path, null, MOVEFILE_DELAY_UNTIL_REBOOT))
    },
  }
}
