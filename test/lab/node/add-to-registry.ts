// Values of the registry that must be there before Windows is started. Wine's service manager reads the variables of
// the machine once, when it starts its first service, and never those of a service's own key (programs/services/services.c).
import type {LabMachine} from '../lab.js'

/** Strings by name, by key, by hive. */
type Values = Readonly<Record<keyof typeof FILES, Readonly<Record<string, Readonly<Record<string, string>>>>>>

const FILES = {HKCU: 'user.reg', HKLM: 'system.reg'} as const

/** Ends every Windows process of the machine. */
export async function addToRegistry(machine: LabMachine, values: Values): Promise<void> {
  // Wine's server writes its files when it ends. The new server stays, and would keep what it writes to open.
  const script = `cd /lab/prefix; wineserver -k; wineserver -w
    printf "%s" "$0" >>${FILES.HKCU}; printf "%s" "$1" >>${FILES.HKLM}; wineserver -p >/dev/null 2>&1`
  const {code, stderr} = await machine.linux(['sh', '-c', script, sections(values.HKCU), sections(values.HKLM)])
  if (code !== 0) throw new Error(`The registry was not changed: ${stderr}`)
}

function sections(keys: Values[keyof Values]): string {
  const quoted = (text: string): string => `"${text.replaceAll('\\', '\\\\')}"`
  return Object.entries(keys)
    .map(([key, strings]) => {
      const lines = Object.entries(strings).map(([name, value]) => `${quoted(name)}=${quoted(value)}\n`)
      return `\n[${key.replaceAll('\\', '\\\\')}]\n${lines.join('')}`
    })
    .join('')
}
