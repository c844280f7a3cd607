// Variables that are stored for the account itself, where each of its programs can set them, also one that is not elevated. What
// a session, a script, a launcher or the machine sets is stored there no more than a flag.
import {type RegistryRoot, type RegistryValue, type Win32} from '../machine/win32.js'
import {MACHINE_ENVIRONMENT} from './environment.js'

type Calls = Pick<Win32, 'accountSid' | 'isAdministrator' | 'registryValue'>
type Environment = Readonly<Record<string, string | undefined>>

/** SYSTEM and the two accounts of services: no program of a user runs as one of them. */
const OF_SERVICES = /^S-1-5-(?:18|19|20)$/

/**
 * Those of `names` that an elevated process has got from its account: Windows makes the environment of a process that is elevated
 * from what is stored for the machine and, over it, for the account (userenv.h, CreateEnvironmentBlock).
 */
export async function variablesOfAccount(
  win32: Calls,
  environment: Environment,
  names: readonly string[],
): Promise<string[]> {
  if (names.length === 0 || !(await win32.isAdministrator())) return []
  const sid = await win32.accountSid()
  if (OF_SERVICES.test(sid)) return []
  const isStored = async (root: RegistryRoot, key: string, name: string): Promise<boolean> => {
    const value = await win32.registryValue(root, key, name)
    return value !== undefined && expanded(value, environment) === environment[name]
  }
  const found: string[] = []
  for (const name of names) {
    const isOfAccount = await isStored('HKU', String.raw`${sid}\Environment`, name)
    if (isOfAccount && !(await isStored('HKLM', MACHINE_ENVIRONMENT, name))) found.push(name)
  }
  return found
}

/** As Windows does it: a name that is not known stays. */
const expanded = ({data, type}: RegistryValue, environment: Environment): string => {
  const known = new Map(Object.entries(environment).map(([name, value]) => [name.toLowerCase(), value]))
  if (type !== 'REG_EXPAND_SZ') return String(data)
  return data.replaceAll(/%([^%]+)%/g, (whole, name: string) => known.get(name.toLowerCase()) ?? whole)
}
