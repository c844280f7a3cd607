import {describe, expect, it} from 'vitest'
import type {World} from '../../../src/simulator/world.js'
import {proveServices} from '../../../src/pipeline/desired/network/services-proof.js'
import {kubeproxyService} from '../../../src/steps/services/kubeproxy-service.js'
import {type Drift, inWorld} from '../drifts/drift.js'
import {serviceDrifts} from '../drifts/services.js'
import {statusOn} from '../../status/status-on.js'
import {describeStep} from '../five-tests.js'
import {Rig} from '../rig.js'

/** What kube-proxy makes in HNS goes with the network it is on. */
function withoutLoadBalancers({hns}: World): void {
  hns.endpoints = []
  hns.policyLists = []
}

const proofDrifts: readonly Drift[] = [
  inWorld('review W1: the load balancers are gone', ({hns}) => void (hns.policyLists = [])),
  inWorld('review W1: of the load balancers no endpoint is left', ({hns}) => {
    hns.endpoints = hns.endpoints.filter(({IPAddress}) => IPAddress === '10.244.3.2')
  }),
  inWorld('review W1: the load balancers are those of other Services', ({hns}) => {
    for (const list of hns.policyLists) list['Policies'] = [{ExternalPort: 443, Type: 'ELB', VIPs: ['10.10.0.77']}]
  }),
  inWorld('review W1: the load balancers refer to nothing', ({hns}) => {
    for (const list of hns.policyLists) list['References'] = []
  }),
  inWorld('review W1: the endpoint of the source VIP is gone', ({hns}) => {
    hns.endpoints = hns.endpoints.filter(({IPAddress}) => IPAddress !== '10.244.3.2')
  }),
  inWorld('review W1: kube-proxy died, and its load balancers are there', ({hns, services}) => {
    const {kubeproxy} = services
    if (kubeproxy) Object.assign(kubeproxy, {listening: [], stage: 'searching'})
    expect(hns.policyLists).not.toEqual([])
  }),
]

describeStep(kubeproxyService, {
  drifts: [...serviceDrifts('kubeproxy'), ...proofDrifts],
  forgive: {world: withoutLoadBalancers},
  settleMs: 15_000,
})

const service = (world: World, name: string, change: Partial<World['cluster']['services'][number]>): void => {
  world.cluster.services = world.cluster.services.map((one) => (one.name === name ? {...one, ...change} : one))
}

async function atKubeProxy(sicken: (world: World) => void): Promise<Rig> {
  const rig = await Rig.open()
  await rig.runBefore('kubeproxy-service')
  return rig.reopen({sicken})
}

describe('an HNS that was restarted, and restores load balancers that kube-proxy has given up (kubernetes#139519)', () => {
  const restart = async (rig: Rig, ...names: readonly string[]): Promise<void> => {
    const {clock, win32} = rig.machine
    for (const name of names) {
      await win32.stopService(name)
      await clock.sleep(60_000)
      await win32.startService(name)
    }
    await clock.sleep(120_000)
  }

  it('review V7: on a newer build, which restores them, status explains it, and setup restarts kube-proxy at once', async () => {
    const rig = await Rig.open()
    expect((await rig.runAll()).error).toBeUndefined()
    const sick = await rig.reopen()
    await restart(sick, 'hns', 'flanneld')
    const {document} = await statusOn(sick.dir)
    expect(document.problems.find(({id}) => id === 'LOAD_BALANCER_MISSING')).toMatchObject({
      signature: 'hns-rule-exists',
    })
    expect((await sick.inspect(kubeproxyService)).evidence.join()).toMatch(/Host Network Service was restarted/)
    const {error, results} = await sick.run(kubeproxyService)
    expect(error).toBeUndefined()
    expect(results).toMatchObject([
      {changes: [expect.stringMatching(/^restart the service kubeproxy/)], state: 'changed'},
    ])
    expect((await sick.inspect(kubeproxyService)).state).toBe('in-place')
  })

  it('review V7: on an older build, which purges them, kube-proxy creates them again and is left alone', async () => {
    const rig = await Rig.open()
    expect((await rig.runAll()).error).toBeUndefined()
    const older = await rig.reopen({sicken: ({hns}) => void (hns.losesBalancers = true)})
    await restart(older, 'hns', 'flanneld')
    expect((await older.inspect(kubeproxyService)).state).toBe('in-place')
  })
})

