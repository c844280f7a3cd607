// netsh interface ipv4: set and add for addresses, routes and DNS servers (learn.microsoft.com, netsh interface ipv4; what
// Windows answers: docs/assumptions.md, netsh-interface).
import {type ProgramOutput, windowsLines} from '../model.js'
import {
  addAddress,
  adapterNamed,
  addRoute,
  changeAdapter,
  ERROR_OBJECT_ALREADY_EXISTS,
} from '../windows/adapter-settings.js'
import {parseAddress, parseCidr} from '../windows/names.js'
import type {World} from '../world.js'

const WORDS: Readonly<Record<string, readonly string[]>> = {
  'add address': ['name', 'address', 'mask', 'store'],
  'add dnsservers': ['name', 'address', 'index', 'validate'],
  'add route': ['prefix', 'interface', 'nexthop', 'metric', 'store'],
  'delete route': ['prefix', 'interface', 'nexthop', 'store'],
  'set address': ['name', 'source', 'address', 'mask', 'store'],
  'set dnsservers': ['name', 'source', 'address', 'validate'],
}
const failed = (text: string): ProgramOutput => ({exitCode: 1, stdout: windowsLines(text, '')})
const DONE: ProgramOutput = {exitCode: 0, stdout: windowsLines('')}

/** Undefined where it is another command. */
export function runNetshInterface(world: World, args: readonly string[]): ProgramOutput | undefined {
  const [context, family, verb, object, ...rest] = args
  const command = `${verb} ${object}`.toLowerCase()
  const words = WORDS[command]
  if (`${context} ${family}`.toLowerCase() !== 'interface ipv4' || !words) return undefined
  const fields = new Map<string, string>()
  for (const word of rest) {
    const [key = '', ...value] = word.split('=')
    if (!words.includes(key.toLowerCase())) return failed(`Invalid tag: ${key}`)
    fields.set(key.toLowerCase(), value.join('='))
  }

  if (!world.os.administrator) return failed('The requested operation requires elevation (Run as administrator).')
  const field = (name: string): string => fields.get(name) ?? ''
  const adapter = adapterNamed(world, field('name') || field('interface'))
  if (!adapter || world.os.vswitch?.refusesSettings)
    return failed('The filename, directory name, or volume label syntax is incorrect.')
  const isStatic = verb?.toLowerCase() === 'add' || field('source').toLowerCase() === 'static'
  if (command.endsWith('route')) {
    const nextHop = fields.get('nexthop') ?? '0.0.0.0'
    const metric = Number(fields.get('metric') ?? 256)
    if (!parseCidr(field('prefix')) || parseAddress(nextHop) === undefined || !(metric >= 0 && metric < 10_000)) {
      return failed('The parameter is incorrect.')
    }
    if (command.startsWith('delete')) {
      const isMeant = (one: World['routes'][number]): boolean =>
        one.interfaceIndex === adapter.index && one.destination === field('prefix') && one.nextHop === nextHop
      if (!world.routes.some(isMeant)) return failed('Element not found.')
      world.routes = world.routes.filter((one) => !isMeant(one))
      return DONE
    }
    const stored = fields.get('store') ?? 'persistent'
    const route = {destination: field('prefix'), interfaceIndex: adapter.index, metric, nextHop}
    return answered(addRoute(world, {...route, origin: 'manual', persistent: stored === 'persistent'}))
  }

  const address = field('address')
  if (!isStatic || parseAddress(address) === undefined) return failed('The parameter is incorrect.')
  if (command.endsWith('dnsservers')) {
    const others = command.startsWith('set') ? [] : adapter.dnsServers
    if (others.includes(address)) return answered(ERROR_OBJECT_ALREADY_EXISTS)
    changeAdapter(world, adapter, {dnsByHand: true, dnsServers: [...others, address]})
    return DONE
  }

  // Adding one ends DHCP too (learn.microsoft.com, netsh interface ipv4 add address).
  const isFirst = command.startsWith('set') || adapter.dhcp
  const bits = (parseAddress(field('mask')) ?? 0).toString(2).replaceAll('0', '').length
  return answered(addAddress(world, adapter, address, bits, isFirst))
}

function answered(code: number): ProgramOutput {
  if (code === 0) return DONE
  return failed(code === ERROR_OBJECT_ALREADY_EXISTS ? 'The object already exists.' : 'Element not found.')
}
