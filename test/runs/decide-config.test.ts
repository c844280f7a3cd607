// What the options leave open, asked of a simulated host and cluster.
import {describe, expect, test} from 'vitest'
import type {GivenOptions} from '../../src/config/options.js'
import {resolveConfig} from '../../src/config/resolve.js'
import {type Host, openHost} from '../../src/host/host.js'
import {type EffectEntry, tracedMachine} from '../../src/machine/traced.js'
import {HostFacts} from '../../src/preflight/facts.js'
import {runChecks} from '../../src/preflight/index.js'
import {decideConfig, type DecidedConfiguration} from '../../src/runs/decide-config.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import type {World} from '../../src/simulator/world.js'
import {assets} from '../fixtures/assets.js'
import {HostFolder} from '../steps/host-folder.js'

interface Asking {
  readonly given?: GivenOptions
  readonly isStored?: boolean
  readonly profile?: string
  readonly sicken?: (world: World) => void
  readonly without?: string
}

interface Answer extends DecidedConfiguration {
  readonly effects: readonly EffectEntry[]
  readonly host: Host
  /** On the simulated clock. */
  readonly tookMs: number
}

/** Demands that nothing was changed. */
async function decideOn({
  given = {},
  isStored = false,
  profile = 'ws2019',
  sicken,
  without,
}: Asking = {}): Promise<Answer> {
  const folder = HostFolder.empty()
  await openSimulator({dir: folder.dir, profile})
  if (sicken) folder.edit(sicken)
  if (without !== undefined) folder.remove(without)
  const before = folder.state
  const effects: EffectEntry[] = []
  const simulated = await openSimulator({dir: folder.dir, profile})
  const machine = tracedMachine(simulated, (entry) => effects.push(entry))
  const asked = resolveConfig({given})
  const host = openHost(machine, {assets, baseDir: asked.baseDir, dockerPipe: asked.dockerPipe})
  const started = machine.clock.now()
  const {signal} = new AbortController()
  const decision = await decideConfig({asked, given, isStored, sources: {}, where: {}}, host, signal)
  expect(effects.filter(({kind}) => kind === 'change')).toEqual([])
  expect(folder.state).toEqual(before)
  return {...decision, effects, host, tookMs: machine.clock.now() - started}
}

const networksOf = ({config}: Answer): string[] => [config.clusterCIDR, config.serviceCIDR, config.clusterDomain]
const DEFAULTS = ['10.244.0.0/16', '10.10.0.0/16', 'cluster.local']
const KUBEADM = 'ConfigMap kube-system/kubeadm-config'

/** The part of kubeadm's ConfigMap that counts. */
const networking = (podSubnet: string, serviceSubnet: string, dnsDomain: string) => (world: World) =>
  kubeadm(
    world,
    `networking:\n  dnsDomain: ${dnsDomain}\n  podSubnet: ${podSubnet}\n  serviceSubnet: ${serviceSubnet}\n`,
  )

function kubeadm({cluster}: World, text: string | undefined): void {
  const data = cluster.configMaps.find(({name}) => name === 'kubeadm-config')?.data
  if (data && text !== undefined) data['ClusterConfiguration'] = text
  if (text === undefined) cluster.configMaps = cluster.configMaps.filter(({name}) => name !== 'kubeadm-config')
}

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
    'services: are those of the ServiceCIDR object of %s',
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
        '10.97.0.0/16',
        'ServiceCIDR kubernetes',
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
    expect([answer.sources, answer.unlearned]).toEqual([{release: 'default'}, undefined])
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

  test('that overlap with a flag are refused', async () => {
    const sicken = networking('10.200.0.0/16', '10.96.0.0/12', 'corp.local')
    const deciding = decideOn({given: {'cluster-cidr': '10.96.0.0/16'}, sicken})
    await expect(deciding).rejects.toMatchObject({exitCode: 2, problems: [{id: 'OVERLAPPING_CIDRS'}]})
    // The default of the other network would overlap, but the cluster has another one.
    const {config} = await decideOn({given: {'cluster-cidr': '10.10.0.0/16'}, sicken})
    expect([config.clusterCIDR, config.serviceCIDR]).toEqual(['10.10.0.0/16', '10.96.0.0/12'])
  })
})

describe('a cluster that cannot be asked', () => {
  test('leaves the defaults, and is not forgotten', async () => {
    const answer = await decideOn({sicken: ({cluster}) => (cluster.reachable = false)})
    expect(networksOf(answer)).toEqual(DEFAULTS)
    expect(answer.unlearned).toBeDefined()
    expect(answer.tookMs).toBeLessThanOrEqual(10_000)
  })

  test('for want of a kubeconfig leaves the defaults: the check reports it', async () => {
    const answer = await decideOn({without: String.raw`k\kubeconfig`})
    expect([networksOf(answer), answer.unlearned]).toEqual([DEFAULTS, undefined])
  })
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
    ['ws2019', '1.21.5', 'docker', '1.7.25'],
    ['ws2022', '1.21.5', 'docker', '1.7.25'],
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
    const origin = runtime === 'containerd' ? 'ServiceCIDR kubernetes' : KUBEADM
    expect([config.serviceCIDR, where['service-cidr']]).toEqual(['10.10.0.0/16', origin])
    if (runtime === 'docker') return
    // What is decided fits the host and the cluster.
    const facts = new HostFacts(config, host, {all: () => [], entries: () => []})
    const {problems} = await runChecks(facts, host.clock, () => {}, new AbortController().signal)
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
    expect([answer.config.release.text, answer.unlearned !== undefined]).toEqual(['1.21.5', true])
    const without = await decideOn({profile: 'ws2022-containerd', sicken: silent})
    expect([without.config.release.text, without.unlearned !== undefined]).toEqual(['1.36.4', true])
  })
})
