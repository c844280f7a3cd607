// netsh.exe, as far as k8s-win uses it: advfirewall firewall add, delete and show rule, and tables of interface ipv4,
// with an English system's texts.
import type {Stage} from '../model.js'
import {addFirewallRule, findFirewallRules, removeFirewallRules} from '../windows/firewall.js'
import {sameName} from '../windows/names.js'
import type {FirewallRule} from '../world.js'
import {showInterfaces} from './netsh-interfaces.js'
import {showPorts} from './netsh-ports.js'
import type {ProgramOutput} from './output.js'
import {windowsLines} from './output.js'

const RULE_WORDS = [
  'action',
  'description',
  'dir',
  'enable',
  'interfacetype',
  'localip',
  'localport',
  'name',
  'profile',
  'program',
  'protocol',
  'remoteip',
  'remoteport',
  'service',
]
const NO_MATCH: ProgramOutput = {exitCode: 1, stdout: windowsLines('', 'No rules match the specified criteria.', '')}
const invalid = (word: string): ProgramOutput => ({
  exitCode: 1,
  stdout: windowsLines(
    '',
    `${word} is not a valid argument for this command.`,
    'The syntax supplied for this command is not valid. Check help for the correct syntax.',
    '',
  ),
})
const badValue: ProgramOutput = {exitCode: 1, stdout: windowsLines('', 'A specified value is not valid.', '')}

export function runNetsh(stage: Stage, args: readonly string[]): ProgramOutput {
  const table = showPorts(stage.world, args) ?? showInterfaces(stage.world, args)
  if (table) return table
  const [area = '', section = '', verb = '', kind = '', ...words] = args
  if (
    ![
      [area, 'advfirewall'],
      [section, 'firewall'],
      [kind, 'rule'],
    ].every(([a = '', b = '']) => sameName(a, b))
  ) {
    return {exitCode: 1, stdout: windowsLines(`The following command was not found: ${args.join(' ')}.`)}
  }

  const fields = new Map<string, string>()
  for (const word of words) {
    const at = word.indexOf('=')
    const key = word.slice(0, Math.max(at, 0)).toLowerCase()
    if (sameName(word, 'verbose')) continue
    if (!RULE_WORDS.includes(key)) return invalid(word)
    fields.set(key, word.slice(at + 1))
  }

  const name = fields.get('name')
  if (name === undefined)
    return {
      exitCode: 1,
      stdout: windowsLines(
        '',
        'One or more essential parameters were not entered.',
        'Verify the required parameters, and reenter them.',
        '',
      ),
    }
  const isChange = !sameName(verb, 'show')
  if (isChange && !stage.world.os.administrator) {
    return {exitCode: 1, stdout: windowsLines('The requested operation requires elevation (Run as administrator).', '')}
  }

  if (sameName(verb, 'add')) return add(stage, name, fields)
  const matches = (rule: FirewallRule): boolean =>
    (sameName(name, 'all') || sameName(rule.name, name)) && fits(rule, fields)
  if (sameName(verb, 'delete')) {
    const removed = removeFirewallRules(stage.world, matches)
    return removed === 0 ? NO_MATCH : {exitCode: 0, stdout: windowsLines('', `Deleted ${removed} rule(s).`, 'Ok.', '')}
  }

  const found = sameName(verb, 'show') ? findFirewallRules(stage.world, matches) : []
  return found.length === 0 ? NO_MATCH : {exitCode: 0, stdout: windowsLines('', ...found.flatMap(describe), 'Ok.', '')}
}

function add({world}: Stage, name: string, fields: ReadonlyMap<string, string>): ProgramOutput {
  const direction = (fields.get('dir') ?? '').toLowerCase()
  const action = (fields.get('action') ?? '').toLowerCase()
  const protocol = (fields.get('protocol') ?? 'any').toUpperCase()
  const enable = (fields.get('enable') ?? 'yes').toLowerCase()
  const localPort = fields.get('localport') ?? 'any'
  if ((direction !== 'in' && direction !== 'out') || (action !== 'allow' && action !== 'block')) return badValue
  // "all" is reserved: it would match every rule on deletion.
  if (sameName(name, 'all') || name.includes('|') || (enable !== 'yes' && enable !== 'no')) return badValue
  if (
    (protocol !== 'TCP' && protocol !== 'UDP') ||
    !/^(any|\d{1,5}(-\d{1,5})?(,\d{1,5}(-\d{1,5})?)*)$/i.test(localPort)
  )
    return badValue
  if (localPort.split(/[,-]/).some((port) => Number(port) > 65_535)) return badValue
  const profiles = fields.get('profile') ?? 'any'
  if (!profiles.split(',').every((one) => ['any', 'domain', 'private', 'public'].includes(one.toLowerCase())))
    return badValue
  addFirewallRule(world, {
    action,
    description: fields.get('description') ?? '',
    direction,
    enabled: enable === 'yes',
    localPort,
    name,
    profiles,
    protocol,
  })
  return {exitCode: 0, stdout: windowsLines('Ok.', '')}
}

/** Further words of delete and show narrow the choice. */
function fits(rule: FirewallRule, fields: ReadonlyMap<string, string>): boolean {
  const same = (key: string, value: string): boolean => sameName(fields.get(key) ?? value, value)
  return same('dir', rule.direction) && same('protocol', rule.protocol) && same('localport', rule.localPort)
}

function describe(rule: FirewallRule): string[] {
  const row = (label: string, value: string): string => `${`${label}:`.padEnd(38)}${value}`
  const word = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
  return [
    row('Rule Name', rule.name),
    '-'.repeat(70),
    ...(rule.description ? [row('Description', rule.description)] : []),
    row('Enabled', rule.enabled ? 'Yes' : 'No'),
    row('Direction', word(rule.direction)),
    row('Profiles', rule.profiles === 'any' ? 'Domain,Private,Public' : rule.profiles),
    row('Protocol', rule.protocol),
    row('LocalPort', rule.localPort),
    row('Action', word(rule.action)),
    '',
  ]
}
