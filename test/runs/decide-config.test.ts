// What the options leave open, decided on a simulated host and cluster.
import {describe, expect, test} from 'vitest'
import type {GivenOptions} from '../../src/config/options/options.js'
import {Facts} from '../../src/preflight/facts.js'
import {runChecks} from '../../src/preflight/index.js'
import type {World} from '../../src/simulator/world.js'
import {decideOn, networking} from './decide-rig.js'

test('networks of the cluster that overlap with a flag are refused', async () => {
  const sicken = networking('10.200.0.0/16', '10.96.0.0/12', 'corp.local')
  const deciding = decideOn({given: {'cluster-cidr': '10.96.0.0/16'}, sicken})
  await expect(deciding).rejects.toMatchObject({exitCode: 2, problems: [{id: 'OVERLAPPING_CIDRS'}]})
  // The default of the other network would overlap, but the cluster has another one.
  const {config} = await decideOn({given: {'cluster-cidr': '10.10.0.0/16'}, sicken})
  expect([config.clusterCIDR, config.serviceCIDR]).toEqual(['10.10.0.0/16', '10.96.0.0/12'])
})

describe('the release', () => {
  const chosen = async (sicken: (world: World) => void, given: GivenOptions = {}) => {
    const {config, sources} = await decideOn({given, sicken})
    return [config.release.text, config.runtime, sources.release]
  }

  test('is that of the cluster where Docker does not run', async () => {
    const sicken = (world: World): void => {
      world.docker.running = false
      world.cluster.version = 'v1.34.2'
    }
    expect(await chosen(sicken)).toEqual(['1.34.11', 'containerd', 'cluster'])
  })

  test.each([
    ['ws2019', '1.21.5', 'docker', '2.3.4'],
    ['ws2022', '1.23.17', 'docker', '2.3.4'],
    ['ws2019-containerd', '1.34.11', 'containerd', '2.3.4'],
    ['ws2022-containerd', '1.36.4', 'containerd', '2.3.4'],
    ['ws2025', '1.36.4', 'containerd', '2.3.4'],
  ])('on %s is %s with %s', async (profile, release, runtime, containerd) => {
    const {config, host, where} = await decideOn({profile})
    expect([config.release.text, config.runtime, config.versions.containerd.text]).toEqual([
      release,
      runtime,
      containerd,
    ])
    const origin = runtime === 'containerd' ? 'ServiceCIDR kubernetes' : 'ConfigMap kube-system/kubeadm-config'
    expect([config.serviceCIDR, where['service-cidr']]).toEqual(['10.10.0.0/16', origin])
    if (runtime === 'docker') return
    // What is decided fits the host and the cluster.
    const facts = new Facts(config, host, {all: () => [], entries: () => []})
    const {problems} = await runChecks(facts, {signal: new AbortController().signal})
    expect(problems).toEqual([])
  })

  test('is the newest that is known where the cluster is newer', async () => {
    expect(await chosen(({cluster}) => (cluster.version = 'v1.99.0'))).toEqual(['1.36.4', 'containerd', 'cluster'])
  })

  test('is the documented default where Docker runs and the cluster is old enough', async () => {
    expect(await chosen(() => {})).toEqual(['1.21.5', 'docker', 'default'])
  })

  test('is not asked for where it is given', async () => {
    expect(await chosen(({cluster}) => (cluster.version = 'v1.34.2'), {release: '1.22.17'})).toEqual([
      '1.22.17',
      'docker',
      undefined,
    ])
  })

  test('is decided by Docker where the cluster does not respond', async () => {
    const silent = ({cluster}: World): void => void (cluster.reachable = false)
    const answer = await decideOn({sicken: silent})
    expect([answer.config.release.text, answer.config.unasked !== undefined]).toEqual(['1.21.5', true])
    const without = await decideOn({profile: 'ws2022-containerd', sicken: silent})
    expect([without.config.release.text, without.config.unasked !== undefined]).toEqual(['1.36.4', true])
  })
})
