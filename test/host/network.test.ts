// What of the host's network is noted before the vSwitch is made, and what is called lost.
import {describe, expect, it} from 'vitest'

import {lost, restoreCommands, takeSnapshot} from '../../src/host/network.js'
import type {Adapter, Route} from '../../src/machine/win32.js'

const adapter = (name: string, part: Partial<Adapter> = {}): Adapter => ({
  addresses: [{address: '10.0.0.5', prefixLength: 24}],
  dhcp: false,
  dnsServers: ['10.0.0.53', '10.0.0.54'],
  gateways: ['10.0.0.1'],
  index: 5,
  name,
  up: true,
  ...part,
})
const route = (destination: string, nextHop: string): Route => ({destination, interfaceIndex: 5, metric: 10, nextHop})
const ROUTES = [
  route('0.0.0.0/0', '10.0.0.1'),
  route('10.0.0.0/24', '0.0.0.0'),
  route('192.168.7.0/24', '10.0.0.9'),
  route('192.168.7.0/24', '10.0.0.9'),
]
const bare = {addresses: [], dnsServers: [], gateways: []}

describe('a snapshot', () => {
  it('has addresses, gateways, DNS servers and the routes with a gateway, each once', () => {
    expect(takeSnapshot([adapter('Ethernet0')], ROUTES)).toEqual({
      addresses: ['10.0.0.5/24'],
      dnsServers: ['10.0.0.53', '10.0.0.54'],
      gateways: ['10.0.0.1'],
      routes: ['0.0.0.0/0 via 10.0.0.1', '192.168.7.0/24 via 10.0.0.9'],
    })
  })

  it('leaves out 169.254 and adapters that lead nowhere', () => {
    const adapters = [
      adapter('Ethernet0', {
        addresses: [
          {address: '169.254.7.7', prefixLength: 16},
          {address: '10.0.0.6', prefixLength: 24},
        ],
      }),
      adapter('vEthernet (nat)', {...bare, addresses: [{address: '172.20.0.1', prefixLength: 20}]}),
    ]
    expect(takeSnapshot(adapters, []).addresses).toEqual(['10.0.0.6/24'])
  })
})

describe('lost', () => {
  const before = takeSnapshot([adapter('Ethernet0')], ROUTES)

  it('is nothing where the vSwitch took everything over, under another name and index', () => {
    const moved = [adapter('Ethernet0', bare), adapter('vEthernet (Ethernet0)', {index: 12})]
    const routes = ROUTES.map((entry) => ({...entry, interfaceIndex: 12, metric: 25}))
    expect(lost(before, takeSnapshot(moved, routes))).toEqual([])
  })

  it('is nothing where something came to it', () => {
    const more = adapter('x', {addresses: [{address: '10.244.3.1', prefixLength: 24}]})
    expect(
      lost(before, takeSnapshot([adapter('Ethernet0'), more], [...ROUTES, route('1.0.0.0/8', '10.0.0.2')])),
    ).toEqual([])
  })

  it('is everything while the adapter is gone', () => {
    expect(lost(before, takeSnapshot([], []))).toEqual([
      'address 10.0.0.5/24',
      'gateway 10.0.0.1',
      'DNS server 10.0.0.53',
      'DNS server 10.0.0.54',
      'route 0.0.0.0/0 via 10.0.0.1',
      'route 192.168.7.0/24 via 10.0.0.9',
    ])
  })

  it.each([
    [
      'a static address that became 169.254',
      {addresses: [{address: '169.254.3.3', prefixLength: 16}]},
      'address 10.0.0.5/24',
    ],
    ['another prefix', {addresses: [{address: '10.0.0.5', prefixLength: 16}]}, 'address 10.0.0.5/24'],
    ['a DNS server', {dnsServers: ['10.0.0.53']}, 'DNS server 10.0.0.54'],
    ['the gateway', {gateways: []}, 'gateway 10.0.0.1'],
  ])('is %s', (_, part, told) => {
    expect(lost(before, takeSnapshot([adapter('vEthernet (Ethernet0)', part)], ROUTES))).toEqual([told])
  })

  it('is a route (the metadata route of a cloud)', () => {
    expect(lost(before, takeSnapshot([adapter('vEthernet (Ethernet0)')], ROUTES.slice(0, 2)))).toEqual([
      'route 192.168.7.0/24 via 10.0.0.9',
    ])
  })
})

describe('to get it back', () => {
  const two = [
    {address: '10.0.0.5', prefixLength: 24},
    {address: '10.0.0.6', prefixLength: 20},
  ]
  const before = takeSnapshot([adapter('Ethernet0', {addresses: two})], ROUTES)
  const typed = (part: Partial<Adapter>, routes = ROUTES): string[] =>
    restoreCommands('vEthernet (Ethernet0)', before, takeSnapshot([adapter('x', part)], routes, 'all'))

  it('nothing is typed where nothing is lost', () => {
    expect(typed({addresses: two})).toEqual([])
  })

  it('the first of all addresses replaces the automatic one, others are added', () => {
    expect(typed({addresses: []})).toEqual([
      'netsh interface ipv4 set address "vEthernet (Ethernet0)" static 10.0.0.5 255.255.255.0',
      'netsh interface ipv4 add address "vEthernet (Ethernet0)" 10.0.0.6 255.255.240.0',
    ])
    expect(typed({addresses: two.slice(0, 1)})).toEqual([
      'netsh interface ipv4 add address "vEthernet (Ethernet0)" 10.0.0.6 255.255.240.0',
    ])
  })

  it('an address is not lost where only its gateway and DNS servers are', () => {
    const after = {addresses: two, dnsServers: [], gateways: []}
    expect(lost(before, takeSnapshot([adapter('x', after)], ROUTES, 'all'))).toEqual([
      'gateway 10.0.0.1',
      'DNS server 10.0.0.53',
      'DNS server 10.0.0.54',
    ])
    expect(typed(after, ROUTES.slice(1))).toEqual([
      'netsh interface ipv4 add route 0.0.0.0/0 "vEthernet (Ethernet0)" 10.0.0.1',
      'netsh interface ipv4 add dnsservers "vEthernet (Ethernet0)" 10.0.0.53 validate=no',
      'netsh interface ipv4 add dnsservers "vEthernet (Ethernet0)" 10.0.0.54 validate=no',
    ])
  })
})
