// Services and EndpointSlices, read from what the API server or something in its place answers.
import {describe, expect, it} from 'vitest'
import type {ListAll} from '../../../src/host/cluster/cluster.js'
import {openEndpoints} from '../../../src/host/cluster/endpoints.js'

const reading = (...items: readonly unknown[]) => {
  const listAll = (async (_path, read) => items.map((item) => read(item))) as ListAll
  return openEndpoints(listAll)
}
const slice = (rest: object = {}) => ({
  addressType: 'IPv4',
  endpoints: [{addresses: ['10.244.1.7'], nodeName: 'linux-1', targetRef: {kind: 'Pod', name: 'web-1'}}],
  metadata: {
    labels: {'kubernetes.io/service-name': 'web'},
    managedFields: [{time: '2026-11-16T10:00:00Z'}, {time: '2026-11-16T10:00:09Z'}, {time: 'never'}],
    namespace: 'shop',
  },
  ports: [{name: 'http', port: 8080}],
  ...rest,
})

describe('endpoints', () => {
  it('have their Service, pod, node and ports', async () => {
    expect(await reading(slice()).endpointSlices()).toEqual([
      {
        changedAt: Date.parse('2026-11-16T10:00:09Z'),
        endpoints: [{address: '10.244.1.7', isReady: true, node: 'linux-1', pod: 'web-1'}],
        namespace: 'shop',
        ports: [{name: 'http', port: 8080, protocol: 'TCP'}],
        service: 'web',
      },
    ])
  })

  it('are not ready only where the slice says so', async () => {
    const endpoints = [undefined, true, false].map((ready) => ({addresses: ['10.244.1.7'], conditions: {ready}}))
    const [found] = await reading(slice({endpoints})).endpointSlices()
    expect(found?.endpoints.map(({isReady}) => isReady)).toEqual([true, true, false])
  })

  it('that are published before they serve are not ready', async () => {
    const endpoints = [{addresses: ['10.244.1.7'], conditions: {ready: true, serving: false}}]
    const [found] = await reading(slice({endpoints})).endpointSlices()
    expect(found?.endpoints.map(({isReady}) => isReady)).toEqual([false])
  })

  it.each<[string, unknown]>([
    ['that are no list', slice({endpoints: 'x'})],
    ['without a valid address', slice({endpoints: [{addresses: ['x']}, {addresses: [7]}, {}, null]})],
  ])('%s are none', async (_, item) => {
    expect(await reading(item).endpointSlices()).toMatchObject([{endpoints: []}])
  })

  it.each<[string, unknown]>([
    ['of IPv6', slice({addressType: 'IPv6'})],
    ['of no Service', slice({metadata: {}})],
    ['of nothing', null],
  ])('a slice %s is none', async (_, item) => {
    expect(await reading(item).endpointSlices()).toEqual([])
  })
})

describe('ports of Services', () => {
  const service = (spec: object) => ({metadata: {name: 'web', namespace: 'shop'}, spec})

  it('have the address of IPv4, wherever it is', async () => {
    const ports = [{name: 'http', port: 80}, {name: 'dns', port: 53, protocol: 'UDP'}, {port: 'x'}]
    const found = await reading(
      service({clusterIP: 'fd00::1', clusterIPs: ['fd00::1', '10.10.0.20'], ports}),
    ).servicePorts()
    expect(found.map(({clusterIP, port, portName, protocol}) => [clusterIP, port, portName, protocol])).toEqual([
      ['10.10.0.20', 80, 'http', 'TCP'],
      ['10.10.0.20', 53, 'dns', 'UDP'],
    ])
  })

  it('of a Service without an address, or with another proxy, are none', async () => {
    const labels = {'service.kubernetes.io/service-proxy-name': 'other'}
    const others = {...service({clusterIP: '10.10.0.20', ports: [{port: 80}]}), metadata: {labels}}
    const headless = service({clusterIP: 'None', ports: [{port: 80}]})
    expect(await reading(headless, others, null).servicePorts()).toEqual([])
  })
})
