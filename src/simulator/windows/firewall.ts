// Firewall rules by name, and the registry strings that the firewall service reads.
import type {RegistryValue} from '../../machine/win32.js'
import type {FirewallRule, World} from '../world.js'
import {guidOf, sameName} from './names.js'

export const FIREWALL_RULES_KEY = String.raw`HKLM\SYSTEM\CurrentControlSet\Services\SharedAccess\Parameters\FirewallPolicy\FirewallRules`
const PROTOCOL_NUMBERS = {TCP: 6, UDP: 17} as const

/** Windows lets several rules have one name. */
export function addFirewallRule(world: World, rule: FirewallRule): void {
  const known = Object.keys(world.firewall).find((name) => sameName(name, rule.name)) ?? rule.name
  world.firewall[known] = [...(world.firewall[known] ?? []), rule]
}

/** Returns how many were removed. */
export function removeFirewallRules(world: World, matches: (rule: FirewallRule) => boolean): number {
  let removed = 0
  for (const [name, rules] of Object.entries(world.firewall)) {
    const rest = rules.filter((rule) => !matches(rule))
    removed += rules.length - rest.length
    if (rest.length === 0) Reflect.deleteProperty(world.firewall, name)
    else world.firewall[name] = rest
  }

  return removed
}

export function firewallRegistryValues(world: World): Record<string, RegistryValue> {
  const values: Record<string, RegistryValue> = {}
  for (const [name, rules] of Object.entries(world.firewall)) {
    for (const [index, rule] of rules.entries()) {
      values[`{${guidOf(`firewall ${name} ${index}`)}}`] = {data: rule.stored ?? registryString(rule), type: 'REG_SZ'}
    }
  }

  return values
}

function registryString(rule: FirewallRule): string {
  const fields = [
    'v2.29',
    `Action=${rule.action === 'allow' ? 'Allow' : 'Block'}`,
    `Active=${rule.enabled ? 'TRUE' : 'FALSE'}`,
    `Dir=${rule.direction === 'in' ? 'In' : 'Out'}`,
    ...(rule.protocol === 'any' ? [] : [`Protocol=${PROTOCOL_NUMBERS[rule.protocol]}`]),
    ...profileFields(rule.profiles),
    ...portFields(rule.localPort),
    `Name=${rule.name}`,
    ...(rule.description ? [`Desc=${rule.description}`] : []),
  ]
  return `${fields.join('|')}|`
}

/** A rule for all profiles names none. */
function profileFields(profiles: string): string[] {
  if (profiles.toLowerCase() === 'any') return []
  return profiles.split(',').map((one) => `Profile=${one.charAt(0).toUpperCase()}${one.slice(1).toLowerCase()}`)
}

function portFields(ports: string): string[] {
  if (ports === '' || ports.toLowerCase() === 'any') return []
  return ports.split(',').map((port) => (port.includes('-') ? `LPort2_10=${port}` : `LPort=${port}`))
}
