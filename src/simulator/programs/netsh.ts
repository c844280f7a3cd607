// netsh.exe of an English system, as far as k8s-win uses it: advfirewall firewall add and delete rule, and tables of
// interface ipv4 (listings of port ranges in docker/for-win#1707 and #3171).
import type {Adapter} from '../../machine/win32.js'
import {type ProgramOutput, type Stage, windowsLines} from '../model.js'
import {addFirewallRule, removeFirewallRules} from '../windows/firewall.js'
import {formatAddress, macOf, parseCidr, sameName} from '../windows/names.js'
import type {FirewallRule, World} from '../world.js'
import {runNetshInterface} from './netsh-interface.js'

const RULE_WORDS =
  'action description dir enable interfacetype localip localport name profile program protocol remoteip remoteport service'.split(
    ' ',
  )
const failed = (...lines: readonly string[]): ProgramOutput => ({exitCode: 1, stdout: windowsLines('', ...lines, '')})
const BAD_VALUE = failed('A specified value is not valid.')

export function runNetsh(stage: Stage, args: readonly string[]): ProgramOutput {
  const {world} = stage
  const asked = args.join(' ').toLowerCase().replace(' protocol=', ' ')
  const table = TABLES[asked]?.(world)
  if (table) return {exitCode: 0, stdout: windowsLines('', ...table)}
  const set = runNetshInterface(world, args)
  if (set) return set
  const [, verb] = /^advfirewall firewall (add|delete) rule(?: |$)/.exec(asked) ?? []
  if (verb === undefined) {
    return {exitCode: 1, stdout: windowsLines(`The following command was not found: ${args.join(' ')}.`)}
  }

  const fields = new Map<string, string>()
  for (const word of args.slice(4)) {
    const at = word.indexOf('=')
    const key = word.slice(0, Math.max(at, 0)).toLowerCase()
    if (!RULE_WORDS.includes(key)) {
      const syntax = 'The syntax supplied for this command is not valid. Check help for the correct syntax.'
      return failed(`${word} is not a valid argument for this command.`, syntax)
    }

    fields.set(key, word.slice(at + 1))
  }

  const name = fields.get('name')
  if (name === undefined) {
    const advice = 'Verify the required parameters, and reenter them.'
    return failed('One or more essential parameters were not entered.', advice)
  }

  if (!world.os.administrator) {
    return {exitCode: 1, stdout: windowsLines('The requested operation requires elevation (Run as administrator).', '')}
  }

  if (verb === 'add') return add(world, name, fields)
  const removed = removeFirewallRules(
    world,
    (rule) => (sameName(name, 'all') || sameName(rule.name, name)) && fits(rule, fields),
  )
  if (removed === 0) return failed('No rules match the specified criteria.')
  return {exitCode: 0, stdout: windowsLines('', `Deleted ${removed} rule(s).`, 'Ok.', '')}
}

function add(world: World, name: string, fields: ReadonlyMap<string, string>): ProgramOutput {
  const direction = (fields.get('dir') ?? '').toLowerCase()
  const action = (fields.get('action') ?? '').toLowerCase()
  const protocol = (fields.get('protocol') ?? 'any').toUpperCase()
  const enable = (fields.get('enable') ?? 'yes').toLowerCase()
  const localPort = fields.get('localport') ?? 'any'
  const profiles = fields.get('profile') ?? 'any'
  if ((direction !== 'in' && direction !== 'out') || (action !== 'allow' && action !== 'block')) return BAD_VALUE
  // "all" is reserved: it would match every rule on deletion.
  if (sameName(name, 'all') || name.includes('|') || (enable !== 'yes' && enable !== 'no')) return BAD_VALUE
  if (protocol !== 'TCP' && protocol !== 'UDP') return BAD_VALUE
  if (!/^(any|\d{1,5}(-\d{1,5})?(,\d{1,5}(-\d{1,5})?)*)$/i.test(localPort)) return BAD_VALUE
  if (localPort.split(/[,-]/).some((port) => Number(port) > 65_535)) return BAD_VALUE
  if (!profiles.split(',').every((one) => /^(any|domain|private|public)$/i.test(one))) return BAD_VALUE
  const description = fields.get('description') ?? ''
  const enabled = enable === 'yes'
  addFirewallRule(world, {action, description, direction, enabled, localPort, name, profiles, protocol})
  return {exitCode: 0, stdout: windowsLines('Ok.', '')}
}

