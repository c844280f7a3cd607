// Security descriptors of files and folders as SDDL, with what a file inherits from the folders above it.
import {win32} from 'node:path'

import {Win32Error} from '../../machine/win32.js'
import type {Stage} from '../model.js'

/** What a folder made at the root of a Windows Server's C: drive has, taken as the drive's own entry. */
const ROOT_SDDL =
  'O:BAD:(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;BU)(A;CI;LC;;;BU)(A;CI;DC;;;BU)(A;OICIIO;GA;;;CO)'
const ERROR_FILE_NOT_FOUND = 2
const ERROR_INVALID_SECURITY_DESCRIPTOR = 1338

interface Ace {
  readonly flags: string
  /** Type, rights and account: what is not the flags. */
  readonly rest: readonly [string, ...string[]]
}

export async function securityOf(stage: Stage, path: string): Promise<string> {
  const status = await stage.files.status(path)
  if (!status) throw new Win32Error('GetNamedSecurityInfoW', ERROR_FILE_NOT_FOUND, path)
  const own = entryFor(stage, path)
  if (own !== undefined) return own
  const inherited = aces(nearestEntry(stage, win32.dirname(win32.normalize(path)))).flatMap((ace) =>
    inherit(ace, status.kind === 'directory'),
  )
  return `O:BAD:AI${inherited.map(format).join('')}`
}

export async function setSecurity(stage: Stage, path: string, sddl: string): Promise<void> {
  if (!(await stage.files.status(path))) throw new Win32Error('SetNamedSecurityInfoW', ERROR_FILE_NOT_FOUND, path)
  if (!/^(O:[A-Z0-9-]+)?(G:[A-Z0-9-]+)?D:[A-Z]*(\([^()]*\))*$/.test(sddl)) {
    throw new Win32Error(
      'ConvertStringSecurityDescriptorToSecurityDescriptorW',
      ERROR_INVALID_SECURITY_DESCRIPTOR,
      path,
    )
  }

  const owner = /^O:[A-Z0-9-]+?(?=[GD]:)/.exec(sddl)?.[0] ?? 'O:BA'
  const list = sddl.slice(sddl.indexOf('D:'))
  const key = win32.normalize(path).toLowerCase()
  // Inherited entries are never stored: Windows takes them from the folder again.
  const isInherited =
    owner === 'O:BA' && !/^D:[A-Z]*P/.test(list) && aces(list).every(({flags}) => flags.includes('ID'))
  if (isInherited) Reflect.deleteProperty(stage.world.security, key)
  else stage.world.security[key] = owner + list
}

const entryFor = (stage: Stage, path: string): string | undefined =>
  stage.world.security[win32.normalize(path).toLowerCase()]

function nearestEntry(stage: Stage, folder: string): string {
  const own = entryFor(stage, folder)
  if (own !== undefined) return own
  const parent = win32.dirname(folder)
  return parent === folder ? ROOT_SDDL : nearestEntry(stage, parent)
}

function aces(sddl: string): Ace[] {
  return [...sddl.matchAll(/\(([^()]*)\)/g)].map(([, body = '']) => {
    const [type = '', flags = '', ...others] = body.split(';')
    return {flags, rest: [type, ...others]}
  })
}

/** OI: files inherit it, CI: folders do; what only children use (IO) is used there. */
function inherit(ace: Ace, directory: boolean): Ace[] {
  const [files, folders] = [ace.flags.includes('OI'), ace.flags.includes('CI')]
  if (!directory) return files ? [{...ace, flags: 'ID'}] : []
  if (!files && !folders) return []
  const creatorOnly = ace.rest.at(-1) === 'CO'
  return [{...ace, flags: `${files ? 'OI' : ''}${folders ? 'CI' : ''}${!folders || creatorOnly ? 'IO' : ''}ID`}]
}

function format({flags, rest: [type, ...others]}: Ace): string {
  return `(${[type, flags, ...others].join(';')})`
}
