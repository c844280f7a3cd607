// Adapters and routes, and what of them is lost when a vSwitch is put over an adapter.
import {isLinkLocal, maskOf} from '../config/cidr.js'
import {type Adapter, type Route, type Win32, Win32Error} from '../machine/win32.js'

export interface HostNetwork {
  adapters(): Promise<Adapter[]>
  /** "w3wp.exe (PID 4321)"; undefined where Windows does not say. */
  portOwner(protocol: 'tcp' | 'udp', port: number): Promise<string | undefined>
  routes(): Promise<Route[]>
  /** Of the adapters that lead out of the host, or of all. */
  snapshot(of: SnapshotScope): Promise<NetworkSnapshot>
}

/** What the host had, in words that survive the renaming of the adapter. */
export interface NetworkSnapshot {
  readonly addresses: readonly string[]
  readonly dnsServers: readonly string[]
  readonly gateways: readonly string[]
  /** "destination via next hop": routes with a gateway; those on the link follow from the addresses. */
  readonly routes: readonly string[]
}

/** Before, what leads out of the host counts; after, a thing is back wherever it is: an adapter may lack its gateway only. */
export type SnapshotScope = 'all' | 'connected'

export function openNetwork(win32: Win32): HostNetwork {
  return {
    adapters: () => win32.adapters(),
    async portOwner(protocol, port) {
      try {
        const id = await win32.portOwner(protocol, port)
        const program = (await win32.processes()).find((one) => one.id === id)
        return id === undefined ? undefined : `${program?.name ?? 'a process that has ended'} (PID ${id})`
      } catch (error) {
        if (error instanceof Win32Error) return undefined
        throw error
      }
    },
    routes: () => win32.routes(),
    async snapshot(of) {
      const [adapters, routes] = await Promise.all([win32.adapters(), win32.routes()])
      return takeSnapshot(adapters, routes, of)
    },
  }
}

export function takeSnapshot(
  adapters: readonly Adapter[],
  routes: readonly Route[],
  of: SnapshotScope = 'connected',
): NetworkSnapshot {
  const counted = adapters.filter(
    (adapter) => of === 'all' || adapter.gateways.length > 0 || adapter.dnsServers.length > 0,
  )
  const addresses = counted.flatMap((adapter) =>
    adapter.addresses.map((entry) => `${entry.address}/${entry.prefixLength}`),
  )
  return {
    addresses: unique(addresses.filter((address) => !isLinkLocal(String(address.split('/')[0])))),
    dnsServers: unique(counted.flatMap((adapter) => adapter.dnsServers)),
    gateways: unique(counted.flatMap((adapter) => adapter.gateways)),
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
  const missing = gone('addresses')
  const isBare = missing.length === before.addresses.length
  const addresses = missing.map((entry, index) => {
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
