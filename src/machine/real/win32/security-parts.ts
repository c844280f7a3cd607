// Which parts of a security descriptor are read and set: the owner and the access list, protected or not.

const OWNER_SECURITY_INFORMATION = 0x1
const DACL_SECURITY_INFORMATION = 0x4
const PROTECTED_DACL_SECURITY_INFORMATION = 0x8000_0000
const UNPROTECTED_DACL_SECURITY_INFORMATION = 0x2000_0000
const SE_DACL_PROTECTED = 0x1000

export const SECURITY_PARTS = OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION

interface DescriptorContent {
  /** SECURITY_DESCRIPTOR_CONTROL. */
  readonly control: number
  readonly hasDacl: boolean
  readonly hasOwner: boolean
}

/** SetNamedSecurityInfoW does not look at the descriptor's own flag: inheritance is cut only where it is told so. */
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
