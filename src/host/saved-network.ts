// The host's own network as it was before a virtual switch: what of it is lost, and what puts it back.
import {isInside, isLinkLocal, maskOf} from '../config/cidr.js'
import type {Adapter, Route} from '../machine/win32.js'

const ON_LINK = '0.0.0.0'
export const DEFAULT_ROUTE = '0.0.0.0/0'

export interface SavedRoute extends Pick<Route, 'destination' | 'metric' | 'nextHop'> {
  readonly byHand: boolean
  readonly persistent: boolean
}

/**
 * An adapter that leads out of the host. Its gateways are its default routes. Windows has addresses of an IPv4 adapter
 * either from DHCP or by hand, so `dhcp` is the origin of all of them. With dhcpstaticipcoexistence
 * (netsh interface ipv4 set interface) it has both: then a fixed one is taken for a lease, and only waited for.
 */
export interface SavedAdapter extends Pick<Adapter, 'dhcp' | 'dnsServers' | 'name'> {
  /** With the length of their prefix: "10.0.0.5/24". */
  readonly addresses: readonly string[]
  readonly dnsByHand: boolean
  readonly routes: readonly SavedRoute[]
}

export type NetworkSnapshot = readonly SavedAdapter[]

export interface NetworkNow {
  readonly adapters: readonly Adapter[]
  readonly routes: readonly Route[]
}

export interface Loss {
  readonly adapter: SavedAdapter
  /** Only this is put back: what came from DHCP comes back from there, and a fixed address would end DHCP for good. */
  readonly byHand: boolean
  readonly kind: 'address' | 'DNS server' | 'route'
  readonly route?: SavedRoute
  /** "10.0.0.5/24", "10.0.0.2", "0.0.0.0/0 via 10.0.0.1". */
  readonly what: string
}

/** By netsh, except for a route that is not persistent. */
export interface Repair {
  readonly netsh: readonly string[]
  readonly route?: Route
}

export function takeSnapshot({adapters, routes}: NetworkNow): NetworkSnapshot {
  const leading = adapters.filter(({dnsServers, gateways}) => gateways.length > 0 || dnsServers.length > 0)
  return leading.map(({addresses, dhcp, dnsByHand = !dhcp, dnsServers, index, name}) => ({
    addresses: usable(addresses),
    dhcp,
    dnsByHand,
    dnsServers,
    name,
    routes: routes
      // Others on the link follow from the addresses.
      .filter((one) => one.interfaceIndex === index && (one.nextHop !== ON_LINK || one.origin === 'manual'))
      .map(({destination, metric, nextHop, origin, persistent = false}) => {
        // The gateway of a fixed address is fixed with it.
        const isFixed = destination === DEFAULT_ROUTE && !dhcp
        const byHand = isFixed || origin === 'manual'
        return {byHand, destination, metric, nextHop, persistent: persistent || isFixed}
      }),
  }))
}

/** What is nowhere on the host: a switch renames the adapter, and the numbers of interfaces change. */
export function lost(before: NetworkSnapshot, now: NetworkNow): Loss[] {
  const addresses = now.adapters.flatMap((one) => usable(one.addresses))
  const servers = now.adapters.flatMap(({dnsServers}) => dnsServers)
  return before.flatMap((adapter): Loss[] => [
    ...missing(adapter.addresses, addresses).map((what): Loss => ({
      adapter,
      byHand: !adapter.dhcp,
      kind: 'address',
      what,
    })),
    ...adapter.routes
      .filter((route) => !now.routes.some((one) => wordsOf(one) === wordsOf(route)))
      .map((route): Loss => ({adapter, byHand: route.byHand, kind: 'route', route, what: wordsOf(route)})),
    ...missing(adapter.dnsServers, servers).map((what): Loss => ({
      adapter,
      byHand: adapter.dnsByHand,
      kind: 'DNS server',
      what,
    })),
  ])
}

/**
 * Soon after the switch, of what is demanded back. Only on the node's own adapter can the switch be the cause; of another
 * what was configured by hand is put back while it is there. Another lease takes the place of the one before.
 */
export function lostInSwitch(before: NetworkSnapshot, now: NetworkNow, own: string): Loss[] {
  return lost(before, now).filter(({adapter, byHand, kind, route}) => {
    const on = adapterNow(adapter.name, now.adapters)
    const isOwn = physicalName(adapter.name) === physicalName(own)
    if (!on?.up) return isOwn
    const isDefault = route?.destination === DEFAULT_ROUTE
    if (byHand) return !route || isDefault || isInReach(route, adapter, on)
    if (!isOwn) return false
    const has = usable(on.addresses)
    if (kind === 'address') return has.length === 0
    if (!route) return on.dnsServers.length === 0
    if (!isDefault) return missing(adapter.addresses, has).length === 0
    return !now.routes.some((one) => one.destination === DEFAULT_ROUTE && one.interfaceIndex === on.index)
  })
}

/** Without it the node is cut off. */
export const isVital = ({kind, route}: Loss): boolean => kind === 'address' || route?.destination === DEFAULT_ROUTE

