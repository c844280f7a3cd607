// A security descriptor in memory, from SDDL and as SDDL, and memory that Windows gave and wants back.
import path from 'node:path'
import {demand, functionsOf, type Native, type Pointer} from './library.js'

const SDDL_REVISION_1 = 1
export const OWNER_SECURITY_INFORMATION = 0x1
export const DACL_SECURITY_INFORMATION = 0x4
export const SECURITY_PARTS = OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION

export interface Descriptors {
  /** Makes the descriptor, hands it to `work`, and frees it. */
  from<T>(sddl: string, work: (descriptor: Pointer) => Promise<T>): Promise<T>
  /** Owner and access list as SDDL. Frees the descriptor, which Windows allocated. `of`: what it belongs to. */
  toSddl(descriptor: Pointer, of: string): Promise<string>
  /** Uses memory that Windows allocated with LocalAlloc, and frees it. */
  using<T>(memory: Pointer, work: (memory: Pointer) => Promise<T>): Promise<T>
}

export function descriptors(native: Native): Descriptors {
  const {localFree} = functionsOf(native, 'kernel32.dll', {localFree: 'void *LocalFree(void *)'})
  const {convert, convertToText} = functionsOf(native, 'advapi32.dll', {
    convert: 'int32_t ConvertStringSecurityDescriptorToSecurityDescriptorW(str16, uint32_t, out void *, void *)',
    convertToText:
      'int32_t ConvertSecurityDescriptorToStringSecurityDescriptorW(void *, uint32_t, uint32_t, out void *, out uint32_t)',
  })
  const using: Descriptors['using'] = async (memory, work) => {
    try {
      return await work(memory)
    } finally {
      await localFree(memory)
    }
  }

  return {
    async from(sddl, work) {
      const descriptor: Pointer[] = [null]
      await demand(sddl, convert(sddl, SDDL_REVISION_1, descriptor, null))
      return using(descriptor[0]!, work)
    },
    toSddl: (descriptor, of) =>
      using(descriptor, async (memory) => {
        const text: Pointer[] = [null]
        await demand(of, convertToText(memory, SDDL_REVISION_1, SECURITY_PARTS, text, [0]))
        return using(text[0]!, async (sddl) => native.koffi.decode.string16(sddl))
      }),
    using,
  }
}

/** From here on Windows' own path functions want the \\?\ form. */
const LONG_PATH = 248

export function nativePath(file: string): string {
  return file.length < LONG_PATH ? file : path.win32.toNamespacedPath(file)
}
