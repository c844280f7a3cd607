// Group policies over the firewall: which profile counts, and which of their rules open a port.
import {describe, expect, it} from 'vitest'
import {openEventLog} from '../../src/host/event-log.js'
import {isOpen, parsePolicyRule, profileOf, readFirewallPolicy} from '../../src/host/firewall-policy.js'
import {type RegistryValue, Win32Error} from '../../src/machine/win32.js'
import {checksOn} from '../preflight/checks-rig.js'
import {dword, POLICY, registry, text} from '../hosts/sick-host.js'

const KUBELET = {port: 10_250, protocol: 'TCP'} as const
const ALLOW = 'v2.29|Action=Allow|Active=TRUE|Dir=In|Name=x|'

describe('review N4: a rule of the policy', () => {
  it.each([
    ['one port', 'Protocol=6|LPort=10250'],
    ['several ports', 'Protocol=6|LPort=443|LPort=10250'],
    ['a range of ports', 'Protocol=6|LPort2_10=10000-10300'],
    ['a port and a range', 'Protocol=6|LPort=443|LPort2_10=10000-10300'],
    ['any port', 'Protocol=6'],
    ['any protocol', 'Protocol=256'],
    ['any protocol, left out', 'Profile=Public'],
    ['the kubelet', String.raw`Protocol=6|LPort=10250|App=C:\k\kubernetes\node\bin\kubelet.exe`],
    ['certain senders', 'Protocol=6|LPort=10250|RA4=10.0.0.0/255.0.0.0'],
    ['several profiles', 'Profile=Domain|Profile=Public|Protocol=6|LPort=10250'],
  ])('for %s opens the kubelet', (_, fields) => {
    expect(isOpen([parsePolicyRule(`${ALLOW}${fields}|`)], 'Public', KUBELET)).toBe(true)
  })

  it.each([
    ['another port', 'Protocol=6|LPort=10251'],
    ['another range', 'Protocol=6|LPort2_10=10251-10300'],
    ['another protocol', 'Protocol=17|LPort=10250'],
    ['ports of others, by a word', 'Protocol=6|LPort=RPC'],
    ['another profile', 'Profile=Domain|Protocol=6|LPort=10250'],
    ['another program', String.raw`Protocol=256|App=%ProgramFiles%\agent\agent.exe`],
    ['a service', 'Protocol=256|Svc=termservice'],
    ['who speaks IPsec', 'Protocol=6|LPort=10250|Security=Authenticate'],
    ['nobody: it is off', 'Active=FALSE|Protocol=6|LPort=10250'],
  ])('for %s does not', (_, fields) => {
    const data = fields.startsWith('Active') ? `v2.29|Action=Allow|Dir=In|${fields}|` : `${ALLOW}${fields}|`
    expect(isOpen([parsePolicyRule(data)], 'Public', KUBELET)).toBe(false)
  })

  it('that blocks wins', () => {
    const rules = [`${ALLOW}Protocol=256|`, 'v2.29|Action=Block|Active=TRUE|Dir=In|Protocol=6|LPort2_10=10000-11000|']
    expect(isOpen(rules.map(parsePolicyRule), 'Public', KUBELET)).toBe(false)
    expect(isOpen(rules.map(parsePolicyRule), 'Public', {...KUBELET, port: 443})).toBe(true)
  })
})

it('review N4: profiles whose firewall is off, or that merge, ignore nothing; the old StandardProfile means two', async () => {
  const number = (data: number): RegistryValue => ({data, type: 'REG_DWORD'})
  const keys: Record<string, Record<string, RegistryValue>> = {
    DomainProfile: {AllowLocalPolicyMerge: number(0), EnableFirewall: number(0)},
    StandardProfile: {AllowLocalPolicyMerge: number(0), EnableFirewall: number(1)},
  }
  const registryValues = async (_: string, key: string) => keys[key.split('\\').at(-1) ?? ''] ?? {}
  expect((await readFirewallPolicy({registryValues})).ignoring).toEqual(['Private', 'Public'])
})

