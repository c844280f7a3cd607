// How the firewall keeps a rule that netsh adds: read if the rules of k8s-win exist, otherwise tried with one that is removed again.
import {FIREWALL_RULES} from '../../../../src/components/firewall.js'
import {openEventLog} from '../../../../src/host/event-log.js'
import {type FirewallRule, openFirewall} from '../../../../src/host/firewall.js'
import {profileOf} from '../../../../src/host/firewall-policy.js'
import type {Win32} from '../../../../src/machine/win32.js'
import {changing, compared, type Settler, type Verdict} from './settler.js'

const KEY = String.raw`SYSTEM\CurrentControlSet\Services\SharedAccess\Parameters\FirewallPolicy\FirewallRules`
const ASSUMED = 'v2.29 Action Active Dir Protocol LPort Name Desc'
/** The discard port of RFC 863, where nothing listens. */
const TRIAL: FirewallRule = {
  description: 'A trial of the k8s-win lab.',
  name: 'k8s-win lab trial',
  port: 9,
  protocol: 'TCP',
}

export const firewallRule: Settler = async (context) => {
  const {run, win32} = context.machine
  for (const {name} of FIREWALL_RULES) {
    const stored = await storedRule(win32, name)
    if (stored !== undefined) return judge(stored)
  }

  return changing(async () => {
    const firewall = openFirewall(run, win32)
    await firewall.ensure(TRIAL)
    try {
      const stored = await storedRule(win32, TRIAL.name)
      return stored === undefined ? compared(false, 'netsh ended with 0 and no rule is stored', ASSUMED) : judge(stored)
    } finally {
      await firewall.remove(TRIAL.name)
    }
  })(context)
}

async function storedRule(win32: Win32, name: string): Promise<string | undefined> {
  const values = Object.values(await win32.registryValues('HKLM', KEY))
  return values.map(({data}) => String(data)).find((data) => data.includes(`|Name=${name}|`))
}

function judge(stored: string): Verdict {
  const [version = '', ...fields] = stored.split('|').filter((part) => part !== '')
  const shape = [version, ...fields.map((field) => String(field.split('=')[0]))].join(' ')
  return compared(shape === ASSUMED, `${shape} (${stored})`, ASSUMED)
}

export const firewallProfileEvents: Settler = async ({machine: {win32}}) => {
  const events = openEventLog(win32)
  const adapters = (await win32.adapters()).filter(({gateways, up}) => up && gateways.length > 0)
  const told = await Promise.all(
    adapters.map(async ({name}) => ({name, profile: (await profileOf(events, name)) ?? 'not told'})),
  )
  const seen = told.map(({name, profile}) => `${name}: ${profile}`).join(', ') || 'no adapter with a gateway'
  return compared(
    told.length > 0 && told.every(({profile}) => profile !== 'not told'),
    seen,
    'a profile for each adapter',
  )
}
