// What of the host's network is noted before the vSwitch is made, what is called lost, and what puts it back.
import {describe, expect, it} from 'vitest'

import {
  inWords,
  lost,
  lostForLong,
  lostInSwitch,
  type NetworkNow,
  repairs,
  restoreCommands,
  takeSnapshot,
} from '../../src/host/saved-network.js'
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
const route = (destination: string, nextHop: string, part: Partial<Route> = {}): Route => ({
  destination,
  interfaceIndex: 5,
  metric: 10,
  nextHop,
  origin: 'manual',
  ...part,
})
const METADATA = route('169.254.169.254/32', '0.0.0.0', {metric: 1, persistent: true})
const ROUTES = [
  route('0.0.0.0/0', '10.0.0.1', {persistent: true}),
  {destination: '10.0.0.0/24', interfaceIndex: 5, metric: 256, nextHop: '0.0.0.0'},
  route('192.168.7.0/24', '10.0.0.9'),
  METADATA,
]
const bare = {addresses: [], dnsServers: [], gateways: []}
const SWITCH = 'vEthernet (Ethernet0)'
const network = (part: Partial<Adapter> = {}, routes: readonly Route[] = ROUTES, name = SWITCH): NetworkNow => ({
  adapters: [adapter(name, part)],
  routes,
})
const before = takeSnapshot(network({}, ROUTES, 'Ethernet0'))
const fromDhcp = takeSnapshot(
  network({dhcp: true, dnsByHand: false}, [route('0.0.0.0/0', '10.0.0.1', {origin: 'dhcp'}), METADATA], 'Ethernet0'),
)
const wordsOf = (now: NetworkNow, from = before): string[] => lost(from, now).map(inWords)

describe('a snapshot', () => {
  it('has addresses, DNS servers and routes with origin and persistence, and no routes that follow from addresses', () => {
    expect(before).toEqual([
      {
        addresses: ['10.0.0.5/24'],
        dhcp: false,
        dnsByHand: true,
        dnsServers: ['10.0.0.53', '10.0.0.54'],
        name: 'Ethernet0',
        routes: [
          {byHand: true, destination: '0.0.0.0/0', metric: 10, nextHop: '10.0.0.1', persistent: true},
          {byHand: true, destination: '192.168.7.0/24', metric: 10, nextHop: '10.0.0.9', persistent: false},
          {byHand: true, destination: '169.254.169.254/32', metric: 1, nextHop: '0.0.0.0', persistent: true},
        ],
      },
    ])
  })

  it('knows what came from DHCP, and DNS servers that were set by hand beside it', () => {
    expect(fromDhcp[0]).toMatchObject({dhcp: true, dnsByHand: false, routes: [{byHand: false}, {byHand: true}]})
    expect(takeSnapshot(network({dhcp: true, dnsByHand: true}))[0]).toMatchObject({dnsByHand: true})
    // A gateway by hand beside a lease.
    const said = takeSnapshot(network({dhcp: true}, [route('0.0.0.0/0', '10.0.0.1')]))
    expect(said[0]?.routes).toMatchObject([{byHand: true, persistent: false}])
  })

  it('leaves out 169.254, adapters that lead nowhere, and their routes', () => {
    const addresses = [
      {address: '169.254.7.7', prefixLength: 16},
      {address: '10.0.0.6', prefixLength: 24},
    ]
    const nat = adapter('vEthernet (nat)', {...bare, addresses: [{address: '172.20.0.1', prefixLength: 20}], index: 9})
    const adapters = [adapter('Ethernet0', {addresses}), nat]
    const snapshot = takeSnapshot({adapters, routes: [route('1.0.0.0/8', '172.20.0.9', {interfaceIndex: 9})]})
    expect(snapshot).toMatchObject([{addresses: ['10.0.0.6/24'], name: 'Ethernet0', routes: []}])
  })
})