describe('review W1: a healthy kube-proxy whose Services do not work', () => {
  it.each<{id: string; sicken(world: World): void; tells: RegExp}>([
    {
      id: 'SOURCE_VIP_MISSING',
      sicken: ({hns}) => void Object.assign(hns.networks.at(-1) ?? {}, {Subnets: [{AddressPrefix: '10.244.9.0/24'}]}),
      tells: /no endpoint with the source VIP 10\.244\.3\.2 on vxlan0\..*Source Vip endpoint creation failed/,
    },
    {
      id: 'LOAD_BALANCER_MISSING',
      sicken: (world) => service(world, 'kubernetes', {endpoints: []}),
      tells: /no load balancer for default\/kubernetes \(10\.10\.0\.1\)/,
    },
    {
      id: 'SERVICES_UNREADABLE',
      sicken: ({cluster}) => void (cluster.permissions = ['get *', 'list nodes', 'list services']),
      tells: /endpointslices/,
    },
  ])('ends with $id, exit 6', async ({id, sicken, tells}) => {
    const {error} = await (await atKubeProxy(sicken)).run(kubeproxyService)
    expect(error).toMatchObject({exitCode: 6, id})
    expect((error as {reason: string}).reason).toMatch(tells)
  })

  it.each<[string, (world: World) => void]>([
    ['DNS has no ready endpoints', (world) => service(world, 'kube-dns', {endpoints: []})],
    ['there is no DNS service', ({cluster}) => void (cluster.services = cluster.services.slice(0, 1))],
  ])('is asked only for "kubernetes" where %s', async (_, sicken) => {
    const {error, results} = await (await atKubeProxy(sicken)).run(kubeproxyService)
    expect(error).toBeUndefined()
    expect(results).toMatchObject([{state: 'changed'}])
  })

  const withManyServices = (count: number) => (world: World) => {
    const [one] = world.cluster.services.filter(({name}) => name === 'kube-dns')
    if (!one) throw new Error('no DNS service')
    const more = Array.from({length: count}, (_, index) => ({
      ...one,
      clusterIP: `10.10.1.${index + 1}`,
      name: `app-${index}`,
      namespace: 'apps',
    }))
    world.cluster.services = [...more, ...world.cluster.services]
    world.hns.balancerMs = 40_000
  }

  it('review W1: is waited for while it makes load balancers, slowly, and not restarted', async () => {
    const rig = await atKubeProxy(withManyServices(6))
    const {error} = await rig.run(kubeproxyService)
    expect(error).toBeUndefined()
    expect(rig.world.hns.policyLists).toHaveLength(10)
    expect(rig.effects.filter(({what}) => what === 'stopService')).toEqual([])
  })

  it('review W1: one that is not done in time is reported as that, left to its work, and found done later', async () => {
    const rig = await atKubeProxy(withManyServices(16))
    const {error} = await rig.run(kubeproxyService)
    expect(error).toMatchObject({exitCode: 6, id: 'SERVICES_PENDING'})
    expect(rig.effects.filter(({what}) => what === 'stopService')).toEqual([])
    expect(rig.world.hns.policyLists.length).toBeGreaterThan(8)
    expect((await rig.run(kubeproxyService)).error).toBeUndefined()
    expect(rig.effects.filter(({what}) => what === 'stopService')).toEqual([])
  })

  it('review W1: is not proven by the first address of the service network where the cluster cannot be asked', async () => {
    const rig = await atKubeProxy(() => {})
    await rig.run(kubeproxyService)
    const silent = await rig.reopen({
      given: {'cluster-dns': '10.10.0.10'},
      sicken: ({cluster}) => void (cluster.permissions = ['get nodes']),
    })
    expect(await proveServices(silent.context)).toMatchObject({
      fault: 'unproven',
      seen: expect.stringContaining('default/kubernetes (10.10.0.1)') as string,
      silence: {id: 'API_SERVER_FORBIDS'},
    })
    expect((await kubeproxyService.inspect(silent.context)).state).toBe('drifted')
    const {error} = await silent.run(kubeproxyService)
    expect(error).toMatchObject({cause: {id: 'API_SERVER_FORBIDS'}, exitCode: 6, id: 'SERVICES_UNREADABLE'})
    const {host} = silent.context
    const bare = {...host, hns: {...host.hns, policyLists: async () => []}}
    expect(await proveServices({...silent.context, host: bare})).toMatchObject({
      fault: 'balancer',
      silence: {id: 'API_SERVER_FORBIDS'},
    })
  })

  it('does not wait for an API server that is silent', async () => {
    const rig = await atKubeProxy(() => {})
    await rig.run(kubeproxyService)
    const {host} = rig.context
    const silent: typeof host.cluster = (kubeconfig) => ({
      ...host.cluster(kubeconfig),
      services: () => host.clock.sleep(3_600_000).then(() => []),
    })
    const before = host.clock.now()
    expect(await proveServices({...rig.context, host: {...host, cluster: silent}})).toMatchObject({
      fault: 'unproven',
      silence: {id: 'API_SERVER_LOST'},
    })
    expect(host.clock.now() - before).toBeLessThan(5000)
  })

  it('review K2: a 403 on a slow link is reported as that, not as silence', async () => {
    const rig = await atKubeProxy(() => {})
    await rig.run(kubeproxyService)
    const slow = await rig.reopen({
      given: {'cluster-dns': '10.10.0.10'},
      sicken: ({cluster}) => void (cluster.permissions = ['get nodes']),
    })
    const {host} = slow.context
    const cluster: typeof host.cluster = (kubeconfig) => {
      const real = host.cluster(kubeconfig)
      return {...real, services: (...asked) => host.clock.sleep(1500).then(() => real.services(...asked))}
    }
    const before = host.clock.now()
    expect(await proveServices({...slow.context, host: {...host, cluster}})).toMatchObject({
      silence: {id: 'API_SERVER_FORBIDS'},
    })
    expect(host.clock.now() - before).toBeLessThan(4500)
  })

  it('counts only while kube-proxy is healthy', async () => {
    const rig = await atKubeProxy(() => {})
    await rig.run(kubeproxyService)
    const dead = await rig.reopen({
      sicken: ({services}) =>
        void Object.assign(services['kubeproxy'] ?? {}, {listening: [], processId: 0, state: 'stopped'}),
    })
    expect(dead.world.hns.policyLists).not.toEqual([])
    expect(await proveServices(dead.context)).toMatchObject({fault: 'health'})
  })
})
