// Variables that are stored for the account itself, where each of its programs can set them, also one that is not elevated. What
// a session, a script, a launcher or the machine sets is stored there no more than a flag.
import {systemRoot} from '../machine/system-program.js'
import {type Win32, Win32Error} from '../machine/win32.js'
import {MACHINE_ENVIRONMENT} from './environment.js'

type Calls = Pick<Win32, 'accountSid' | 'isAdministrator' | 'registryKeys' | 'registryValue'>
type Environment = Readonly<Record<string, string | undefined>>

/** SYSTEM and the two accounts of services: no program of a user runs as one of them. */
const OF_SERVICES = /^S-1-5-(?:18|19|20)$/

/**
 * Those of `names` that an elevated process may have from its account: Windows makes the environment of a process that is elevated
 * from what is stored for the machine and, over it, for the account (userenv.h, CreateEnvironmentBlock). The values are not
 * compared with those of the account: it may have changed them since.
 */
export async function variablesOfAccount(
  win32: Calls,
  environment: Environment,
  names: readonly string[],
): Promise<string[]> {
  if (names.length === 0 || !(await win32.isAdministrator())) return []
  const sid = await win32.accountSid()
  if (OF_SERVICES.test(sid)) return []
  const found: string[] = []
  for (const name of names) {
    if (!(await isStored(win32, sid, name))) continue
    if ((await machineValue(win32, name)) !== environment[name]) found.push(name)
  }
  return found
}

/** In one of the keys that Windows reads: of a session there is one below the volatile key. */
async function isStored(win32: Calls, sid: string, name: string): Promise<boolean> {
  const volatile = String.raw`${sid}\Volatile Environment`
  try {
    const sessions = (await win32.registryKeys('HKU', volatile)).map((session) => `${volatile}\\${session}`)
    for (const key of [String.raw`${sid}\Environment`, volatile, ...sessions]) {
      if ((await win32.registryValue('HKU', key, name)) !== undefined) return true
    }
    return false
  } catch (error) {
    if (!(error instanceof Win32Error)) throw error
    // The keys are the account's own: it can deny access to them.
    return true
  }
}

/** As a process gets it. Windows expands it before it reads anything of the account. */
async function machineValue(win32: Calls, name: string): Promise<string | undefined> {
  const ofMachine = async (variable: string): Promise<string | undefined> => {
    const value = await win32.registryValue('HKLM', MACHINE_ENVIRONMENT, variable)
    return value?.type === 'REG_SZ' ? value.data : undefined
  }
  const stored = await win32.registryValue('HKLM', MACHINE_ENVIRONMENT, name)
  if (stored?.type !== 'REG_EXPAND_SZ') return stored === undefined ? undefined : String(stored.data)
  const root = await systemRoot(win32)
  const ofWindows = new Map([
    ['systemdrive', root.slice(0, 2)],
    ['systemroot', root],
  ])
  return expanded(stored.data, async (variable) => ofWindows.get(variable.toLowerCase()) ?? ofMachine(variable))
}

/** As ExpandEnvironmentStringsW: what is not known stays, and the percent sign at its end may begin the next one. */
async function expanded(text: string, valueOf: (name: string) => Promise<string | undefined>): Promise<string> {
  const [before = '', ...parts] = text.split('%')
  let result = before
  while (parts.length > 1) {
    const name = parts.shift()!
    const value = await valueOf(name)
    result += value === undefined ? `%${name}` : `${value}${parts.shift()!}`
  }
  return parts.length === 0 ? result : `${result}%${parts[0]!}`
}
