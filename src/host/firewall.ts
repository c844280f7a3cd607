// Firewall rules: read from the registry (netsh answers in the system's language), changed with netsh.
import type {Run} from '../machine/run.js'
import type {Win32} from '../machine/win32.js'
import {type FirewallPolicy, type LocalPort, readFirewallPolicy, ruleFields} from './firewall-policy.js'
import {runNetsh} from './netsh.js'

export interface FirewallRule extends LocalPort {
  readonly description: string
  readonly name: string
}

export interface Firewall {
  /** Every rule of that name, as stored. */
  find(name: string): Promise<StoredRule[]>
  ensure(rule: FirewallRule): Promise<void>
  policy(): Promise<FirewallPolicy>
  /** All rules of that name: netsh deletes by name. */
  remove(name: string): Promise<void>
}

export interface StoredRule extends Omit<FirewallRule, 'protocol'> {
  readonly action: string
  readonly direction: string
  readonly enabled: boolean
  readonly protocol: FirewallRule['protocol'] | 'other'
  /** It was narrowed: to profiles, programs, services, addresses or adapters, or widened it by further ports. */
  readonly reshaped: boolean
}

const RULES_KEY = String.raw`SYSTEM\CurrentControlSet\Services\SharedAccess\Parameters\FirewallPolicy\FirewallRules`

export function openFirewall(run: Run, win32: Win32): Firewall {
  const find = async (name: string): Promise<StoredRule[]> =>
    Object.values(await win32.registryValues('HKLM', RULES_KEY))
      .flatMap((value) => (value.type === 'REG_SZ' ? [parseRule(value.data)] : []))
      .filter((rule) => rule.name === name)

  const netsh = (args: readonly string[]): Promise<void> => runNetsh({run, win32}, args)

  const remove = async (name: string): Promise<void> => {
    if ((await find(name)).length > 0) await netsh(['advfirewall', 'firewall', 'delete', 'rule', `name=${name}`])
  }

  return {
    async ensure(rule) {
      const stored = await find(rule.name)
      if (stored.length === 1 && matches(stored[0], rule)) return
      await remove(rule.name)
      await netsh([
        'advfirewall',
        'firewall',
        'add',
        'rule',
        `name=${rule.name}`,
        'dir=in',
        'action=allow',
        `protocol=${rule.protocol}`,
        `localport=${rule.port}`,
        'profile=any',
        'enable=yes',
        `description=${rule.description}`,
      ])
    },
    find,
    policy: () => readFirewallPolicy(win32),
    remove,
  }
}

export function matches(stored: StoredRule | undefined, rule: FirewallRule): boolean {
  return (
    stored !== undefined &&
    stored.enabled &&
    !stored.reshaped &&
    stored.action === 'Allow' &&
    stored.direction === 'In' &&
    stored.port === rule.port &&
    stored.protocol === rule.protocol &&
    stored.description === rule.description
  )
}

/** MS-GPFAS 2.2.2.19; also who may use it: Security=Authenticate allows only IPsec. */
const RESHAPING =
  /^(?:App|AppPkgId|IF|IFType|LA[46]|LPort2_10|LUAuth|LUOwn|Platform2?|Profile|RA[46](?:_\w+)?|RMAuth|RPort(?:2_10)?|RUAuth|Security(?:2(?:_9)?)?|Svc)=/i

const PROTOCOLS: Readonly<Record<string, FirewallRule['protocol']>> = {6: 'TCP', 17: 'UDP'}

/** `v2.29|Action=Allow|Active=TRUE|Dir=In|Protocol=6|LPort=10250|Name=…|Desc=…|`; other builds have other versions. */
export function parseRule(data: string): StoredRule {
  const {all, field, hasAny} = ruleFields(data)
  return {
    action: field('action'),
    description: field('desc'),
    direction: field('dir'),
    enabled: field('active') === 'TRUE',
    name: field('name'),
    port: Number(field('lport')),
    protocol: PROTOCOLS[field('protocol')] ?? 'other',
    reshaped: hasAny(RESHAPING) || all('lport').length > 1,
  }
}
