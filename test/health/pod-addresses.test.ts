// Addresses that are used twice, in HNS and in the cluster.
import {expect, it} from 'vitest'
import {twiceInCluster, twiceInHns} from '../../src/health/pod-addresses.js'
import type {EndpointSlice, ServiceEndpoint} from '../../src/host/cluster/endpoints.js'

const local = (ID: string, IPAddress: string) => ({ID, IPAddress, IsRemoteEndpoint: false})
const remote = (ID: string, IPAddress: string) => ({ID, IPAddress, IsRemoteEndpoint: true})
const pod = (name: string, address: string, isReady = true): ServiceEndpoint => ({
  address,
  isReady,
  node: 'win-1',
  pod: name,
})
const slice = (...endpoints: readonly ServiceEndpoint[]): EndpointSlice => ({
  changedAt: 0,
  endpoints,
  namespace: 'shop',
  ports: [],
  service: 'web',
})

it('every endpoint has its own: nothing is wrong', () => {
  expect(twiceInHns([local('a', '10.244.3.7'), remote('b', '10.244.1.7'), {ID: 'c'}, {ID: 'd'}])).toEqual([])
})

it('a pod of this node with the address of a remote endpoint: the remote one is to be removed', () => {
  for (const both of [
    [local('a', '10.244.3.7'), remote('b', '10.244.3.7')],
    [remote('b', '10.244.3.7'), local('a', '10.244.3.7')],
  ]) {
    const [twice] = twiceInHns(both)
    expect(twice?.seen).toMatch(/^10\.244\.3\.7 .*remote endpoint b /)
    expect(twice?.fix).toMatch(/hnsdiag delete endpoints b"/)
  }
})

it('two pods of this node with one address', () => {
  const [twice, ...others] = twiceInHns([local('a', '10.244.3.7'), local('b', '10.244.3.7')])
  expect(others).toEqual([])
  expect(twice?.seen).toMatch(/ a and b /)
  expect(twice?.fix).toMatch(/Delete the pods/)
})

it('two remote endpoints with one address concern no pod of this node', () => {
  expect(twiceInHns([remote('a', '10.244.1.7'), remote('b', '10.244.1.7')])).toEqual([])
})

it('two pods of the cluster with one address', () => {
  const twice = twiceInCluster(
    [slice(pod('web-1', '10.244.3.7'), pod('web-2', '10.244.3.7')), slice(pod('web-1', '10.244.3.7'))],
    '10.244.0.0/16',
  )
  expect(twice).toHaveLength(1)
  expect(twice[0]?.seen).toBe('10.244.3.7 is the address of the pods shop/web-1 and shop/web-2')
})

it.each<[string, readonly ServiceEndpoint[]]>([
  ['pods on the network of their host', [pod('a', '10.0.0.5'), pod('b', '10.0.0.5')]],
  ['one that has ended', [pod('a', '10.244.3.7'), pod('b', '10.244.3.7', false)]],
  ['what is no pod', [pod('', '10.244.3.7'), pod('b', '10.244.3.7')]],
])('is not judged: %s', (_, endpoints) => {
  expect(twiceInCluster([slice(...endpoints)], '10.244.0.0/16')).toEqual([])
})
