// Owner and access list of files and folders, as SDDL.
import type {Win32} from '../../win32.js'
import {ERROR_ACCESS_DENIED, ERROR_INVALID_OWNER, ERROR_SUCCESS} from './codes.js'
import {
  DACL_SECURITY_INFORMATION,
  descriptors,
  nativePath,
  OWNER_SECURITY_INFORMATION,
  SECURITY_PARTS,
} from './descriptor.js'
import {demand, demandSuccess, functionsOf, lazily, type LazyNative, type Native, type Pointer} from './library.js'
import {enablePrivileges} from './process-token.js'

const SE_FILE_OBJECT = 1
/** The owner of the file allows the caller nothing, or the new owner is not the caller. */
const NEEDS_PRIVILEGES = [ERROR_ACCESS_DENIED, ERROR_INVALID_OWNER]
const PRIVILEGES = ['SeTakeOwnershipPrivilege', 'SeRestorePrivilege']

const library = (native: Native) => ({
  ...descriptors(native),
  ...functionsOf(native, 'advapi32.dll', {
    getControl: 'int32_t GetSecurityDescriptorControl(void *, out uint16_t, out uint32_t)',
    getDacl: 'int32_t GetSecurityDescriptorDacl(void *, out int32_t, out void *, out int32_t)',
    getNamed: 'uint32_t GetNamedSecurityInfoW(str16, int32_t, uint32_t, void *, void *, void *, void *, out void *)',
    getOwner: 'int32_t GetSecurityDescriptorOwner(void *, out void *, out int32_t)',
    setNamed: 'uint32_t SetNamedSecurityInfoW(str16, int32_t, uint32_t, void *, void *, void *, void *)',
  }),
  native,
})

type Library = ReturnType<typeof library>

export function openSecurity(native: LazyNative): Pick<Win32, 'securityOf' | 'setSecurity'> {
  const open = lazily(native, library)

  return {
    async securityOf(file) {
      const {getNamed, toSddl} = await open()
      const descriptor: Pointer[] = [null]
      const asked = getNamed(nativePath(file), SE_FILE_OBJECT, SECURITY_PARTS, null, null, null, null, descriptor)
      await demandSuccess(file, asked)
      return toSddl(descriptor[0]!, file)
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
  await demand(file, getControl(descriptor, control, [0]))
  await demand(file, getDacl(descriptor, present, dacl, [0]))
  await demand(file, getOwner(descriptor, owner, [0]))
  const parts = securityParts({control: control[0]!, hasDacl: present[0] !== 0, hasOwner: owner[0] !== null})
  const set = (wanted: number, ...expected: readonly number[]): Promise<number> =>
    demandSuccess(file, setNamed(nativePath(file), SE_FILE_OBJECT, wanted, owner[0], null, dacl[0], null), ...expected)
  if ((await set(parts, ...NEEDS_PRIVILEGES)) === ERROR_SUCCESS) return
  await enablePrivileges(native, PRIVILEGES)
  // The owner first: whoever owns it may set the list, whatever the old one says.
  for (const part of partsInTurn(parts)) await set(part)
}

const PROTECTED_DACL_SECURITY_INFORMATION = 0x8000_0000
const UNPROTECTED_DACL_SECURITY_INFORMATION = 0x2000_0000
const SE_DACL_PROTECTED = 0x1000

interface DescriptorContent {
  /** SECURITY_DESCRIPTOR_CONTROL. */
  readonly control: number
  readonly hasDacl: boolean
  readonly hasOwner: boolean
}

/** SetNamedSecurityInfoW ignores the descriptor's own flag: inheritance is removed only on request. */
export function securityParts({control, hasDacl, hasOwner}: DescriptorContent): number {
  const isProtected = (control & SE_DACL_PROTECTED) !== 0
  const inheritance = isProtected ? PROTECTED_DACL_SECURITY_INFORMATION : UNPROTECTED_DACL_SECURITY_INFORMATION
  const dacl = hasDacl ? DACL_SECURITY_INFORMATION | inheritance : 0
  return ((hasOwner ? OWNER_SECURITY_INFORMATION : 0) | dacl) >>> 0
}

/** The owner alone, then the access list alone; what is not asked for is left out. */
export function partsInTurn(parts: number): number[] {
  return [parts & OWNER_SECURITY_INFORMATION, (parts & ~OWNER_SECURITY_INFORMATION) >>> 0].filter((part) => part !== 0)
}
