// Security descriptors of files and folders as SDDL: owner, own and inherited entries.
// Sources: learn.microsoft.com/windows/win32/secauthz "ACE Inheritance Rules", "Automatic Propagation of Inheritable
// ACEs", "How AccessCheck Works", and "GetNamedSecurityInfoW" (READ_CONTROL, which an owner always has).
import {win32} from 'node:path'

import {remembered} from '../../machine/remembered.js'
import {type AccessEntry, type Descriptor, parseSddl} from '../../machine/sddl.js'
import {Win32Error} from '../../machine/win32.js'
import type {Stage} from '../model.js'

/** The descriptor of a folder at the root of a Windows Server's C: drive. */
const ROOT_SDDL =
  'O:BAD:(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;BU)(A;CI;LC;;;BU)(A;CI;DC;;;BU)(A;OICIIO;GA;;;CO)'
/** Files of the machine that the simulator runs on, such as admin.kubeconfig: the users of the simulated host have none of it. */
const OF_ADMINISTRATORS = 'O:BAD:P(A;;FA;;;SY)(A;;FA;;;BA)'
const isOnDrive = (path: string): boolean => /^(?:[\\/]{2}[?.][\\/])?[a-z]:/i.test(path)
const ERROR_FILE_NOT_FOUND = 2
const ERROR_PATH_NOT_FOUND = 3
const ERROR_ACCESS_DENIED = 5
const ERROR_INVALID_SECURITY_DESCRIPTOR = 1338
const READ_CONTROL = 0x2_00_00
const GENERIC = 0xf000_0000
/** Groups of an administrator. */
const ADMINISTRATOR_IS = new Set(['AU', 'BA', 'BU', 'IU', 'S-1-1-0', 'S-1-5-11', 'S-1-5-32-545', 'WD'])

export function demandAdministrator({os}: Stage['world'], call: string, subject: string): void {
  if (!os.administrator) throw new Win32Error(call, ERROR_ACCESS_DENIED, subject)
}

export async function securityOf(stage: Stage, path: string): Promise<string> {
  const status = await stage.files.status(path)
  if (!status) throw new Win32Error('GetNamedSecurityInfoW', await whyMissing(stage, path), path)
  const sddl = isOnDrive(path) ? effective(stage, path, status.kind === 'directory') : OF_ADMINISTRATORS
  if (!mayRead(parseSddl(sddl))) throw new Win32Error('GetNamedSecurityInfoW', ERROR_ACCESS_DENIED, path)
  return sddl
}

/** A folder above that does not exist has a code of its own (learn.microsoft.com, "System Error Codes (0-499)"). */
async function whyMissing({files}: Stage, path: string): Promise<number> {
  return (await files.status(win32.dirname(path))) ? ERROR_FILE_NOT_FOUND : ERROR_PATH_NOT_FOUND
}

/** An administrator can set any, also the owner: it has the privileges to take ownership and to restore. */
export async function setSecurity(stage: Stage, path: string, sddl: string): Promise<void> {
  if (!(await stage.files.status(path)))
    throw new Win32Error('SetNamedSecurityInfoW', await whyMissing(stage, path), path)
  if (!/^(O:[A-Z0-9-]+)?(G:[A-Z0-9-]+)?D:[A-Z]*(\([^()]*\))*$/.test(sddl)) {
    throw new Win32Error(
      'ConvertStringSecurityDescriptorToSecurityDescriptorW',
      ERROR_INVALID_SECURITY_DESCRIPTOR,
      path,
    )
  }

  const owner = /^O:[A-Z0-9-]+?(?=[GD]:)/.exec(sddl)?.[0] ?? 'O:BA'
  const list = sddl.slice(sddl.indexOf('D:'))
  const {entries = [], isProtected} = parseSddl(list) ?? {isProtected: false}
  const key = win32.normalize(path).toLowerCase()
  // Inherited entries are never stored: Windows inherits them again.
  const isInherited = owner === 'O:BA' && !isProtected && entries.every(({flags}) => flags.includes('ID'))
  if (isInherited) Reflect.deleteProperty(stage.world.security, key)
  else stage.world.security[key] = owner + list
}

/** What is stored for the path and, unless it is protected, what it inherits now. */
function effective(stage: Stage, path: string, directory: boolean): string {
  const given = win32.normalize(path)
  const own = entryFor(stage, given)
  const stored = own === undefined ? undefined : parseSddl(own)
  if (own !== undefined && (!stored || stored.isProtected || stored.entries === undefined)) return own
  const explicit = (stored?.entries ?? []).filter(({flags}) => !flags.includes('ID'))
  const parent = win32.dirname(given)
  const above = parent === given ? ROOT_SDDL : effectiveFolder(stage, parent)
  const inherited = directory ? inheritedByFolder(above) : inheritedByFile(above)
  const list = explicit.map(({text}) => `(${text})`).join('') + inherited
  return `O:${stored?.owner === undefined || stored.owner === '' ? 'BA' : stored.owner}D:AI${list}`
}

function effectiveFolder(stage: Stage, folder: string): string {
  const isRoot = win32.dirname(folder) === folder
  return isRoot ? (entryFor(stage, folder) ?? ROOT_SDDL) : effective(stage, folder, true)
}

const entryFor = (stage: Stage, path: string): string | undefined => stage.world.security[path.toLowerCase()]

const inheritedFrom = (sddl: string, directory: boolean): string =>
  (parseSddl(sddl)?.entries ?? []).flatMap((entry) => inherit(entry, directory).map((text) => `(${text})`)).join('')
const inheritedByFile = remembered((sddl) => inheritedFrom(sddl, false))
const inheritedByFolder = remembered((sddl) => inheritedFrom(sddl, true))

/** OI: files inherit the entry, CI: folders do, NP: only one level; IO: only children use it. */
function inherit({flags, text, trustee}: AccessEntry, directory: boolean): string[] {
  const [type = '', , ...rest] = text.split(';')
  const withFlags = (own: string): string => [type, own, ...rest].join(';')
  const [files, folders] = [flags.includes('OI'), flags.includes('CI')]
  if (!directory) return files ? [withFlags('ID')] : []
  if (flags.includes('NP')) return folders ? [withFlags('ID')] : []
  if (!files && !folders) return []
  const childrenOnly = !folders || trustee === 'CO'
  return [withFlags(`${files ? 'OI' : ''}${folders ? 'CI' : ''}${childrenOnly ? 'IO' : ''}ID`)]
}

/** The first entry for a right decides; an owner may always read. */
function mayRead(descriptor: Descriptor | undefined): boolean {
  if (!descriptor?.entries || descriptor.owner === 'BA') return true
  const wanted = READ_CONTROL | GENERIC
  return (
    descriptor.entries.find(
      ({flags, mask, trustee}) => !flags.includes('IO') && (mask & wanted) !== 0 && ADMINISTRATOR_IS.has(trustee),
    )?.allows ?? false
  )
}
