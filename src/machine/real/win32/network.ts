// Adapters and routes, from the IP helper library.
import type {Adapter, Route, Win32} from '../../win32.js'
import {ERROR_BUFFER_OVERFLOW, ERROR_INVALID_DATA, ERROR_OBJECT_ALREADY_EXISTS, ERROR_SUCCESS} from './codes.js'
import type {Koffi} from './koffi.js'
import {
  demandSuccess,
  functionsOf,
  lazily,
  type LazyNative,
  type Native,
  type NativeType,
  type Pointer,
} from './library.js'

const AF_UNSPEC = 0
const AF_INET = 2
const GAA_FLAG_INCLUDE_GATEWAYS = 0x80
const IP_ADAPTER_DHCP_ENABLED = 0x4
const IF_OPER_STATUS_UP = 1
/** NL_ROUTE_ORIGIN and NL_ROUTE_PROTOCOL (nldef.h). */
const NLRO_MANUAL = 0
const NLRO_DHCP = 2
const MIB_IPPROTO_NETMGMT = 3
/** NL_DAD_STATE: not yet known to be of this host alone, or known to be of another (nldef.h). */
const NOT_USABLE_YET: readonly number[] = [1, 2]
const INFINITE = 0xff_ff_ff_ff
const PARAMETERS = String.raw`SYSTEM\CurrentControlSet\Services\Tcpip\Parameters`
/** What Microsoft advises to begin with. */
const FIRST_ADAPTERS_BYTES = 15_000
/** MIB_IPFORWARD_TABLE2 has its rows behind a count, aligned to eight bytes. */
const TABLE_HEADER_BYTES = 8

const library = (native: Native) => ({
  ...functionsOf(native, 'iphlpapi.dll', {
    freeTable: 'void FreeMibTable(void *)',
    getAdapters: 'uint32_t GetAdaptersAddresses(uint32_t, uint32_t, void *, void *, inout uint32_t)',
    getRoutes: 'uint32_t GetIpForwardTable2(uint16_t, out void *)',
  }),
  koffi: native.koffi,
  structs: networkStructs(native.koffi),
})

type Library = ReturnType<typeof library>

/** Apart from the others: Wine does not have the first of them. */
const changes = (native: Native) =>
  functionsOf(native, 'iphlpapi.dll', {
    createRoute: 'uint32_t CreateIpForwardEntry2(void *)',
    initialiseRoute: 'void InitializeIpForwardEntry(void *)',
  })

type Registry = Pick<Win32, 'registryValue' | 'registryValues'>

export function openNetwork(
  native: LazyNative,
  registry: Registry,
): Pick<Win32, 'adapters' | 'createRoute' | 'routes'> {
  const open = lazily(native, library)
  const openChanges = lazily(native, changes)
  const routes = async () => {
    const active = await readRoutes(await open())
    // route.exe names them "destination,mask,gateway,metric" (learn.microsoft.com, route).
    const names = Object.keys(await registry.registryValues('HKLM', `${PARAMETERS}\\PersistentRoutes`))
    const stored = names.map((name) => {
      const [address, mask = '', nextHop] = name.split(',')
      return `${address}/${bitsOf(mask)} ${nextHop}`
    })
    return active.map((route) =>
      stored.includes(`${route.destination} ${route.nextHop}`) ? {...route, persistent: true} : route,
    )
  }
  const read = async (): Promise<NamedAdapter[]> => {
    const opened = await open()
    const withGateways = await adapterBytes(opened, GAA_FLAG_INCLUDE_GATEWAYS)
    if (withGateways) return readAdapters(opened, withGateways)
    const bytes = await adapterBytes(opened, 0)
    return bytes ? addGateways(readAdapters(opened, bytes), await routes()) : []
  }

  return {
    adapters: async () =>
      Promise.all(
        (await read()).map(async ({guid, ...adapter}) => {
          const key = `${PARAMETERS}\\Interfaces\\${guid}`
          const value = guid === '' ? undefined : await registry.registryValue('HKLM', key, 'NameServer')
          return {...adapter, dnsByHand: value?.type === 'REG_SZ' && value.data.trim() !== ''}
        }),
      ),
    async createRoute({destination, interfaceIndex, metric, nextHop}) {
      const [{koffi, structs}, {createRoute, initialiseRoute}] = [await open(), await openChanges()]
      const [address = '', bits = ''] = destination.split('/')
      const row = Buffer.alloc(koffi.sizeof(structs.MIB_IPFORWARD_ROW2))
      await initialiseRoute(row)
      const at = (member: string): number => koffi.offsetof(structs.MIB_IPFORWARD_ROW2, member)
      row.writeUInt32LE(interfaceIndex, at('interfaceIndex'))
      sockaddrOf(address).copy(row, at('destination'))
      row.writeUInt8(Number(bits), at('prefixLength'))
      sockaddrOf(nextHop).copy(row, at('nextHop'))
      row.writeUInt32LE(metric, at('metric'))
      row.writeInt32LE(MIB_IPPROTO_NETMGMT, at('protocol'))
      await demandSuccess(`${destination} via ${nextHop}`, createRoute(row), ERROR_OBJECT_ALREADY_EXISTS)
    },
    routes,
  }
}

