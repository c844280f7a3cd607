// Which of the host's addresses, neighbours and routes are inside of a range of the cluster.
import fc from 'fast-check'
import {describe, expect, it} from 'vitest'

import {formatCidr, networkOf, overlaps, parseCidr} from '../../src/config/cidr.js'
import type {Adapter} from '../../src/machine/win32.js'
import {usesOf} from '../../src/preflight/checks/network-checks.js'

const adapter = (part: Partial<Adapter>): Adapter => ({
  addresses: [],
  dhcp: false,
  dnsServers: [],
  gateways: [],
  index: 4,
  name: 'Ethernet0',
  up: true,
  ...part,
})
const ADDRESS = fc.nat(2 ** 32 - 1)
const PREFIX = fc.integer({max: 32, min: 8})
const network = (address: number, prefix: number): string => formatCidr(networkOf({address, prefix}))

describe('the networks of a host', () => {
  it('count when they overlap, and only then', () => {
    fc.assert(
      fc.property(ADDRESS, PREFIX, ADDRESS, PREFIX, (rangeAt, rangeBits, ownAt, ownBits) => {
        const [range, own] = [network(rangeAt, rangeBits), formatCidr({address: ownAt, prefix: ownBits})]
        const [address = '', bits] = own.split('/')
        const seen = usesOf(range, [adapter({addresses: [{address, prefixLength: Number(bits)}]})], [])
        expect(seen.length > 0).toBe(overlaps(parseCidr(range)!, parseCidr(own)!))
      }),
    )
  })

  it('routes over a gateway count when they are as narrow as the range and inside of it', () => {
    fc.assert(
      fc.property(ADDRESS, PREFIX, PREFIX, (at, rangeBits, routeBits) => {
        const route = {destination: network(at, routeBits), interfaceIndex: 4, metric: 1, nextHop: '192.0.2.1'}
        const seen = usesOf(network(at, rangeBits), [adapter({})], [route])
        expect(seen).toEqual(routeBits >= rangeBits ? [`route ${route.destination} via 192.0.2.1`] : [])
      }),
    )
  })

  it('the default route, routes on the link and those of adapters that are gone do not count', () => {
    const routes = [
      {destination: '0.0.0.0/0', interfaceIndex: 4, metric: 1, nextHop: '192.0.2.1'},
      {destination: '10.244.1.0/24', interfaceIndex: 4, metric: 1, nextHop: '0.0.0.0'},
      {destination: '10.244.2.0/24', interfaceIndex: 9, metric: 1, nextHop: '192.0.2.1'},
    ]
    expect(usesOf('10.244.0.0/16', [adapter({})], routes)).toEqual([])
  })

  it('gateways and DNS servers inside of the range count, once each', () => {
    const part = {dnsServers: ['10.10.0.2', '10.0.0.2'], gateways: ['10.10.0.1']}
    expect(usesOf('10.10.0.0/16', [adapter(part), adapter(part)], [])).toEqual([
      'gateway 10.10.0.1 of "Ethernet0"',
      'DNS server 10.10.0.2 of "Ethernet0"',
    ])
  })

  it('what is not a range has nothing in it', () => {
    expect(usesOf('nonsense', [adapter({gateways: ['10.0.0.1']})], [])).toEqual([])
  })
})
