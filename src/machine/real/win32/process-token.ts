// The access token of this process, and privileges that it holds and that are not enabled (learn.microsoft.com, "Enabling and
// Disabling Privileges").
import {Win32Error} from '../../win32.js'
import {ERROR_SUCCESS} from './codes.js'
import {demand, functionsOf, type Native, type Pointer, refusalOf} from './library.js'

const THIS_PROCESS = -1
const TOKEN_ADJUST_PRIVILEGES_AND_QUERY = 0x28
const SE_PRIVILEGE_ENABLED = 2
/** TOKEN_PRIVILEGES with one entry: count, LUID, attributes. */
const PRIVILEGES_BYTES = 16
const LUID_OFFSET = 4
const LUID_BYTES = 8
const ATTRIBUTES_OFFSET = 12
const SIZE_BYTES = 4

export async function withProcessToken<T>(
  native: Native,
  access: number,
  subject: string,
  work: (token: Pointer) => Promise<T>,
): Promise<T> {
  const {closeHandle} = functionsOf(native, 'kernel32.dll', {closeHandle: 'int32_t CloseHandle(void *)'})
  const {openToken} = functionsOf(native, 'advapi32.dll', {
    openToken: 'int32_t OpenProcessToken(intptr_t, uint32_t, out void *)',
  })
  const token: [Pointer] = [null]
  await demand(subject, openToken(THIS_PROCESS, access, token))
  try {
    return await work(token[0])
  } finally {
    await closeHandle(token[0])
  }
}

/** They stay enabled for the life of this process. */
export async function enablePrivileges(native: Native, names: readonly string[]): Promise<void> {
  await withProcessToken(native, TOKEN_ADJUST_PRIVILEGES_AND_QUERY, names.join(', '), async (token) => {
    for (const name of names) await enablePrivilege(native, token, name)
  })
}

/** Enabled during the work, if this process holds it; otherwise the work is done without. */
export async function withPrivilege<T>(native: Native, name: string, work: () => Promise<T>): Promise<T> {
  const {adjust} = privilegeCalls(native)
  return withProcessToken(native, TOKEN_ADJUST_PRIVILEGES_AND_QUERY, name, async (token) => {
    const before = await enablePrivilege(native, token, name).catch((error: unknown) => {
      if (!(error instanceof Win32Error)) throw error
      return undefined
    })
    try {
      return await work()
    } finally {
      if (before) await adjust(token, 0, before, 0, null, null)
    }
  })
}

const privilegeCalls = (native: Native) =>
  functionsOf(native, 'advapi32.dll', {
    adjust: 'int32_t AdjustTokenPrivileges(void *, int32_t, void *, uint32_t, void *, void *)',
    lookUp: 'int32_t LookupPrivilegeValueW(str16, str16, void *)',
  })

/**
 * What it was before: nothing where it was enabled already. AdjustTokenPrivileges succeeds also where it gave nothing: then its
 * last error says so.
 */
async function enablePrivilege(native: Native, token: Pointer, name: string): Promise<Buffer> {
  const {adjust, lookUp} = privilegeCalls(native)
  const [privileges, before] = [Buffer.alloc(PRIVILEGES_BYTES), Buffer.alloc(PRIVILEGES_BYTES)]
  privileges.writeUInt32LE(1)
  privileges.writeUInt32LE(SE_PRIVILEGE_ENABLED, ATTRIBUTES_OFFSET)
  const luid = privileges.subarray(LUID_OFFSET, LUID_OFFSET + LUID_BYTES)
  await demand(name, lookUp(null, name, luid))
  const adjusted = await adjust(token, 0, privileges, before.length, before, Buffer.alloc(SIZE_BYTES))
  if (adjusted.result === 0 || adjusted.lastError !== ERROR_SUCCESS) throw refusalOf(adjusted, name)
  return before
}