describe('lost', () => {
  it('is nothing where the vSwitch took everything over, under another name, index and metric', () => {
    const moved = ROUTES.map((entry) => ({...entry, interfaceIndex: 12, metric: 25}))
    const adapters = [adapter('Ethernet0', bare), adapter(SWITCH, {index: 12})]
    expect(wordsOf({adapters, routes: moved})).toEqual([])
    const more = adapter('x', {addresses: [{address: '10.244.3.1', prefixLength: 24}]})
    expect(wordsOf({adapters: [...adapters, more], routes: [...moved, route('1.0.0.0/8', '10.0.0.2')]})).toEqual([])
  })

  it('is everything while the adapter is gone', () => {
    expect(wordsOf({adapters: [], routes: []})).toEqual([
      'address 10.0.0.5/24',
      'route 0.0.0.0/0 via 10.0.0.1',
      'route 192.168.7.0/24 via 10.0.0.9',
      'route 169.254.169.254/32 on-link',
      'DNS server 10.0.0.53',
      'DNS server 10.0.0.54',
    ])
  })

  it.each([
    [
      'a fixed address that became 169.254',
      {addresses: [{address: '169.254.3.3', prefixLength: 16}]},
      'address 10.0.0.5/24',
    ],
    ['another prefix', {addresses: [{address: '10.0.0.5', prefixLength: 16}]}, 'address 10.0.0.5/24'],
    ['a DNS server', {dnsServers: ['10.0.0.53']}, 'DNS server 10.0.0.54'],
  ])('is %s', (_, part, words) => {
    expect(wordsOf(network(part))).toEqual([words])
  })

  it('is a route on the link, and one that is via a gateway now', () => {
    expect(wordsOf(network({}, ROUTES.slice(0, 3)))).toEqual(['route 169.254.169.254/32 on-link'])
    const via = [...ROUTES.slice(0, 3), route('169.254.169.254/32', '10.0.0.1')]
    expect(wordsOf(network({}, via))).toEqual(['route 169.254.169.254/32 on-link'])
  })
})

describe('lost in the switch', () => {
  const words = (now: NetworkNow, from = before, own = 'Ethernet0'): string[] =>
    lostInSwitch(from, now, own).map(inWords)

  it('is everything of the own adapter while it is gone or down, and nothing of another', () => {
    for (const now of [{adapters: [], routes: []}, network({...bare, up: false}, [])]) {
      expect(words(now)).toHaveLength(6)
      expect(words(now, before, SWITCH)).toHaveLength(6)
      expect(words(now, before, 'Ethernet1')).toEqual([])
    }
  })

  it('is what was by hand on another adapter, and not what DHCP gave it', () => {
    expect(words(network(bare, []), before, 'Ethernet1')).toHaveLength(6)
    expect(words(network(bare, []), fromDhcp, 'Ethernet1')).toEqual(['route 169.254.169.254/32 on-link'])
  })

  it('is nothing of a lease that another one replaced, but the gateway while there is none', () => {
    const leased = {addresses: [{address: '10.9.0.5', prefixLength: 24}], dhcp: true, dnsServers: ['10.9.0.2']}
    expect(words(network(leased, [route('0.0.0.0/0', '10.9.0.1'), METADATA]), fromDhcp)).toEqual([])
    expect(words(network(leased, [METADATA]), fromDhcp)).toEqual(['route 0.0.0.0/0 via 10.0.0.1'])
    expect(words(network({...bare, dhcp: true}, [METADATA]), fromDhcp)).toHaveLength(4)
  })

  it('is no route whose next hop is in no subnet of the adapter', () => {
    const stale = takeSnapshot(network({}, [...ROUTES, route('1.0.0.0/8', '172.16.0.1')]))
    expect(words(network(), stale)).toEqual([])
  })
})