describe('a profile', () => {
  const number = (data: number): RegistryValue => ({data, type: 'REG_DWORD'})
  const read = (keys: Readonly<Record<string, Readonly<Record<string, RegistryValue>>>>) =>
    readFirewallPolicy({registryValues: async (_, key) => keys[key.split('\\').slice(-2).join('\\')] ?? {}})

  it('whose firewall is off on the host itself ignores nothing, unless the policy turns it on', async () => {
    const off = {
      'FirewallPolicy\\DomainProfile': {EnableFirewall: number(0)},
      'FirewallPolicy\\StandardProfile': {EnableFirewall: number(0)},
      'WindowsFirewall\\PrivateProfile': {AllowLocalPolicyMerge: number(0)},
      'WindowsFirewall\\PublicProfile': {AllowLocalPolicyMerge: number(0)},
    }
    const policy = {AllowLocalPolicyMerge: number(0), EnableFirewall: number(1)}
    expect((await read({...off, 'WindowsFirewall\\DomainProfile': policy})).ignoring).toEqual(['Domain', 'Public'])
  })

  it('that allows no exceptions is opened by no rule', async () => {
    const {ignoring, rules} = await read({
      'WindowsFirewall\\FirewallRules': {a: text(`${ALLOW}Protocol=256|`)},
      'WindowsFirewall\\PublicProfile': {AllowLocalPolicyMerge: number(1), DoNotAllowExceptions: number(1)},
    })
    expect(ignoring).toEqual(['Public'])
    expect([isOpen(rules, 'Public', KUBELET), isOpen(rules, 'Domain', KUBELET)]).toEqual([false, true])
  })

  it('that allows exceptions, as the policy says or because it says nothing, is as it was', async () => {
    const allowing = {'WindowsFirewall\\PublicProfile': {DoNotAllowExceptions: number(0)}}
    expect((await read(allowing)).ignoring).toEqual([])
  })
})

describe('the profile of an adapter', () => {
  const event = (name: string, profile: string): string =>
    `<Event><System><EventID>2010</EventID></System><EventData><Data Name='InterfaceGuid'>{1}</Data><Data Name='InterfaceName'>${name}</Data><Data Name='OldProfile'>0</Data><Data Name='NewProfile'>${profile}</Data></EventData></Event>`

  it('is the newest that the firewall gave it', async () => {
    const log = openEventLog({
      events: async () => [event('Other', '2'), event('ETHERNET0', '1'), event('Ethernet0', '4')],
    })
    expect([await profileOf(log, 'Ethernet0'), await profileOf(log, 'Storage')]).toEqual(['Domain', undefined])
  })

  it('is unknown where the log cannot be read', async () => {
    const log = openEventLog({events: () => Promise.reject(new Win32Error('EvtQuery', 15_007, ''))})
    expect(await profileOf(log, 'Ethernet0')).toBeUndefined()
  })
})

it('review N4: a policy for a profile that the adapter does not have keeps nothing out', async () => {
  const look = await checksOn({
    sicken(world) {
      registry(world, `${POLICY}\\DomainProfile`, {AllowLocalPolicyMerge: dword(0)})
      registry(world, `${POLICY}\\PrivateProfile`, {AllowLocalPolicyMerge: dword(0)})
    },
  })
  expect(look.check('firewall-policy')).toMatchObject({
    message: expect.stringContaining('Public') as string,
    result: 'pass',
  })
})

it('review N4: ranges in the policy of the adapter’s profile open the ports', async () => {
  const look = await checksOn({
    sicken(world) {
      registry(world, `${POLICY}\\PublicProfile`, {AllowLocalPolicyMerge: dword(0)})
      registry(world, `${POLICY}\\FirewallRules`, {a: text(`${ALLOW}LPort2_10=1024-65535|Protocol=256|`)})
    },
  })
  expect(look.check('firewall-policy').result).toBe('pass')
})
