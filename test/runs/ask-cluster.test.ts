// What a simulated cluster reports about its networks.
import {describe, expect, test} from 'vitest'
import type {World} from '../../src/simulator/world.js'
import {type Answer, decideOn, kubeadm, networking} from './decide-rig.js'

const networksOf = ({config}: Answer): string[] => [config.clusterCIDR, config.serviceCIDR, config.clusterDomain]
const DEFAULTS = ['10.244.0.0/16', '10.10.0.0/16', 'cluster.local']
const KUBEADM = 'ConfigMap kube-system/kubeadm-config'

function flannel({cluster}: World, network: string): void {
  const data = cluster.configMaps.find(({name}) => name === 'kube-flannel-cfg')?.data
  if (data) data['net-conf.json'] = JSON.stringify({Backend: {Type: 'vxlan'}, Network: network})
}

describe('the networks and the domain', () => {
  test('come from kubeadm-config, which every node may read', async () => {
    const answer = await decideOn({sicken: networking('10.200.0.0/16', '10.96.0.0/12', 'corp.local')})
    expect(networksOf(answer)).toEqual(['10.200.0.0/16', '10.96.0.0/12', 'corp.local'])
    expect(answer.sources).toMatchObject({
      'cluster-cidr': 'cluster',
      'cluster-domain': 'cluster',
      'service-cidr': 'cluster',
    })
    expect(answer.where).toMatchObject({'cluster-cidr': KUBEADM, 'cluster-domain': KUBEADM, 'service-cidr': KUBEADM})
    expect(answer.given).toEqual({
      'cluster-cidr': '10.200.0.0/16',
      'cluster-domain': 'corp.local',
      // What was decided is stored: a later setup of this node does not choose again.
      release: '1.21.5',
      'service-cidr': '10.96.0.0/12',
    })
  })

  test('of two families are those of IPv4', async () => {
    const both = networking('fd00:1::/56, 10.200.0.0/16', '10.96.0.0/12,fd00:2::/112', 'corp.local')
    expect(networksOf(await decideOn({sicken: both}))).toEqual(['10.200.0.0/16', '10.96.0.0/12', 'corp.local'])
  })

  test('pods: come from flannel where kubeadm did not set the cluster up', async () => {
    const sicken = (world: World): void => {
      kubeadm(world, undefined)
      flannel(world, '10.201.0.0/16')
    }
    const answer = await decideOn({sicken})
    expect(networksOf(answer)).toEqual(['10.201.0.0/16', '10.10.0.0/16', 'cluster.local'])
    expect(answer.where['cluster-cidr']).toBe('ConfigMap kube-flannel/kube-flannel-cfg')
    expect(answer.where['service-cidr']).toBeUndefined()
  })

  test.each(['v1.31.14', 'v1.33.13', 'v1.36.4'])(
    "review J6: services: are those of all ServiceCIDR objects of %s, the API server's own first",
    async (version) => {
      const answer = await decideOn({
        sicken(world) {
          world.cluster.version = version
          world.cluster.serviceCIDRs = [
            {cidrs: ['10.99.0.0/16'], name: 'added-later'},
            {cidrs: ['fd00:2::/112', '10.97.0.0/16'], name: 'kubernetes'},
          ]
        },
      })
      expect([answer.config.serviceCIDR, answer.where['service-cidr']]).toEqual([
        '10.97.0.0/16,10.99.0.0/16',
        'ServiceCIDR kubernetes, added-later',
      ])
    },
  )

  test('are the defaults where the cluster forbids the questions, without waiting', async () => {
    const answer = await decideOn({
      sicken(world) {
        networking('10.200.0.0/16', '10.96.0.0/12', 'corp.local')(world)
        world.cluster.roleBindings = []
      },
    })
    expect(networksOf(answer)).toEqual(DEFAULTS)
    expect([answer.sources, answer.config.unasked]).toEqual([{release: 'default'}, undefined])
    expect(answer.tookMs).toBeLessThan(1000)
  })

  test.each([
    ['is not YAML', 'networking: ['],
    ['is a list', '- networking\n'],
    ['has other types', 'networking:\n  dnsDomain: 5\n  podSubnet: [10.200.0.0/16]\n  serviceSubnet: null\n'],
    ['has no networks', 'networking:\n  podSubnet: banana\n  serviceSubnet: 10.96.0.0/40\n  dnsDomain: "a b"\n'],
    ['has no IPv4', 'networking:\n  podSubnet: fd00:1::/56\n  serviceSubnet: fd00:2::/112\n'],
    ['expands', `a: &a [x, x]\nb: &b [*a, *a]\nnetworking: *b\n`],
  ])('are the defaults where the ConfigMap of kubeadm %s', async (_, text) => {
    expect(networksOf(await decideOn({sicken: (world) => kubeadm(world, text)}))).toEqual(DEFAULTS)
  })

  test('are asked for only where no flag names them', async () => {
    const given = {
      'cluster-cidr': '10.1.0.0/16',
      'cluster-domain': 'one.local',
      release: '1.21.5',
      'service-cidr': '10.2.0.0/16',
    }
    const all = await decideOn({given, sicken: networking('10.200.0.0/16', '10.96.0.0/12', 'corp.local')})
    const asked = all.effects.filter(({via}) => via === 'http')
    expect([networksOf(all), asked]).toEqual([['10.1.0.0/16', '10.2.0.0/16', 'one.local'], []])
    const one = await decideOn({
      given: {'service-cidr': '10.2.0.0/16'},
      sicken: networking('10.200.0.0/16', '10.96.0.0/12', 'corp.local'),
    })
    expect(networksOf(one)).toEqual(['10.200.0.0/16', '10.2.0.0/16', 'corp.local'])
  })

  test('are not asked for of a node that was set up: what it did not store had its default', async () => {
    const answer = await decideOn({isStored: true, sicken: networking('10.200.0.0/16', '10.96.0.0/12', 'corp.local')})
    expect([networksOf(answer), answer.effects]).toEqual([DEFAULTS, []])
  })
})

describe('a cluster that cannot be asked', () => {
  test('leaves the defaults, and is not forgotten', async () => {
    const answer = await decideOn({sicken: ({cluster}) => (cluster.reachable = false)})
    expect(networksOf(answer)).toEqual(DEFAULTS)
    expect(answer.config.unasked).toBeDefined()
    expect(answer.tookMs).toBeLessThanOrEqual(10_000)
  })

  test('for want of a kubeconfig leaves the defaults: the check reports it', async () => {
    const answer = await decideOn({without: String.raw`k\kubeconfig`})
    expect([networksOf(answer), answer.config.unasked]).toEqual([DEFAULTS, undefined])
  })
})
