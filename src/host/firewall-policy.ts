// What group policy lays down for the firewall: profiles in which rules of this host do not count, and rules of its own.
import {win32 as windowsPath} from 'node:path'
import {type Win32, Win32Error} from '../machine/win32.js'
import type {EventLog} from './event-log.js'
import type {PortRange} from './port-ranges.js'

export interface LocalPort {
  readonly port: number
  readonly protocol: 'TCP' | 'UDP'
}

export type FirewallProfile = 'Domain' | 'Private' | 'Public'

export const FIREWALL_PROFILES: readonly FirewallProfile[] = ['Domain', 'Private', 'Public']

/** A rule of the policy, as far as it decides which ports are open. */
export interface PolicyRule {
  readonly action: string
  readonly direction: string
  readonly enabled: boolean
  /** Only for one program or service, for certain senders or with IPsec: it opens nothing to the node's daemons. */
  readonly limited: boolean
  readonly name: string
  readonly ports: readonly PortRange[]
  readonly profiles: readonly FirewallProfile[]
  /** By its number. */
  readonly protocol: number | 'any'
}

export interface FirewallPolicy {
  readonly ignoring: readonly FirewallProfile[]
  readonly rules: readonly PolicyRule[]
}

/** Where group policy writes (MS-GPFAS 2.2.2). */
const KEY = String.raw`SOFTWARE\Policies\Microsoft\WindowsFirewall`
/** StandardProfile is what Windows XP had for every network that is not the domain's. */
const KEYS: Readonly<Record<string, readonly FirewallProfile[]>> = {
  DomainProfile: ['Domain'],
  PrivateProfile: ['Private'],
  PublicProfile: ['Public'],
  StandardProfile: ['Private', 'Public'],
}
/** What this host itself has; a policy that does not say whether the firewall is on leaves that to it. */
const LOCAL_KEY = String.raw`SYSTEM\CurrentControlSet\Services\SharedAccess\Parameters\FirewallPolicy`
const LOCAL_KEYS: Readonly<Record<FirewallProfile, string>> = {
  Domain: 'DomainProfile',
  Private: 'StandardProfile',
  Public: 'PublicProfile',
}
const ALL_PORTS: readonly PortRange[] = [{from: 0, to: 65_535}]
const NUMBERS: Readonly<Record<LocalPort['protocol'], number>> = {TCP: 6, UDP: 17}
/** "Any" is stored by leaving the field out; 256 stands for it in the API (MS-FASP 2.2.37). */
const ANY_PROTOCOL = 256
const LIMITS = /^(?:AppPkgId|IF|IFType|LUAuth|LUOwn|RMAuth|RPort(?:2_10)?|RUAuth|Security(?:2(?:_9)?)?|Svc)=/i
/** The kubelet answers for itself; packets of the overlay are the kernel's. */
const OUR_PROGRAMS = new Set(['kubelet.exe', 'system'])

export async function readFirewallPolicy(win32: Pick<Win32, 'registryValues'>): Promise<FirewallPolicy> {
  const [ignoring, closed] = [new Set<FirewallProfile>(), new Set<FirewallProfile>()]
  for (const [key, profiles] of Object.entries(KEYS)) {
    const policy = await win32.registryValues('HKLM', `${KEY}\\${key}`)
    // "Block all incoming connections" (learn.microsoft.com, "Do not allow exceptions"): rules of the policy open nothing either.
    const isClosed = policy['DoNotAllowExceptions']?.data === 1
    if (!isClosed && policy['AllowLocalPolicyMerge']?.data !== 0) continue
    for (const profile of profiles) {
      const local = await win32.registryValues('HKLM', `${LOCAL_KEY}\\${LOCAL_KEYS[profile]}`)
      const {data: enabled} = policy['EnableFirewall'] ?? local['EnableFirewall'] ?? {}
      // A profile whose firewall is off ignores nothing.
      if (enabled === 0) continue
      ignoring.add(profile)
      if (isClosed) closed.add(profile)
    }
  }
  const values = Object.values(await win32.registryValues('HKLM', `${KEY}\\FirewallRules`))
  const rules = values.flatMap((value) => (value.type === 'REG_SZ' ? [parsePolicyRule(value.data)] : []))
  return {
    ignoring: FIREWALL_PROFILES.filter((profile) => ignoring.has(profile)),
    rules: rules.map((rule) => ({...rule, profiles: rule.profiles.filter((profile) => !closed.has(profile))})),
  }
}

