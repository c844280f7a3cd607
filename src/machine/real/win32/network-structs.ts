// The structures of the IP helper (iptypes.h, netioapi.h), in their 64-bit layout.
import type {Koffi} from './koffi.js'
import type {Pointer} from './library.js'

/** SOCKADDR_INET, large enough for IPv6. */
const SOCKADDR_INET_BYTES = 28
const AF_INET = 2

export interface AdapterEntry {
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

export interface AddressEntry {
  readonly next: Pointer
  readonly prefixLength?: number
  readonly sockaddr: Pointer
}

export interface RouteEntry {
  readonly destination: Uint8Array
  readonly interfaceIndex: number
  readonly metric: number
  readonly nextHop: Uint8Array
  readonly prefixLength: number
}

export function networkStructs(koffi: Koffi) {
  const socketAddress = {sockaddr: 'void *', sockaddrLength: 'int32_t'}
  const listed = {length: 'uint32_t', flags: 'uint32_t', next: 'void *', ...socketAddress}
  return {
    IP_ADAPTER_ADDRESSES: koffi.struct({
      length: 'uint32_t',
      ifIndex: 'uint32_t',
      next: 'void *',
      adapterName: 'void *',
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
