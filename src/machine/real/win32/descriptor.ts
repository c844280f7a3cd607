// A security descriptor in memory, made from SDDL, and memory that Windows gave and wants back.
import {Win32Error} from '../../win32.js'
import type {Native, Pointer} from './library.js'

export const SDDL_REVISION_1 = 1

export interface Descriptors {
  /** Makes the descriptor, hands it to `work`, and frees it. */
  from<T>(sddl: string, work: (descriptor: Pointer) => Promise<T>): Promise<T>
  /** Uses memory that Windows allocated with LocalAlloc, and frees it. */
  using<T>(memory: Pointer, work: (memory: Pointer) => Promise<T>): Promise<T>
}

export function descriptors({bind, koffi}: Native): Descriptors {
  const localFree = bind<Pointer>('kernel32.dll', 'LocalFree', 'void *', ['void *'])
  const call = 'ConvertStringSecurityDescriptorToSecurityDescriptorW'
  const convert = bind<number>('advapi32.dll', call, 'int32_t', [
    'str16',
    'uint32_t',
    koffi.out(koffi.pointer('void *')),
    'void *',
  ])
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
