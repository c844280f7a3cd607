// Judging security descriptors: who besides SYSTEM and Administrators can do what.
import {type AccessEntry, EVERY_RIGHT, parseSddl} from '../../machine/sddl.js'

const FULL_ACCESS = 0x1f_01_ff
/** FILE_GENERIC_READ and FILE_GENERIC_EXECUTE. */
const READ = 0x12_00_a9
const GENERIC_ALL = 0x1000_0000
const GENERIC_WRITE = 0x4000_0000
const DELETE = 0x1_00_00
const DELETE_CHILD = 0x40
const WRITE_DAC = 0x4_00_00
const WRITE_OWNER = 0x8_00_00
/** Of a file: write, append. Of a folder: add files, add folders. */
const WRITE_OR_ADD = 0x6
/** To make it another one than it was, or to put something into it. */
export const TO_WRITE = WRITE_OR_ADD | DELETE | DELETE_CHILD | WRITE_DAC | WRITE_OWNER | GENERIC_WRITE | GENERIC_ALL
/** Of a file: read its content. */
export const TO_READ = 0x1 | 0x8000_0000 | GENERIC_ALL
/** To put another thing in the place of what is in a folder, or of the folder itself. Adding to it is not enough. */
export const TO_REPLACE = DELETE | DELETE_CHILD | WRITE_DAC | WRITE_OWNER | GENERIC_ALL
/**
 * What a handle to a folder still allows when the access list has changed since: to open it again, to take it over, to move
 * it away. Whether something may be added is asked of the list each time (learn.microsoft.com, "Access Rights and Access
 * Masks": rights of a handle are those granted when it was opened). Not TO_LINK: Windows lets users add to what an administrator
 * makes below a drive's root, and such a folder is safe to close once something is in it.
 */
export const TO_HOLD = DELETE | WRITE_DAC | WRITE_OWNER | GENERIC_ALL
/**
 * With such a handle an empty folder is turned into a junction, whatever its access list says by then (MS-FSA, 2.1.5.10.37,
 * FSCTL_SET_REPARSE_POINT: FILE_WRITE_DATA, which is to add a file, or FILE_WRITE_ATTRIBUTES; a folder must be empty).
 */
export const TO_LINK = 0x2 | 0x1_00 | GENERIC_WRITE | GENERIC_ALL

const TRUSTED = new Set(['BA', 'SY'])
/** Owner of what Windows installs, and administrators by another name: of the machine, the domain, the forest. */
const PRIVILEGED =
  /^(?:BA|SY|LA|DA|EA|S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464|S-1-5-21-[\d-]+-(?:500|512|519))$/
/** Grant nothing until they are inherited; as "owner rights" for the owner, who is judged beside the list. */
const PLACEHOLDERS = new Set(['CO', 'OW', 'S-1-3-0', 'S-1-3-4'])
const UNKNOWN = 'an unknown account'

/** Owned by SYSTEM or Administrators, inheriting nothing, allowing no other account anything. */
export function isAdministratorsOnly(sddl: string): boolean {
  const descriptor = parseSddl(sddl)
  if (!descriptor?.isProtected || !TRUSTED.has(descriptor.owner)) return false
  const {entries = []} = descriptor
  return entries.some(({allows}) => allows) && entries.every(({allows, trustee}) => !allows || TRUSTED.has(trustee))
}

/** That, and the administrators can do everything there, which a folder hands down. */
export function isAdministratorsFolder(sddl: string): boolean {
  const entries = parseSddl(sddl)?.entries ?? []
  return isAdministratorsOnly(sddl) && entries.every(({allows}) => allows) && handsDown(entries, 'BA', FULL_ACCESS)
}

const handsDown = (entries: readonly AccessEntry[], account: string, rights: number): boolean =>
  entries.some(
    ({allows, flags, mask, trustee}) =>
      allows && trustee === account && (mask & rights) === rights && ['OI', 'CI'].every((one) => flags.includes(one)),
  )

/** Administrators' alone, except for what it hands down: to Users reading. */
export function isPodsFolder(sddl: string): boolean {
  const {entries = [], isProtected, owner = ''} = parseSddl(sddl) ?? {}
  const isClosed = isProtected === true && TRUSTED.has(owner) && othersWho(sddl, EVERY_RIGHT).length === 0
  const isHandedDown = handsDown(entries, 'BA', FULL_ACCESS) && handsDown(entries, 'BU', READ)
  return isClosed && isHandedDown && entries.every(({allows}) => allows)
}

/**
 * An owner or entries of its own that let others in: it would not become safe with the folder it is in. Entries marked as
 * inherited come from the folder only where the list is not protected: Windows renews no others.
 */
export function hasForeignPart(sddl: string): boolean {
  const descriptor = parseSddl(sddl)
  if (!descriptor?.entries || !TRUSTED.has(descriptor.owner)) return true
  const isRenewed = ({flags}: AccessEntry): boolean => !descriptor.isProtected && flags.includes('ID')
  return descriptor.entries.some((entry) => entry.allows && !isRenewed(entry) && !TRUSTED.has(entry.trustee))
}

/** Entries that let others in, wherever they come from. */
export function letsOthersIn(sddl: string): boolean {
  const descriptor = parseSddl(sddl)
  return !descriptor?.entries || descriptor.entries.some(({allows, trustee}) => allows && !TRUSTED.has(trustee))
}

/** Accounts that are no administrators, nor among `trusted`, and have one of these rights; an owner can give himself any. */
export function othersWho(sddl: string, rights: number, trusted: readonly string[] = []): string[] {
  const descriptor = parseSddl(sddl)
  if (!descriptor) return [UNKNOWN]
  const {entries = EVERYBODY, owner} = descriptor
  const isTrusted = (account: string): boolean => PRIVILEGED.test(account) || trusted.includes(account)
  const owners = isTrusted(owner) ? [] : [owner || UNKNOWN]
  const able = entries.filter(
    ({allows, flags, mask, trustee}) =>
      allows && !flags.includes('IO') && (mask & rights) !== 0 && !isTrusted(trustee) && !PLACEHOLDERS.has(trustee),
  )
  return [...new Set([...owners, ...able.map(({trustee}) => trustee)])]
}

/** What no list at all amounts to. */
const EVERYBODY: readonly AccessEntry[] = [{allows: true, flags: [], mask: EVERY_RIGHT, text: '', trustee: 'WD'}]

const NAMES: Readonly<Record<string, string>> = {
  AU: 'Authenticated Users',
  BU: 'Users',
  IU: 'INTERACTIVE',
  'S-1-1-0': 'Everyone',
  'S-1-5-11': 'Authenticated Users',
  'S-1-5-32-545': 'Users',
  WD: 'Everyone',
}

/** For messages: names where they are the same everywhere, SIDs otherwise. */
export function accountNames(trustees: readonly string[]): string {
  return [...new Set(trustees.map((trustee) => NAMES[trustee] ?? trustee))].join(', ')
}
