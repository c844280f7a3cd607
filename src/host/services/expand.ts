// %NAME% in a registry value of the type REG_EXPAND_SZ, as a service sees it: with what Windows itself sets, and the
// variables of the machine. Those of whoever runs k8s-win do not count.
import {systemRoot} from '../../machine/system-program.js'
import type {RegistryValue, Win32} from '../../machine/win32.js'

const ENVIRONMENT = String.raw`SYSTEM\CurrentControlSet\Control\Session Manager\Environment`
const VARIABLE = /%([^%]+)%/g

/** '' for what is not text. A variable that is not known stays as it is written, as in Windows. */
export async function expanded(win32: Pick<Win32, 'registryValue'>, value: RegistryValue | undefined): Promise<string> {
  if (typeof value?.data !== 'string') return ''
  const names = value.type === 'REG_EXPAND_SZ' ? [...value.data.matchAll(VARIABLE)].map(([, name = '']) => name) : []
  if (names.length === 0) return value.data
  const root = await systemRoot(win32)
  const drive = root.slice(0, 2)
  const known = new Map([
    ['programdata', `${drive}\\ProgramData`],
    ['programfiles', `${drive}\\Program Files`],
    ['programw6432', `${drive}\\Program Files`],
    ['systemdrive', drive],
    ['systemroot', root],
    ['windir', root],
  ])
  const fill = (text: string): string =>
    text.replace(VARIABLE, (all, name: string) => known.get(name.toLowerCase()) ?? all)
  for (const name of names.filter((one) => !known.has(one.toLowerCase()))) {
    const stored = await win32.registryValue('HKLM', ENVIRONMENT, name)
    if (typeof stored?.data === 'string') known.set(name.toLowerCase(), fill(stored.data))
  }

  return fill(value.data)
}
