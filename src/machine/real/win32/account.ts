// The account this process runs as, by its SID.
import type {Win32} from '../../win32.js'
import {Win32Error} from '../../win32.js'
import {descriptors} from './descriptor.js'
import {functionsOf, type LazyNative, type Pointer} from './library.js'

const THIS_PROCESS = -1
const TOKEN_QUERY = 0x8
const TOKEN_USER = 1
/** TOKEN_USER and the longest SID there is: SECURITY_MAX_SID_SIZE is 68 bytes. */
const USER_BYTES = 128

export function openAccount(native: LazyNative): Pick<Win32, 'accountSid'> {
  return {
    async accountSid() {
      const opened = await native()
      const {closeHandle} = functionsOf(opened, 'kernel32.dll', {closeHandle: 'int32_t CloseHandle(void *)'})
      const {informationOf, openToken, toText} = functionsOf(opened, 'advapi32.dll', {
        informationOf: 'int32_t GetTokenInformation(void *, int32_t, void *, uint32_t, out uint32_t)',
        openToken: 'int32_t OpenProcessToken(intptr_t, uint32_t, out void *)',
        toText: 'int32_t ConvertSidToStringSidW(void *, out void *)',
      })
      const token: Pointer[] = [null]
      const got = await openToken(THIS_PROCESS, TOKEN_QUERY, token)
      if (got.result === 0) throw new Win32Error('OpenProcessToken', got.lastError, 'this process')
      try {
        const user = Buffer.alloc(USER_BYTES)
        const asked = await informationOf(token[0], TOKEN_USER, user, USER_BYTES, [0])
        if (asked.result === 0) throw new Win32Error('GetTokenInformation', asked.lastError, 'TokenUser')
        const text: Pointer[] = [null]
        // Its first member points to the SID, which Windows put into the same memory.
        const {lastError, result} = await toText(user.readBigUInt64LE(0), text)
        // koffi saw an address only: without this use the memory could be collected while the call still reads it.
        user.fill(0)
        if (result === 0) throw new Win32Error('ConvertSidToStringSidW', lastError, 'TokenUser')
        return await descriptors(opened).using(text[0]!, async (sid) => opened.koffi.decode.string16(sid))
      } finally {
        await closeHandle(token[0])
      }
    },
  }
}