/** The list as Windows writes it; undefined where it does not know the flags. */
async function adapterBytes({getAdapters}: Library, flags: number): Promise<Buffer | undefined> {
  for (let bytes = Buffer.alloc(FIRST_ADAPTERS_BYTES); ;) {
    const size = [bytes.length]
    const asked = getAdapters(AF_UNSPEC, flags, null, bytes, size)
    const unknownFlags = flags === 0 ? [] : [ERROR_INVALID_DATA]
    const result = await demandSuccess('all adapters', asked, ERROR_BUFFER_OVERFLOW, ...unknownFlags)
    if (result === ERROR_SUCCESS) return bytes
    if (result === ERROR_INVALID_DATA) return undefined
    bytes = Buffer.alloc(Math.max(size[0]!, bytes.length * 2))
  }
}

/** The GUID is the name of its key in the registry. */
type NamedAdapter = Adapter & {readonly guid: string}

function readAdapters({koffi, structs}: Library, bytes: Buffer): NamedAdapter[] {
  const follow = (first: Pointer, type: NativeType): {entry: AddressEntry; address: string}[] => {
    const found: {entry: AddressEntry; address: string}[] = []
    for (let at = first; at !== null;) {
      const entry = koffi.decode(at, type) as AddressEntry
      const address =
        entry.sockaddr === null ? undefined : ipv4Of(koffi.decode(entry.sockaddr, 'uint8_t', 8) as Uint8Array)
      if (address !== undefined) found.push({address, entry})
      at = entry.next
    }
    return found
  }
  const plain = (first: Pointer) => follow(first, structs.LISTED_ADDRESS).map(({address}) => address)

  const adapters: NamedAdapter[] = []
  for (let at: Buffer | Pointer = bytes; at !== null;) {
    const entry: AdapterEntry = koffi.decode(at, structs.IP_ADAPTER_ADDRESSES) as AdapterEntry
    const up = entry.operStatus === IF_OPER_STATUS_UP
    adapters.push({
      addresses: follow(entry.firstUnicast, structs.IP_ADAPTER_UNICAST_ADDRESS)
        // Those of an adapter without a connection are never tried.
        .filter(({entry: {dadState = 0}}) => !up || !NOT_USABLE_YET.includes(dadState))
        .map(({address, entry: {prefixLength = 0}}) => ({address, prefixLength})),
      dhcp: (entry.flags & IP_ADAPTER_DHCP_ENABLED) !== 0,
      dnsServers: plain(entry.firstDnsServer),
      gateways: plain(entry.firstGateway),
      guid: entry.adapterName ?? '',
      // Without IPv4 on the adapter only the other index is set; both are the same where both are.
      index: entry.ifIndex || entry.ipv6IfIndex,
      name: entry.friendlyName,
      up,
    })
    at = entry.next
  }
  return adapters
}

function addGateways(adapters: readonly NamedAdapter[], routes: readonly Route[]): NamedAdapter[] {
  const defaults = routes.filter(({destination}) => destination === '0.0.0.0/0')
  return adapters.map((adapter) => ({
    ...adapter,
    gateways: defaults.filter(({interfaceIndex}) => interfaceIndex === adapter.index).map(({nextHop}) => nextHop),
  }))
}

async function readRoutes({freeTable, getRoutes, koffi, structs}: Library): Promise<Route[]> {
  const table: Pointer[] = [null]
  await demandSuccess('IPv4', getRoutes(AF_INET, table))
  const at = table[0]
  if (at === null || at === undefined) return []
  try {
    const routes: Route[] = []
    for (let row = 0; row < koffi.decode.uint32(at); row++) {
      const offset = TABLE_HEADER_BYTES + row * koffi.sizeof(structs.MIB_IPFORWARD_ROW2)
      const entry = koffi.decode(at, offset, structs.MIB_IPFORWARD_ROW2) as RouteEntry
      routes.push({
        destination: `${ipv4Of(entry.destination) ?? ''}/${entry.prefixLength}`,
        interfaceIndex: entry.interfaceIndex,
        metric: entry.metric,
        nextHop: ipv4Of(entry.nextHop) ?? '',
        ...originOf(entry),
      })
    }
    return routes
  } finally {
    await freeTable(at)
  }
}

