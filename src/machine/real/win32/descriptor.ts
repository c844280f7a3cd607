// A security descriptor in memory, made from SDDL, and memory that Windows gave and wants back.
import path from 'node:path'
import {Win32Error} from '../../win32.js'
import {functionsOf, type Native, type Pointer} from './library.js'

export const SDDL_REVISION_1 = 1

export interface Descriptors {
  /** Makes the descriptor, hands it to `work`, and frees it. */
  from<T>(sddl: string, work: (descriptor: Pointer) => Promise<T>): Promise<T>
  /** Uses memory that Windows allocated with LocalAlloc, and frees it. */
  using<T>(memory: Pointer, work: (memory: Pointer) => Promise<T>): Promise<T>
}

export function descriptors(native: Native): Descriptors {
  const {localFree} = functionsOf(native, 'kernel32.dll', {localFree: 'void *LocalFree(void *)'})
  const call = 'ConvertStringSecurityDescriptorToSecurityDescriptorW'
  const {convert} = functionsOf(native, 'advapi32.dll', {
    convert: `int32_t ${call}(str16, uint32_t, out void *, void *)`,
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
      const {lastError, result} = await convert(sddl, SDDL_REVISION_1, descriptor, null)
      if (result === 0) throw new Win32Error(call, lastError, sddl)
      return using(descriptor[0]!, work)
    },
    using,
  }
}

/** From here on Windows' own path functions want the \\?\ form. */
const LONG_PATH = 248

export function nativePath(file: string): string {
  return file.length < LONG_PATH ? file : path.win32.toNamespacedPath(file)
}