/**
 * Long after the switch: only what was configured by hand, and only where nothing took its place since. Another address,
 * other DNS servers, another way to the same destination, a gateway of another subnet or DHCP are an administrator's
 * decision. A switch that loses a fixed address leaves DHCP too, but without a lease.
 */
export function lostForLong(before: NetworkSnapshot, now: NetworkNow): Loss[] {
  return lost(before, now).filter((loss) => {
    const {adapter, byHand, kind, route} = loss
    const on = adapterNow(adapter.name, now.adapters)
    if (!on?.up || !byHand) return false
    const has = usable(on.addresses)
    if (kind === 'address') return has.length === 0
    const isLeasedSince = on.dhcp && !adapter.dhcp && has.length > 0
    if (isLeasedSince && (!route || isVital(loss))) return false
    if (!route) return on.dnsServers.length === 0
    return !now.routes.some(({destination}) => destination === route.destination) && isInReach(route, adapter, on)
  })
}

function isInReach({nextHop}: SavedRoute, saved: SavedAdapter, on: Adapter): boolean {
  const has = usable(on.addresses)
  return nextHop === ON_LINK || (has.length > 0 ? has : saved.addresses).some((cidr) => isInside(cidr, nextHop))
}

/** In the order in which they work: a route needs the address. */
export function repairs(losses: readonly Loss[], now: NetworkNow): Repair[] {
  const byHand = losses.filter((one) => one.byHand)
  return [...new Set(byHand.map(({adapter}) => adapter))].flatMap((saved) => {
    const on = adapterNow(saved.name, now.adapters)
    if (!on) return []
    const own = byHand.filter(({adapter}) => adapter === saved)
    const addresses = own.filter(({kind}) => kind === 'address')
    // Both end DHCP (learn.microsoft.com, netsh interface ipv4): the first one replaces the automatic one.
    const isBare = addresses.length === saved.addresses.length
    const servers = own.some(({kind}) => kind === 'DNS server') ? saved.dnsServers : []
    return [
      ...addresses.map(({what}, index): Repair => {
        const [address = '', bits = ''] = what.split('/')
        const fixed = [`address=${address}`, `mask=${maskOf(Number(bits))}`, 'store=persistent']
        const verb =
          isBare && index === 0
            ? ['set', 'address', `name=${on.name}`, 'source=static']
            : ['add', 'address', `name=${on.name}`]
        return {netsh: [...verb, ...fixed]}
      }),
      ...own.flatMap(({route}) => (route ? [routeRepair(route, on)] : [])),
      // The order of the servers counts, so all of them are set.
      ...servers.map((server, index): Repair => {
        const rest = [`name=${on.name}`, ...(index === 0 ? ['source=static'] : []), `address=${server}`]
        return {netsh: [index === 0 ? 'set' : 'add', 'dnsservers', ...rest, 'validate=no']}
      }),
    ]
  })
}

function routeRepair({destination, metric, nextHop, persistent}: SavedRoute, {index, name}: Adapter): Repair {
  const hop = nextHop === ON_LINK ? [] : [`nexthop=${nextHop}`]
  const store = `store=${persistent ? 'persistent' : 'active'}`
  return {
    netsh: ['add', 'route', `prefix=${destination}`, `interface=${name}`, ...hop, `metric=${metric}`, store],
    route: {destination, interfaceIndex: index, metric, nextHop, persistent},
  }
}

/** What a person types for the same. */
export function restoreCommands(losses: readonly Loss[], now: NetworkNow): string[] {
  const names = losses.flatMap(({adapter, byHand}) =>
    byHand ? [] : [adapterNow(adapter.name, now.adapters)?.name ?? adapter.name],
  )
  return [
    ...[...new Set(names)].map((name) => `ipconfig /renew "${name}"`),
    ...repairs(losses, now).map(({netsh}) => `netsh interface ipv4 ${netsh.map(quoted).join(' ')}`),
  ]
}

const quoted = (word: string): string => (word.includes(' ') ? word.replace(/=(.*)/s, '="$1"') : word)

/** The virtual switch renames the adapter, and gives the name back when it is removed. */
export function adapterNow(saved: string, adapters: readonly Adapter[]): Adapter | undefined {
  const own = physicalName(saved)
  const named = (wanted: string) => adapters.find(({name}) => name.toLowerCase() === wanted.toLowerCase())
  return named(`vEthernet (${own})`) ?? named(own)
}

const physicalName = (name: string): string => (/^vEthernet \((.*)\)$/i.exec(name)?.[1] ?? name).toLowerCase()

export const inWords = ({kind, what}: Loss): string => `${kind} ${what}`

const wordsOf = ({destination, nextHop}: Pick<Route, 'destination' | 'nextHop'>): string =>
  `${destination} ${nextHop === ON_LINK ? 'on-link' : `via ${nextHop}`}`

const usable = (addresses: Adapter['addresses']): string[] =>
  addresses.filter(({address}) => !isLinkLocal(address)).map((one) => `${one.address}/${one.prefixLength}`)

const missing = (wanted: readonly string[], there: readonly string[]): string[] =>
  wanted.filter((one) => !there.includes(one))
