// Privileges that an administrator's token holds but has switched off: to take a file from its owner, and to give one away.
import {Win32Error} from '../../win32.js'
import {ERROR_SUCCESS} from './codes.js'
import type {Native, Pointer} from './library.js'

const THIS_PROCESS = -1
const TOKEN_ADJUST_PRIVILEGES_AND_QUERY = 0x28
const SE_PRIVILEGE_ENABLED = 2
/** TOKEN_PRIVILEGES with one entry: count, LUID, attributes. */
const PRIVILEGES_BYTES = 16
const LUID_OFFSET = 4
const LUID_BYTES = 8
const ATTRIBUTES_OFFSET = 12

/** AdjustTokenPrivileges succeeds also where it gave nothing: then its last error says so. */
export async function enablePrivileges({bind, koffi}: Native, names: readonly string[]): Promise<void> {
  const closeHandle = bind<number>('kernel32.dll', 'CloseHandle', 'int32_t', ['void *'])
  const openToken = bind<number>('advapi32.dll', 'OpenProcessToken', 'int32_t', [
    'intptr_t',
    'uint32_t',
    koffi.out(koffi.pointer('void *')),
  ])
  const lookUp = bind<number>('advapi32.dll', 'LookupPrivilegeValueW', 'int32_t', ['str16', 'str16', 'void *'])
  const adjust = bind<number>('advapi32.dll', 'AdjustTokenPrivileges', 'int32_t', [
    'void *',
    'int32_t',
    'void *',
    'uint32_t',
    'void *',
    'void *',
  ])

  const token: Pointer[] = [null]
  const opened = await openToken(THIS_PROCESS, TOKEN_ADJUST_PRIVILEGES_AND_QUERY, token)
  if (opened.result === 0) throw new Win32Error('OpenProcessToken', opened.lastError, names.join(', '))
  try {
    for (const name of names) {
      const privileges = Buffer.alloc(PRIVILEGES_BYTES)
      privileges.writeUInt32LE(1)
      privileges.writeUInt32LE(SE_PRIVILEGE_ENABLED, ATTRIBUTES_OFFSET)
      const luid = privileges.subarray(LUID_OFFSET, LUID_OFFSET + LUID_BYTES)
      const found = await lookUp(null, name, luid)
      if (found.result === 0) throw new Win32Error('LookupPrivilegeValueW', found.lastError, name)
      const {lastError, result} = await adjust(token[0], 0, privileges, 0, null, null)
      if (result === 0 || lastError !== ERROR_SUCCESS) throw new Win32Error('AdjustTokenPrivileges', lastError, name)
    }
  } finally {
    await closeHandle(token[0])
  }
}
