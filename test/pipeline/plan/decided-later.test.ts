import {describe, expect, test} from 'vitest'
import {decidedLater, watchDaemons} from '../../../src/pipeline/plan/decided-later.js'
import {profileNamed} from '../../../src/simulator/profiles/index.js'
import type {ClusterNode, World} from '../../../src/simulator/world.js'

const KNOWN = '0A1B2C3D-0000-4000-8000-000000000001'
const NEW = '0a1b2c3d-0000-4000-8000-000000000002'

function world(): World {
  const made = profileNamed('ws2019').makeWorld(0)
  made.hns.networks = [{ID: KNOWN, Name: 'nat', Type: 'nat'}]
  return made
}

const node = (podCIDR: string): ClusterNode => ({
  addresses: [],
  annotations: {},
  labels: {},
  name: 'win-1',
  podCIDR,
  ready: false,
  readyReason: '',
  taints: [],
})

describe('what only the cluster decides', () => {
  test('is reported as such: its pod network, and addresses in it', () => {
    const twin = world()
    const {podCIDR, replace} = decidedLater(twin, 'win-1')
    expect(podCIDR()).toBeUndefined()
    twin.cluster.nodes.push(node('10.244.3.0/24'))
    expect(podCIDR()).toBe('decided by the cluster')
    expect(replace('subnet "10.244.3.0/24" --source-vip=10.244.3.2 --cluster-cidr=10.244.0.0/16 10.244.30.2')).toBe(
      'subnet "<pod CIDR, decided by the cluster>" --source-vip=<source VIP, decided by the cluster> --cluster-cidr=10.244.0.0/16 10.244.30.2',
    )
  })

  test('is reported as it is where the cluster has decided', () => {
    const twin = world()
    twin.cluster.nodes.push(node('10.244.3.0/24'))
    const {podCIDR, replace} = decidedLater(twin, 'win-1')
    expect(podCIDR()).toBe('10.244.3.0/24')
    expect(replace('10.244.3.0/24 10.244.3.2')).toBe('10.244.3.0/24 10.244.3.2')
  })

  test('ids that HNS gives are not made up; those it gave are reported', () => {
    const {replace} = decidedLater(world(), 'win-1')
    expect(replace(`DELETE /networks/${KNOWN.toLowerCase()} ${NEW}`)).toBe(
      `DELETE /networks/${KNOWN.toLowerCase()} <id, decided by HNS>`,
    )
  })
})

test('what daemons make is reported once, with the step that waited for it', () => {
  const twin = world()
  const news = watchDaemons(twin)
  expect(news()).toEqual([])
  twin.cluster.nodes.push(node(''))
  const policies = [{Type: 'VSID', VSID: 4096}]
  const subnets = [{AddressPrefix: '10.244.3.0/24', Policies: policies}]
  twin.hns.networks.push({ID: NEW, Name: 'vxlan0', NetworkAdapterName: 'Ethernet0', Subnets: subnets, Type: 'Overlay'})
  expect(news()).toEqual([
    'the kubelet registers the node win-1',
    'the HNS network vxlan0 comes up: Overlay, subnet 10.244.3.0/24, VSID 4096, over "Ethernet0"',
  ])
  expect(news()).toEqual([])
})
