// Owner and access list of files and folders, as SDDL.
import type {Win32} from '../../win32.js'
import {Win32Error} from '../../win32.js'
import {ERROR_ACCESS_DENIED, ERROR_INVALID_OWNER, ERROR_SUCCESS} from './codes.js'
import {descriptors, SDDL_REVISION_1} from './descriptor.js'
import type {LazyNative, Native, NativeFunction, NativeType, Pointer} from './library.js'
import {nativePath} from './native-path.js'
import {enablePrivileges} from './privileges.js'
import {partsInTurn, SECURITY_PARTS, securityParts} from './security-parts.js'

const SE_FILE_OBJECT = 1
/** The file belongs to somebody who lets us nothing, or shall belong to somebody we are not. */
const NEEDS_PRIVILEGES = new Set([ERROR_ACCESS_DENIED, ERROR_INVALID_OWNER])
const PRIVILEGES = ['SeTakeOwnershipPrivilege', 'SeRestorePrivilege']

function library(native: Native) {
  const {bind, koffi} = native
  const out = (type: NativeType) => koffi.out(koffi.pointer(type))
  const advapi = <Result>(name: string, result: string, parameters: readonly NativeType[]): NativeFunction<Result> =>
    bind<Result>('advapi32.dll', name, result, parameters)
  return {
    ...descriptors(native),
    getControl: advapi<number>('GetSecurityDescriptorControl', 'int32_t', ['void *', out('uint16_t'), out('uint32_t')]),
    getDacl: advapi<number>('GetSecurityDescriptorDacl', 'int32_t', [
      'void *',
      out('int32_t'),
      out('void *'),
      out('int32_t'),
    ]),
    getNamed: advapi<number>('GetNamedSecurityInfoW', 'uint32_t', [
      'str16',
      'int32_t',
      'uint32_t',
      'void *',
      'void *',
      'void *',
      'void *',
      out('void *'),
    ]),
    getOwner: advapi<number>('GetSecurityDescriptorOwner', 'int32_t', ['void *', out('void *'), out('int32_t')]),
    setNamed: advapi<number>('SetNamedSecurityInfoW', 'uint32_t', [
      'str16',
      'int32_t',
      'uint32_t',
      'void *',
      'void *',
      'void *',
      'void *',
    ]),
    toSddl: advapi<number>('ConvertSecurityDescriptorToStringSecurityDescriptorW', 'int32_t', [
      'void *',
      'uint32_t',
      'uint32_t',
      out('void *'),
      out('uint32_t'),
    ]),
    koffi,
    native,
  }
}

type Library = ReturnType<typeof library>

export function openSecurity(native: LazyNative): Pick<Win32, 'securityOf' | 'setSecurity'> {
  let bound: Library | undefined
  const open = async () => (bound ??= library(await native()))

  return {
    async securityOf(file) {
      const {getNamed, koffi, toSddl, using} = await open()
      const descriptor: Pointer[] = [null]
      const named = await getNamed(nativePath(file), SE_FILE_OBJECT, SECURITY_PARTS, null, null, null, null, descriptor)
      if (named.result !== ERROR_SUCCESS) throw new Win32Error('GetNamedSecurityInfoW', named.result, file)
      return using(descriptor[0]!, async (memory) => {
        const text: Pointer[] = [null]
        const {lastError, result} = await toSddl(memory, SDDL_REVISION_1, SECURITY_PARTS, text, [0])
        if (result === 0) throw new Win32Error('ConvertSecurityDescriptorToStringSecurityDescriptorW', lastError, file)
        return using(text[0]!, async (sddl) => koffi.decode.string16(sddl))
      })
    },
    async setSecurity(file, sddl) {
      const opened = await open()
      await opened.from(sddl, (descriptor) => apply(opened, file, descriptor))
    },
  }
}

async function apply(
  {getControl, getDacl, getOwner, native, setNamed}: Library,
  file: string,
  descriptor: Pointer,
): Promise<void> {
  const [control, present, dacl, owner]: [number[], number[], Pointer[], Pointer[]] = [[0], [0], [null], [null]]
  const asked = {
    GetSecurityDescriptorControl: await getControl(descriptor, control, [0]),
    GetSecurityDescriptorDacl: await getDacl(descriptor, present, dacl, [0]),
    GetSecurityDescriptorOwner: await getOwner(descriptor, owner, [0]),
  }
  for (const [call, {lastError, result}] of Object.entries(asked)) {
    if (result === 0) throw new Win32Error(call, lastError, file)
  }
  const parts = securityParts({control: control[0]!, hasDacl: present[0] !== 0, hasOwner: owner[0] !== null})
  const set = async (wanted: number): Promise<number> =>
    (await setNamed(nativePath(file), SE_FILE_OBJECT, wanted, owner[0], null, dacl[0], null)).result
  let result = await set(parts)
  if (NEEDS_PRIVILEGES.has(result)) {
    await enablePrivileges(native, PRIVILEGES)
    // The owner first: whoever owns it may set the list, whatever the old one says.
    for (const part of partsInTurn(parts)) {
      result = await set(part)
      if (result !== ERROR_SUCCESS) break
    }
  }
  if (result !== ERROR_SUCCESS) throw new Win32Error('SetNamedSecurityInfoW', result, file)
}
