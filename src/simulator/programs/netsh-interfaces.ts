// netsh.exe interface ipv4 show neighbors and subinterfaces, as an English system prints them.
import type {Adapter} from '../../machine/win32.js'
import {formatAddress, macOf, parseCidr} from '../windows/names.js'
import type {World} from '../world.js'
import type {ProgramOutput} from './output.js'
import {windowsLines} from './output.js'

const LOOPBACK = {index: 1, name: 'Loopback Pseudo-Interface 1'}
const TABLES: Readonly<Record<string, (world: World) => string[]>> = {
  'interface ipv4 show neighbors': neighbours,
  'interface ipv4 show subinterfaces': subinterfaces,
}

/** Undefined where something else is asked for. */
export function showInterfaces(world: World, args: readonly string[]): ProgramOutput | undefined {
  const lines = TABLES[args.join(' ').toLowerCase()]?.(world)
  return lines && {exitCode: 0, stdout: windowsLines('', ...lines)}
}

function neighbours({adapters}: World): string[] {
  return [LOOPBACK, ...adapters].flatMap((one) => [
    `Interface ${one.index}: ${one.name}`,
    '',
    '',
    neighbour('Internet Address', 'Physical Address', 'Type'),
    neighbour('-'.repeat(44), '-'.repeat(17), '-'.repeat(11)),
    ...('up' in one ? around(one) : [neighbour('224.0.0.22', '', 'Permanent')]),
    '',
  ])
}

/** An adapter that is down has no neighbours but those that never change. */
function around({addresses, gateways, up}: Adapter): string[] {
  const broadcasts = addresses.flatMap(({address, prefixLength}) => {
    const last = parseCidr(`${address}/${prefixLength}`)?.last
    return last === undefined || prefixLength > 30 ? [] : [formatAddress(last)]
  })
  return [
    ...(up ? gateways.map((gateway) => neighbour(gateway, macOf(gateway).toLowerCase(), 'Reachable')) : []),
    ...broadcasts.map((address) => neighbour(address, 'ff-ff-ff-ff-ff-ff', 'Permanent')),
    neighbour('224.0.0.22', '01-00-5e-00-00-16', 'Permanent'),
  ]
}

const neighbour = (address: string, physical: string, type: string): string =>
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