interface RuleFields {
  /** Values of all fields with one of these names. */
  all(...names: readonly string[]): string[]
  field(name: string): string
  /** Whether a field, as `Name=value`, matches. */
  hasAny(pattern: RegExp): boolean
}

/** The fields of a rule, in the form that the registry has for policies and for this host; their names ignore case. */
export function ruleFields(data: string): RuleFields {
  const parts = data.split('|')
  const fields = parts.map((part) => {
    const at = part.indexOf('=')
    return [part.slice(0, Math.max(at, 0)).toLowerCase(), part.slice(at + 1)] as const
  })
  const all = (...names: readonly string[]): string[] =>
    fields.filter(([name]) => names.includes(name)).map(([, value]) => value)
  return {all, field: (name) => all(name)[0] ?? '', hasAny: (pattern) => parts.some((part) => pattern.test(part))}
}

/** MS-GPFAS 2.2.2.19: `v2.29|Action=Allow|Active=TRUE|Dir=In|Profile=Domain|Protocol=6|LPort=10250|LPort2_10=10000-10300|…`. */
export function parsePolicyRule(data: string): PolicyRule {
  const {all, field, hasAny} = ruleFields(data)
  const ports = all('lport', 'lport2_10')
  const profiles = all('profile')
  const protocol = Number(field('protocol') || ANY_PROTOCOL)
  const [program] = all('app')
  const isForOthers = program !== undefined && !OUR_PROGRAMS.has(windowsPath.basename(program).toLowerCase())
  return {
    action: field('action'),
    direction: field('dir'),
    enabled: field('active').toUpperCase() === 'TRUE',
    limited: isForOthers || hasAny(LIMITS),
    name: field('name'),
    // Words in place of numbers (RPC, Teredo, …) are ports of other programs.
    ports: ports.length === 0 ? ALL_PORTS : ports.flatMap(portRange),
    profiles: profiles.length === 0 ? FIREWALL_PROFILES : FIREWALL_PROFILES.filter((one) => profiles.includes(one)),
    protocol: protocol === ANY_PROTOCOL ? 'any' : protocol,
  }
}

function portRange(text: string): PortRange[] {
  const [, from, to = from] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? []
  return from === undefined ? [] : [{from: Number(from), to: Number(to)}]
}

/** Is it about this port? */
export function covers({ports, protocol}: PolicyRule, wanted: LocalPort): boolean {
  return (
    (protocol === 'any' || protocol === NUMBERS[wanted.protocol]) &&
    ports.some(({from, to}) => from <= wanted.port && wanted.port <= to)
  )
}

/** Does the policy itself allow all required ports? A rule that blocks wins over those that allow. */
export function isOpen(rules: readonly PolicyRule[], profile: FirewallProfile, wanted: LocalPort): boolean {
  const about = rules.filter(
    (rule) =>
      rule.enabled &&
      !rule.limited &&
      rule.direction === 'In' &&
      rule.profiles.includes(profile) &&
      covers(rule, wanted),
  )
  return about.some(({action}) => action === 'Allow') && !about.some(({action}) => action === 'Block')
}

const CHANNEL = 'Microsoft-Windows-Windows Firewall With Advanced Security/Firewall'
/** WFInterfaceProfileChangedEvent: adapter's GUID, its name, the old and the new profile (learn.microsoft.com, dd364382). */
const PROFILE_CHANGED = 2010
const MOST_EVENTS = 200
/** FW_PROFILE_TYPE (MS-FASP 2.2.2). */
const PROFILE_NUMBERS: Readonly<Record<string, FirewallProfile>> = {1: 'Domain', 2: 'Private', 4: 'Public'}

/**
 * The profile that the firewall last gave an adapter; undefined where its log does not say. Other sources name networks,
 * not adapters (NetworkList in the registry), or need COM (INetFwPolicy2, the Network List Manager).
 */
export async function profileOf(events: EventLog, adapter: string): Promise<FirewallProfile | undefined> {
  try {
    const changes = await events.newest(CHANNEL, MOST_EVENTS, {ids: [PROFILE_CHANGED], levels: []})
    const texts = changes.map(({data}) => data.map((text) => text.replace(/^\w+: /, '')))
    const last = texts.find(([, name]) => name?.toLowerCase() === adapter.toLowerCase())
    return PROFILE_NUMBERS[last?.[3] ?? '']
  } catch (error) {
    if (error instanceof Win32Error) return undefined
    throw error
  }
}
