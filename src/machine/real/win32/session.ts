// The session: account, administrator, computer name, code page, and notification of a changed environment.
import type {Win32} from '../../win32.js'
import {ERROR_MORE_DATA} from './codes.js'
import {descriptors} from './descriptor.js'
import {demand, functionsOf, lazily, type LazyNative, type Pointer} from './library.js'
import {withProcessToken} from './process-token.js'

/** ComputerNamePhysicalDnsHostname, which Go's os.Hostname and so kubelet and flanneld ask for. */
const PHYSICAL_DNS_HOSTNAME = 5
/** S-1-5-32-544. IsUserAnAdmin asks the same, and Microsoft advises against it; Wine's also counts a group held only to deny. */
const ADMINISTRATORS = Buffer.from('01020000000000052000000020020000', 'hex')
const TOKEN_QUERY = 0x8
const TOKEN_USER = 1
/** TOKEN_USER and the longest SID there is: SECURITY_MAX_SID_SIZE is 68 bytes. */
const USER_BYTES = 128
const HWND_BROADCAST = 0xff_ff
const WM_SETTINGCHANGE = 0x1a
const SMTO_ABORTIFHUNG = 0x2
const BROADCAST_MS = 5000

type Session = Pick<Win32, 'accountSid' | 'broadcastEnvironmentChange' | 'computerName' | 'isAdministrator'> & {
  /** The code page console programs write in. */
  oemCodePage(): Promise<number>
}

export function openSession(native: LazyNative): Session {
  const open = lazily(native, (opened) =>
    functionsOf(opened, 'kernel32.dll', {
      getComputerName: 'int32_t GetComputerNameExW(int32_t, void *, inout uint32_t)',
      getOemCodePage: 'uint32_t GetOEMCP()',
    }),
  )

  return {
    async accountSid() {
      const opened = await native()
      const {informationOf, toText} = functionsOf(opened, 'advapi32.dll', {
        informationOf: 'int32_t GetTokenInformation(void *, int32_t, void *, uint32_t, out uint32_t)',
        toText: 'int32_t ConvertSidToStringSidW(void *, out void *)',
      })
      return withProcessToken(opened, TOKEN_QUERY, 'this process', async (token) => {
        const user = Buffer.alloc(USER_BYTES)
        await demand('TokenUser', informationOf(token, TOKEN_USER, user, USER_BYTES, [0]))
        const text: Pointer[] = [null]
        // Its first member points to the SID, which Windows put into the same memory.
        await demand('TokenUser', toText(user.readBigUInt64LE(0), text))
        // koffi saw an address only: without this use the memory could be collected while the call still reads it.
        user.fill(0)
        return descriptors(opened).using(text[0]!, async (sid) => opened.koffi.decode.string16(sid))
      })
    },
    async broadcastEnvironmentChange() {
      const {sendMessage} = functionsOf(await native(), 'user32.dll', {
        sendMessage:
          'intptr_t SendMessageTimeoutW(intptr_t, uint32_t, uintptr_t, str16, uint32_t, uint32_t, out uintptr_t)',
      })
      // Zero means that some program did not answer, which is not a failure: services read the registry when they
      // start. Nor could a failure be distinguished from it: koffi puts the error of its last call back before each call
      // (interp.cc), so that an error of zero, which means "no answer" here, is never seen.
      await sendMessage(HWND_BROADCAST, WM_SETTINGCHANGE, 0, 'Environment', SMTO_ABORTIFHUNG, BROADCAST_MS, [0])
    },
    async computerName() {
      const {getComputerName} = await open()
      for (let name = Buffer.alloc(512); ;) {
        const characters = [name.length / 2]
        const asked = getComputerName(PHYSICAL_DNS_HOSTNAME, name, characters)
        if (await demand('DNS host name', asked, ERROR_MORE_DATA))
          return name.toString('utf16le', 0, characters[0]! * 2)
        name = Buffer.alloc(Math.max(characters[0]! * 2, name.length * 2))
      }
    },
    async isAdministrator() {
      const {isMember} = functionsOf(await native(), 'advapi32.dll', {
        isMember: 'int32_t CheckTokenMembership(void *, void *, out int32_t)',
      })
      const member = [0]
      await demand('S-1-5-32-544', isMember(null, ADMINISTRATORS, member))
      return member[0] !== 0
    },
    async oemCodePage() {
      const {result} = await (await open()).getOemCodePage()
      return result
    },
  }
}
