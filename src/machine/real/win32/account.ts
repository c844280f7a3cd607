// The account this process runs as, by its SID.
import type {Win32} from '../../win32.js'
import {descriptors} from './descriptor.js'
import {demand, functionsOf, type LazyNative, type Pointer} from './library.js'

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
      await demand('this process', openToken(THIS_PROCESS, TOKEN_QUERY, token))
      try {
        const user = Buffer.alloc(USER_BYTES)
        await demand('TokenUser', informationOf(token[0], TOKEN_USER, user, USER_BYTES, [0]))
        const text: Pointer[] = [null]
        // Its first member points to the SID, which Windows put into the same memory.
        await demand('TokenUser', toText(user.readBigUInt64LE(0), text))
        // koffi saw an address only: without this use the memory could be collected while the call still reads it.
        user.fill(0)
        return await descriptors(opened).using(text[0]!, async (sid) => opened.koffi.decode.string16(sid))
      } finally {
        await closeHandle(token[0])
      }
    },
  }
}
