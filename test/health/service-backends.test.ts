// The backends of HNS' load balancers against the EndpointSlices of the cluster.
import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {type Backends, wrongBackends} from '../../src/pipeline/desired/network/service-backends.js'
import type {EndpointSlice, ServiceEndpoint, ServicePort} from '../../src/host/cluster/endpoints.js'
import type {HnsPolicyList} from '../../src/host/hns/objects.js'

const PORT: ServicePort = {
  clusterIP: '10.10.0.20',
  isLocalOnly: false,
  name: 'web',
  namespace: 'shop',
  port: 80,
  portName: 'http',
  protocol: 'TCP',
}
const endpoint = (address: string, rest: Partial<ServiceEndpoint> = {}): ServiceEndpoint => ({
  address,
  isReady: true,
  node: 'linux-1',
  pod: `web-${address}`,
  ...rest,
})
const slice = (endpoints: readonly ServiceEndpoint[], rest: Partial<EndpointSlice> = {}): EndpointSlice => ({
  changedAt: 0,
  endpoints,
  namespace: 'shop',
  ports: [{name: 'http', port: 8080, protocol: 'TCP'}],
  service: 'web',
  ...rest,
})
const balancer = (addresses: readonly string[], rest: object = {}): HnsPolicyList => ({
  ID: 'LB',
  Policies: [{ExternalPort: 80, Protocol: 6, Type: 'ELB', VIPs: ['10.10.0.20'], ...rest}],
  References: addresses.map((address) => `/endpoints/id-${address}`),
})
const inHns = (...addresses: readonly string[]) => addresses.map((IPAddress) => ({ID: `ID-${IPAddress}`, IPAddress}))
const A = '10.244.1.7'
const B = '10.244.2.8'
const ALL: Backends = {
  balancers: [balancer([A, B])],
  endpoints: inHns(A, B, '10.10.0.20'),
  isOwnHost: () => false,
  newerThan: 1000,
  servicePorts: [PORT],
  slices: [slice([endpoint(A)]), slice([endpoint(B)])],
}

it('as they are wanted: nothing is wrong', () => {
  expect(wrongBackends(ALL)).toEqual([])
})

describe('is wrong', () => {
  it.each<[string, Partial<Backends>, RegExp]>([
    [
      'an endpoint that is gone',
      {slices: [slice([endpoint(A)])]},
      /^shop\/web \(10\.10\.0\.20:80 TCP\) sends to 10\.244\.2\.8, which is not/,
    ],
    ['an endpoint that is missing', {balancers: [balancer([A])]}, /does not send to 10\.244\.2\.8$/],
    [
      'a reference to nothing',
      {endpoints: inHns(A)},
      /an endpoint that no longer exists.* and does not send to 10\.244\.2\.8/,
    ],
    ['no load balancer', {balancers: []}, /has no load balancer$/],
    ['one of another port', {balancers: [balancer([A, B], {ExternalPort: 81})]}, /has no load balancer$/],
    ['one of another protocol', {balancers: [balancer([A, B], {Protocol: 17})]}, /has no load balancer$/],
    [
      'a second one that was left behind (kubernetes#112836)',
      {balancers: [balancer([A, B]), balancer(['10.244.9.9'])], endpoints: inHns(A, B, '10.244.9.9')},
      /sends to 10\.244\.9\.9/,
    ],
    ['all endpoints are gone', {slices: []}, /sends to 10\.244\.1\.7.*sends to 10\.244\.2\.8/],
  ])('%s', (_, change, says) => {
    const wrong = wrongBackends({...ALL, ...change})
    expect(wrong).toHaveLength(1)
    expect(wrong[0]).toMatch(says)
  })
})

describe('is not judged', () => {
  it.each<[string, Partial<Backends>]>([
    ['a Service whose endpoints have just changed', {slices: [slice([], {changedAt: 1001})]}],
    [
      'a backend that is no longer ready, and not gone',
      {slices: [slice([endpoint(A), endpoint(B, {isReady: false})])]},
    ],
    [
      'an endpoint that is not ready yet',
      {balancers: [balancer([A])], slices: [slice([endpoint(A), endpoint(B, {isReady: false})])]},
    ],
    [
      'an endpoint of another port',
      {
        balancers: [balancer([A])],
        slices: [slice([endpoint(A)]), slice([endpoint(B)], {ports: [{name: 'admin', port: 8081, protocol: 'TCP'}]})],
      },
    ],
    ['a host process of this node', {balancers: [balancer([A])], isOwnHost: ({address}) => address === B}],
    [
      'the pods of other nodes, where traffic stays here',
      {balancers: [balancer([A])], servicePorts: [{...PORT, isLocalOnly: true}]},
    ],
    ['a protocol that kube-proxy does not balance', {balancers: [], servicePorts: [{...PORT, protocol: 'SCTP'}]}],
    ['a Service without endpoints', {balancers: [], slices: []}],
    ['a load balancer whose references HNS left out', {balancers: [{...balancer([A]), References: null}]}],
    ['one whose policies HNS left out', {balancers: [{ID: 'LB'}]}],
    ['one whose address HNS left out', {balancers: [balancer([A, B], {VIPs: null})]}],
    ['one whose port HNS left out', {balancers: [balancer([A, B], {ExternalPort: undefined})]}],
    ['an endpoint whose address HNS left out', {endpoints: [...inHns(A), {ID: `ID-${B}`}]}],
  ])('%s', (_, change) => {
    expect(wrongBackends({...ALL, ...change})).toEqual([])
  })
})

describe('whatever the cluster has', () => {
  const address = fc.nat({max: 250}).map((last) => `10.244.1.${last}`)
  const service = fc.record({
    addresses: fc.uniqueArray(address, {maxLength: 6, minLength: 1}),
    port: fc.integer({max: 65_535, min: 1}),
    unready: fc.uniqueArray(address, {maxLength: 3}),
  })
  const seenBy = (services: readonly {addresses: string[]; port: number; unready: string[]}[]): Backends => ({
    balancers: services.map(({addresses, port}, index) =>
      balancer(addresses, {ExternalPort: port, VIPs: [`10.10.1.${index}`]}),
    ),
    endpoints: inHns(...new Set(services.flatMap(({addresses}) => addresses))),
    isOwnHost: () => false,
    newerThan: 1000,
    servicePorts: services.map(({port}, index) => ({...PORT, clusterIP: `10.10.1.${index}`, name: `s${index}`, port})),
    slices: services.map(({addresses, unready}, index) =>
      slice([...addresses.map((one) => endpoint(one)), ...unready.map((one) => endpoint(one, {isReady: false}))], {
        service: `s${index}`,
      }),
    ),
  })

  it('what kube-proxy makes of it is right, and each endpoint that is missing or too many is found', () => {
    fc.assert(
      fc.property(fc.array(service, {maxLength: 8, minLength: 1}), fc.nat(), (services, number) => {
        const all = seenBy(services)
        expect(wrongBackends(all)).toEqual([])
        const index = number % services.length
        const [gone = ''] = services[index]?.addresses ?? []
        const moved = all.slices.map((one, at) =>
          at === index ? slice([endpoint('10.244.9.9')], {service: one.service}) : one,
        )
        const wrong = wrongBackends({...all, slices: moved})
        expect(wrong).toHaveLength(1)
        expect(wrong[0]).toContain(`sends to ${gone}, `)
        expect(wrong[0]).toContain('does not send to 10.244.9.9')
      }),
    )
  })
})
