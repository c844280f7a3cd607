// Adapters and routes, and what of them is lost when a vSwitch is put over an adapter.
import {isLinkLocal, maskOf} from '../config/cidr.js'
import type {Adapter, Route, Win32} from '../machine/win32.js'

export interface HostNetwork {
  adapters(): Promise<Adapter[]>
  snapshot(): Promise<NetworkSnapshot>
}

/** What the host had, in words that survive the renaming of the adapter. */
export interface NetworkSnapshot {
  readonly addresses: readonly string[]
  readonly dnsServers: readonly string[]
  readonly gateways: readonly string[]
  /** "destination via next hop": routes with a gateway; those on the link follow from the addresses. */
  readonly routes: readonly string[]
}

export function openNetwork(win32: Win32): HostNetwork {
  return {
    adapters: () => win32.adapters(),
    async snapshot() {
      const [adapters, routes] = await Promise.all([win32.adapters(), win32.routes()])
      return takeSnapshot(adapters, routes)
    },
  }
}

export function takeSnapshot(adapters: readonly Adapter[], routes: readonly Route[]): NetworkSnapshot {
  const physical = adapters.filter((adapter) => adapter.gateways.length > 0 || adapter.dnsServers.length > 0)
  const addresses = physical.flatMap((adapter) =>
    adapter.addresses.map((entry) => `${entry.address}/${entry.prefixLength}`),
  )
  return {
    addresses: unique(addresses.filter((address) => !isLinkLocal(String(address.split('/')[0])))),
    dnsServers: unique(physical.flatMap((adapter) => adapter.dnsServers)),
    gateways: unique(physical.flatMap((adapter) => adapter.gateways)),
    routes: unique(
      routes.filter((route) => route.nextHop !== '0.0.0.0').map((route) => `${route.destination} via ${route.nextHop}`),
    ),
  }
}

/** What was there before and is not now, in words. */
export function lost(before: NetworkSnapshot, after: NetworkSnapshot): string[] {
  const gone = (kind: string, key: keyof NetworkSnapshot): string[] =>
    before[key].filter((entry) => !after[key].includes(entry)).map((entry) => `${kind} ${entry}`)
  return [
    ...gone('address', 'addresses'),
    ...gone('gateway', 'gateways'),
    ...gone('DNS server', 'dnsServers'),
    ...gone('route', 'routes'),
  ]
}

/** What to type to get it back. A lost gateway comes back with its route. */
export function restoreCommands(adapter: string, before: NetworkSnapshot, after: NetworkSnapshot): string[] {
  const gone = (key: keyof NetworkSnapshot): string[] => before[key].filter((entry) => !after[key].includes(entry))
  const onto = `"${adapter}"`
  // The first address must replace the automatic one: netsh adds none to an adapter that asks DHCP.
  const isBare = after.addresses.length === 0
  const addresses = gone('addresses').map((entry, index) => {
    const [address = '', bits = ''] = entry.split('/')
    const kind = isBare && index === 0 ? `set address ${onto} static` : `add address ${onto}`
    return `${kind} ${address} ${maskOf(Number(bits))}`
  })
  const dns = gone('dnsServers').map((server) => `add dnsservers ${onto} ${server} validate=no`)
  const routes = gone('routes').map((route) => {
    const [destination = '', nextHop = ''] = route.split(' via ')
    return `add route ${destination} ${onto} ${nextHop}`
  })
  return [...addresses, ...routes, ...dns].map((command) => `netsh interface ipv4 ${command}`)
}

const unique = (entries: readonly string[]): string[] => [...new Set(entries)].sort()
