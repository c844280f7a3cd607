// ipconfig.exe /allcompartments /all, as an English system prints it. The host's compartment is all there is: pods of a
// simulated host have no stack of their own.
import type {Adapter} from '../../machine/win32.js'
import {formatAddress, macOf} from '../windows/names.js'
import type {World} from '../world.js'
import type {ProgramOutput} from './output.js'
import {windowsLines} from './output.js'

const OPTIONS = ['/all', '/allcompartments']
const LINE = '='.repeat(78)

export function runIpconfig({adapters, os}: World, args: readonly string[]): ProgramOutput {
  const strange = args.find((arg) => !OPTIONS.includes(arg.toLowerCase()))
  if (strange !== undefined || args.length < OPTIONS.length) {
    const problem = 'Error: unrecognized or incomplete command line.'
    return {exitCode: 1, stdout: windowsLines('', problem)}
  }

  const host = [
    row('Host Name', os.computerName),
    row('Primary Dns Suffix', ''),
    row('Node Type', 'Hybrid'),
    row('IP Routing Enabled', 'No'),
    row('WINS Proxy Enabled', 'No'),
  ]
  const compartment = [LINE, 'Network Information for Compartment 1 (ACTIVE)', LINE]
  const stdout = windowsLines(
    '',
    'Windows IP Configuration',
    '',
    '',
    ...compartment,
    ...host,
    ...adapters.flatMap(tell),
  )
  return {exitCode: 0, stdout}
}

function tell({addresses, dhcp, dnsServers, gateways, name, up}: Adapter): string[] {
  const own = [
    ...addresses.flatMap(({address, prefixLength}) => [
      row('IPv4 Address', `${address}(Preferred)`),
      row('Subnet Mask', formatAddress(2 ** 32 - 2 ** (32 - prefixLength))),
    ]),
    ...list('Default Gateway', gateways),
    ...list('DNS Servers', dnsServers),
  ]
  return [
    '',
    `Ethernet adapter ${name}:`,
    '',
    ...(up ? [] : [row('Media State', 'Media disconnected')]),
    row('Connection-specific DNS Suffix', ''),
    row('Physical Address', macOf(name)),
    row('DHCP Enabled', dhcp ? 'Yes' : 'No'),
    ...(up ? own : []),
  ]
}

const LABEL = 34

/** "   Host Name . . . . . . . . . . . . : WIN-1": a blank and a dot by turns, as far as the colon. */
function row(label: string, value: string): string {
  const dots = Array.from({length: LABEL}, (_, at) => (at % 2 === LABEL % 2 ? '.' : ' ')).join('')
  return `   ${label}${dots.slice(label.length)}: ${value}`
}

/** Only the first has the label. */
const list = (label: string, values: readonly string[]): string[] =>
  values.map((value, at) => (at === 0 ? row(label, value) : `${' '.repeat(LABEL + 5)}${value}`))