/** Further words of delete narrow the choice. */
function fits(rule: FirewallRule, fields: ReadonlyMap<string, string>): boolean {
  const same = (key: string, value: string): boolean => sameName(fields.get(key) ?? value, value)
  return same('dir', rule.direction) && same('protocol', rule.protocol) && same('localport', rule.localPort)
}

const DYNAMIC = {count: 16_384, first: 49_152}
const LOOPBACK = {index: 1, name: 'Loopback Pseudo-Interface 1'}
const TABLES: Readonly<Record<string, (world: World) => string[]>> = {
  'interface ipv4 show dynamicport tcp': () => dynamicPorts('tcp'),
  'interface ipv4 show dynamicport udp': () => dynamicPorts('udp'),
  'interface ipv4 show excludedportrange tcp': ({os}) => excludedPorts('tcp', os.excludedPorts ?? []),
  'interface ipv4 show excludedportrange udp': () => excludedPorts('udp', []),
  'interface ipv4 show neighbors': neighbors,
  'interface ipv4 show subinterfaces': subinterfaces,
}

const dynamicPorts = (protocol: string): string[] => [
  `Protocol ${protocol} Dynamic Port Range`,
  '---------------------------------',
  `Start Port      : ${DYNAMIC.first}`,
  `Number of Ports : ${DYNAMIC.count}`,
  '',
]

const excludedPorts = (protocol: string, ranges: readonly {from: number; to: number}[]): string[] => [
  `Protocol ${protocol} Port Exclusion Ranges`,
  '',
  'Start Port    End Port      ',
  '----------    --------      ',
  ...ranges.map(({from, to}) => `${String(from).padStart(10)}${String(to).padStart(12)}      `),
  '',
  '* - Administered port exclusions.',
  '',
]

function neighbors({adapters}: World): string[] {
  return [LOOPBACK, ...adapters].flatMap((one) => [
    `Interface ${one.index}: ${one.name}`,
    '',
    '',
    neighbor('Internet Address', 'Physical Address', 'Type'),
    neighbor('-'.repeat(44), '-'.repeat(17), '-'.repeat(11)),
    ...('up' in one ? neighborsOf(one) : [neighbor('224.0.0.22', '', 'Permanent')]),
    '',
  ])
}

/** An adapter that is down has permanent neighbors only. */
function neighborsOf({addresses, gateways, up}: Adapter): string[] {
  const broadcasts = addresses.flatMap(({address, prefixLength}) => {
    const last = parseCidr(`${address}/${prefixLength}`)?.last
    return last === undefined || prefixLength > 30 ? [] : [formatAddress(last)]
  })
  return [
    ...(up ? gateways.map((gateway) => neighbor(gateway, macOf(gateway).toLowerCase(), 'Reachable')) : []),
    ...broadcasts.map((address) => neighbor(address, 'ff-ff-ff-ff-ff-ff', 'Permanent')),
    neighbor('224.0.0.22', '01-00-5e-00-00-16', 'Permanent'),
  ]
}

const neighbor = (address: string, physical: string, type: string): string =>
  `${address.padEnd(46)}${physical.padEnd(19)}${type}`

/** The loopback has no limit; 1 is connected, 5 is not. */
function subinterfaces({adapters}: World): string[] {
  return [
    subinterface('MTU', 'MediaSenseState', 'Bytes In', 'Bytes Out', 'Interface'),
    subinterface('-'.repeat(6), '-'.repeat(15), '-'.repeat(9), '-'.repeat(9), '-'.repeat(13)),
    subinterface('4294967295', '1', '0', '0', LOOPBACK.name),
    ...adapters.map(({name, up}) => subinterface('1500', up ? '1' : '5', '0', '0', name)),
  ]
}

const subinterface = (mtu: string, state: string, received: string, sent: string, name: string): string =>
  [mtu.padStart(6), state.padStart(15), received.padStart(9), sent.padStart(9), name].join('  ')