/** Routes of the link itself are "manual" too, and of another protocol. One that ends by itself is that of a lease. */
function originOf({origin, protocol, validLifetime}: RouteEntry): Pick<Route, 'origin'> {
  if (origin === NLRO_DHCP || (validLifetime > 0 && validLifetime < INFINITE)) return {origin: 'dhcp'}
  return origin === NLRO_MANUAL && protocol === MIB_IPPROTO_NETMGMT ? {origin: 'manual'} : {}
}

// The structures of the IP helper (iptypes.h, netioapi.h), in their 64-bit layout.

/** SOCKADDR_INET, large enough for IPv6. */
const SOCKADDR_INET_BYTES = 28

interface AdapterEntry {
  readonly adapterName: string | null
  readonly flags: number
  readonly firstDnsServer: Pointer
  readonly firstGateway: Pointer
  readonly firstUnicast: Pointer
  readonly friendlyName: string
  readonly ifIndex: number
  readonly ipv6IfIndex: number
  readonly next: Pointer
  readonly operStatus: number
}

interface AddressEntry {
  readonly dadState?: number
  readonly next: Pointer
  readonly prefixLength?: number
  readonly sockaddr: Pointer
}

interface RouteEntry {
  readonly destination: Uint8Array
  readonly interfaceIndex: number
  readonly metric: number
  readonly nextHop: Uint8Array
  readonly origin: number
  readonly prefixLength: number
  readonly protocol: number
  readonly validLifetime: number
}

export function networkStructs(koffi: Koffi) {
  const socketAddress = {sockaddr: 'void *', sockaddrLength: 'int32_t'}
  const listed = {length: 'uint32_t', flags: 'uint32_t', next: 'void *', ...socketAddress}
  return {
    IP_ADAPTER_ADDRESSES: koffi.struct({
      length: 'uint32_t',
      ifIndex: 'uint32_t',
      next: 'void *',
      adapterName: 'str',
      firstUnicast: 'void *',
      firstAnycast: 'void *',
      firstMulticast: 'void *',
      firstDnsServer: 'void *',
      dnsSuffix: 'void *',
      description: 'void *',
      friendlyName: 'str16',
      physicalAddress: koffi.array('uint8_t', 8),
      physicalAddressLength: 'uint32_t',
      flags: 'uint32_t',
      mtu: 'uint32_t',
      ifType: 'uint32_t',
      operStatus: 'uint32_t',
      ipv6IfIndex: 'uint32_t',
      zoneIndices: koffi.array('uint32_t', 16),
      firstPrefix: 'void *',
      transmitLinkSpeed: 'uint64_t',
      receiveLinkSpeed: 'uint64_t',
      firstWinsServer: 'void *',
      firstGateway: 'void *',
    }),
    /** IP_ADAPTER_DNS_SERVER_ADDRESS and IP_ADAPTER_GATEWAY_ADDRESS. */
    LISTED_ADDRESS: koffi.struct(listed),
    IP_ADAPTER_UNICAST_ADDRESS: koffi.struct({
      ...listed,
      // SOCKET_ADDRESS ends here and is padded to eight bytes.
      prefixOrigin: [8, 'int32_t'],
      suffixOrigin: 'int32_t',
      dadState: 'int32_t',
      validLifetime: 'uint32_t',
      preferredLifetime: 'uint32_t',
      leaseLifetime: 'uint32_t',
      prefixLength: 'uint8_t',
    }),
    MIB_IPFORWARD_ROW2: koffi.struct({
      interfaceLuid: 'uint64_t',
      interfaceIndex: 'uint32_t',
      destination: koffi.array('uint8_t', SOCKADDR_INET_BYTES),
      // IP_ADDRESS_PREFIX ends here and is padded to four bytes.
      prefixLength: 'uint8_t',
      nextHop: [4, koffi.array('uint8_t', SOCKADDR_INET_BYTES)],
      sitePrefixLength: 'uint8_t',
      validLifetime: 'uint32_t',
      preferredLifetime: 'uint32_t',
      metric: 'uint32_t',
      protocol: 'int32_t',
      flags: koffi.array('uint8_t', 4),
      age: 'uint32_t',
      origin: 'int32_t',
    }),
  }
}

/** The address in a sockaddr_in (family, port, four bytes); undefined for other families. */
export function ipv4Of(sockaddr: Uint8Array): string | undefined {
  const family = sockaddr[0]! | (sockaddr[1]! << 8)
  return family === AF_INET ? sockaddr.subarray(4, 8).join('.') : undefined
}

/** 255.255.255.0 as 24. */
const bitsOf = (mask: string): number =>
  mask.split('.').reduce((sum, part) => sum + Number(part).toString(2).replaceAll('0', '').length, 0)

/** The reverse: a SOCKADDR_INET with an IPv4 address. */
function sockaddrOf(address: string): Buffer {
  const bytes = Buffer.alloc(SOCKADDR_INET_BYTES)
  bytes.writeUInt16LE(AF_INET)
  bytes.set(address.split('.').map(Number), 4)
  return bytes
}