describe('lost long after the switch', () => {
  const words = (now: NetworkNow, from = before): string[] => lostForLong(from, now).map(inWords)

  it('is a route or all DNS servers', () => {
    expect(words(network({dnsServers: []}, ROUTES.slice(0, 2)))).toEqual([
      'route 192.168.7.0/24 via 10.0.0.9',
      'route 169.254.169.254/32 on-link',
      'DNS server 10.0.0.53',
      'DNS server 10.0.0.54',
    ])
  })

  it('is the address with its gateway while there is no other', () => {
    const apipa = {addresses: [{address: '169.254.3.3', prefixLength: 16}], dhcp: true}
    expect(words(network(apipa, [METADATA]))).toEqual([
      'address 10.0.0.5/24',
      'route 0.0.0.0/0 via 10.0.0.1',
      'route 192.168.7.0/24 via 10.0.0.9',
    ])
  })

  it.each<[string, NetworkNow]>([
    [
      'another address, with which the old gateways are gone too',
      network({addresses: [{address: '10.9.0.5', prefixLength: 24}]}, [METADATA]),
    ],
    ['other DNS servers', network({dnsServers: ['10.0.0.60']})],
    ['another gateway', network({}, [route('0.0.0.0/0', '10.0.0.2'), ...ROUTES.slice(1)])],
    ['no such adapter', {adapters: [], routes: []}],
    ['a lease without gateway and DNS servers', network({dhcp: true, dnsServers: []}, ROUTES.slice(1))],
    ['no connection', network({...bare, up: false}, [])],
  ])('is nothing where there is %s', (_, now) => {
    expect(words(now)).toEqual([])
  })

  it('is nothing that came from DHCP, but a route that was made by hand beside it', () => {
    expect(words(network({addresses: [], dhcp: true, dnsServers: []}, []), fromDhcp)).toEqual([
      'route 169.254.169.254/32 on-link',
    ])
  })
})

describe('what puts it back', () => {
  const two = [
    {address: '10.0.0.5', prefixLength: 24},
    {address: '10.0.0.6', prefixLength: 20},
  ]
  const withTwo = takeSnapshot(network({addresses: two}))
  const repaired = (now: NetworkNow, from = withTwo): string[] =>
    repairs(lost(from, now), now).map(({netsh}) => netsh.join(' '))

  it('is nothing where nothing is lost, and where there is no adapter', () => {
    expect(repaired(network({addresses: two}))).toEqual([])
    expect(repaired({adapters: [], routes: []})).toEqual([])
  })

  it('is a first address that replaces the automatic one, others beside it, and routes after them', () => {
    expect(repaired(network({...bare, dhcp: true}, []))).toEqual([
      `set address name=${SWITCH} source=static address=10.0.0.5 mask=255.255.255.0 store=persistent`,
      `add address name=${SWITCH} address=10.0.0.6 mask=255.255.240.0 store=persistent`,
      `add route prefix=0.0.0.0/0 interface=${SWITCH} nexthop=10.0.0.1 metric=10 store=persistent`,
      `add route prefix=192.168.7.0/24 interface=${SWITCH} nexthop=10.0.0.9 metric=10 store=active`,
      `add route prefix=169.254.169.254/32 interface=${SWITCH} metric=1 store=persistent`,
      `set dnsservers name=${SWITCH} source=static address=10.0.0.53 validate=no`,
      `add dnsservers name=${SWITCH} address=10.0.0.54 validate=no`,
    ])
    expect(repaired(network({addresses: two.slice(0, 1)}))).toEqual([
      `add address name=${SWITCH} address=10.0.0.6 mask=255.255.240.0 store=persistent`,
    ])
  })

  it('is on the adapter itself once the switch is removed', () => {
    const now = network({}, ROUTES.slice(0, 3), 'Ethernet0')
    const [repair] = repairs(lost(takeSnapshot(network()), now), now)
    expect(repair?.route).toEqual({
      destination: '169.254.169.254/32',
      interfaceIndex: 5,
      metric: 1,
      nextHop: '0.0.0.0',
      persistent: true,
    })
    expect(repair?.netsh).toContain('interface=Ethernet0')
  })

  it('is never an address, a gateway or a DNS server that came from DHCP: a person asks for those again', () => {
    const now = network(bare, [])
    expect(repaired(now, fromDhcp)).toEqual([
      `add route prefix=169.254.169.254/32 interface=${SWITCH} metric=1 store=persistent`,
    ])
    expect(restoreCommands(lost(fromDhcp, now), now)).toEqual([
      `ipconfig /renew "${SWITCH}"`,
      `netsh interface ipv4 add route prefix=169.254.169.254/32 interface="${SWITCH}" metric=1 store=persistent`,
    ])
  })
})
