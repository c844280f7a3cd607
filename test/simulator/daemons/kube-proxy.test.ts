// kube-proxy.exe judges: each wrong configuration fails the way it does in the field.
import {describe, expect, it} from 'vitest'

import {recognise} from '../../../src/signatures/index.js'
import {answerLocalPort} from '../../../src/simulator/daemons/index.js'
import {endpointsOf, policyListsOf} from '../../../src/simulator/windows/hns-objects.js'
import type {TestNode} from '../node.js'
import {codeOf, kubeProxyArgs, makeNode, serviceConfig, withFlags, withNetwork} from '../node.js'
import {install} from '../stage.js'

type Changes = Readonly<Record<string, string | undefined>>
const GATES = {
  'v1.21.5': 'WinOverlay=true,IPv6DualStack=false',
  'v1.22.0': 'WinOverlay=true',
  'v1.23.0': 'WinOverlay=true',
  'v1.37.0': 'WinOverlay=true',
} as const
type Release = keyof typeof GATES

async function ran(
  changes: Changes = {},
  release: Release = 'v1.21.5',
  change: (node: TestNode) => void = () => {},
): Promise<TestNode & {code: number}> {
  const isPreview = release === 'v1.37.0'
  // The kubelet of this node speaks to Docker.
  const node = await makeNode({release: isPreview ? 'v1.23.0' : release})
  const podCIDR = await withNetwork(node)
  if (isPreview) await install(node.stage, String.raw`C:\k\kubernetes\node\bin\kube-proxy.exe`, 'kube-proxy', release)
  // From 1.26 on it writes to standard error.
  const unknown = isPreview ? {'log-dir': undefined, logtostderr: undefined} : {}
  const args = withFlags(kubeProxyArgs(podCIDR.replace('.0/24', '.2'), GATES[release]), {...unknown, ...changes})
  await node.win32.changeService(
    'kubeproxy',
    serviceConfig([String.raw`"C:\k\kubernetes\node\bin\kube-proxy.exe"`, ...args].join(' ')),
  )
  change(node)
  const code = await codeOf(node.win32.startService('kubeproxy'))
  await node.stage.elapse(15_000)
  return {...node, code}
}

const servedBy = ({stage}: TestNode): string => stage.world.services['kubeproxy']?.stage ?? ''
const health = (node: TestNode) => answerLocalPort(node.stage, 10_256, '/healthz')

it.each(['v1.21.5', 'v1.22.0', 'v1.23.0'] as const)('a right command line is healthy in %s', async (release) => {
  const node = await ran({}, release)
  expect(await health(node)).toMatchObject({status: 200})
  expect(node.stage.world.hns.policyLists.length).toBeGreaterThan(0)
})

it('review A3-7: obeys --master, whatever its kubeconfig says', async () => {
  const node = await ran({master: 'https://10.0.0.66:6443'}, 'v1.22.0')
  expect(servedBy(node)).toContain('https://10.0.0.66:6443')
  expect(node.stage.world.hns.policyLists).toEqual([])
})

describe('before it speaks to the service manager', () => {
  it.each<[string, Changes, Release]>([
    ['an unknown flag', {'no-such-flag': 'x'}, 'v1.21.5'],
    ['a gate that is neither on nor off', {'feature-gates': 'WinOverlay=perhaps'}, 'v1.21.5'],
    ['a flag of 1.24', {'root-hnsendpoint-name': 'x'}, 'v1.23.0'],
    ['another one of 1.24', {'pod-bridge-interface': 'x'}, 'v1.23.0'],
  ])('refuses %s: 1053', async (_, changes, release) => {
    expect((await ran(changes, release)).code).toBe(1053)
  })

  it('is not a service without --windows-service: 1053', async () => {
    expect((await ran({'windows-service': undefined})).code).toBe(1053)
  })
})

describe('dies while it shows Running', () => {
  it.each<[string, Changes, Release, string]>([
    [
      'IPv6DualStack=false in 1.23',
      {'feature-gates': 'IPv6DualStack=false'},
      'v1.23.0',
      'cannot set feature gate IPv6DualStack to false',
    ],
    ['a mode Windows does not have', {'proxy-mode': 'ipvs'}, 'v1.21.5', 'failed validate'],
    ['no kubeconfig', {kubeconfig: String.raw`C:\k\none`}, 'v1.21.5', 'The system cannot find the file specified.'],
    [
      'no network name',
      {'network-name': undefined},
      'v1.21.5',
      'environment variable KUBE_NETWORK and network-flag not initialized',
    ],
    ['no source VIP', {'source-vip': undefined}, 'v1.21.5', 'source-vip flag not set'],
    ['an empty source VIP', {'source-vip': ''}, 'v1.21.5', 'source-vip flag not set'],
    ['WinOverlay off', {'feature-gates': 'WinOverlay=false'}, 'v1.21.5', 'WinOverlay feature gate not enabled'],
    ['DSR without its gate', {'enable-dsr': 'true'}, 'v1.21.5', 'WinDSR feature gate not enabled'],
    [
      'a name that is no node’s, in 1.21',
      {'hostname-override': 'other'},
      'v1.21.5',
      'could not find host mac address for <nil>',
    ],
    [
      'an address that is not the host’s, in 1.22',
      {'bind-address': '10.0.0.99'},
      'v1.22.0',
      'could not find host mac address for 10.0.0.99',
    ],
  ])('with %s', async (_, changes, release, text) => {
    const node = await ran(changes, release)
    expect(node.code).toBe(0)
    expect(await node.win32.queryServiceStatus('kubeproxy')).toMatchObject({state: 'stopped', win32ExitCode: 1067})
    expect((await node.log('kubeproxy')).replaceAll('\\', '')).toContain(text.replaceAll('\\', ''))
    expect(await health(node)).toBeUndefined()
  })
})

describe('runs, and is unhealthy', () => {
  it('without its network: Running, nothing on its port, until the network comes', async () => {
    const node = await ran({'network-name': 'vxlan9'})
    await node.stage.elapse(60_000)
    expect(await node.win32.queryServiceStatus('kubeproxy')).toMatchObject({state: 'running'})
    expect(await health(node)).toBeUndefined()
    expect(await node.log('kubeproxy')).toContain('Unable to find HNS Network specified')
  })

  it.each(['v1.21.5', 'v1.22.0', 'v1.23.0'] as const)(
    'review W1: with a source VIP that HNS refuses, %s answers 200 for ever and makes no load balancer',
    async (release) => {
      const node = await ran({'source-vip': '10.99.0.2'}, release)
      await node.stage.elapse(300_000)
      expect(await health(node)).toMatchObject({status: 200})
      expect(node.stage.world.hns).toMatchObject({policyLists: []})
      expect(await node.log('kubeproxy')).toContain('Source Vip endpoint creation failed')
    },
  )

  it('review W1: while a round takes more than a minute: not healthy, and at work', async () => {
    const node = await ran({}, 'v1.22.0', ({stage}) => void (stage.world.hns.balancerMs = 70_000))
    expect(await health(node)).toMatchObject({status: 200})
    expect(node.stage.world.hns.policyLists).toHaveLength(1)
    await node.stage.elapse(65_000)
    expect(await health(node)).toMatchObject({status: 503})
    await node.stage.elapse(10_000)
    expect(node.stage.world.hns.policyLists).toHaveLength(4)
    expect(await health(node)).toMatchObject({status: 200})
  })

  it('with a name that is not a node’s in 1.22: healthy, and wrong', async () => {
    const node = await ran({'hostname-override': 'other'}, 'v1.22.0')
    expect(await health(node)).toMatchObject({status: 200})
    expect(await node.log('kubeproxy')).toContain(String.raw`nodes \"other\" not found`)
  })

  it.each<[string, (node: TestNode) => void]>([
    ['the API server is out of reach', ({stage}) => void (stage.world.cluster.reachable = false)],
    ['it may not list services', ({stage}) => void (stage.world.cluster.permissions = ['get *', 'list nodes'])],
    [
      'it may not list EndpointSlices',
      ({stage}) => void (stage.world.cluster.permissions = ['get *', 'list nodes', 'list services']),
    ],
  ])('review W1: while %s it answers 200 and makes nothing', async (_, sicken) => {
    const node = await ran({}, 'v1.22.0', sicken)
    expect(await health(node)).toMatchObject({status: 200})
    expect(node.stage.world.hns).toMatchObject({endpoints: [], policyLists: []})
    Object.assign(node.stage.world.cluster, {permissions: ['*'], reachable: true})
    await node.stage.elapse(2000)
    expect(node.stage.world.hns.policyLists).toHaveLength(4)
  })

  it('review T13: in 1.34 without end while it may not list its Node, but not for a Node that is not there', async () => {
    const node = await ran({}, 'v1.23.0')
    const program = String.raw`C:\k\kubernetes\node\bin\kube-proxy.exe`
    await node.win32.stopService('kubeproxy')
    await node.stage.elapse(5000)
    await install(node.stage, program, 'kube-proxy', 'v1.34.11')
    const changes = {'feature-gates': undefined, 'log-dir': undefined, logtostderr: undefined}
    const args = withFlags(kubeProxyArgs('10.244.3.2', ''), changes)
    await node.win32.changeService('kubeproxy', serviceConfig([`"${program}"`, ...args].join(' ')))
    node.stage.world.cluster.permissions = ['get *', 'list services', 'list endpointslices']
    await node.win32.startService('kubeproxy')
    await node.stage.elapse(15_000)
    expect(await health(node)).toBeUndefined()
    await node.stage.elapse(600_000)
    expect(await health(node)).toBeUndefined()
    node.stage.world.cluster.permissions = ['*']
    await node.stage.elapse(15_000)
    expect(await health(node)).toMatchObject({status: 200})

    await node.win32.stopService('kubeproxy')
    await node.stage.elapse(5000)
    await node.win32.stopService('kubelet')
    node.stage.world.cluster.nodes = node.stage.world.cluster.nodes.filter(({name}) => name !== 'win-1')
    await node.win32.startService('kubeproxy')
    await node.stage.elapse(45_000)
    expect(await health(node)).toBeDefined()
    expect(node.stage.world.services['kubeproxy']?.stage).toContain('Timed out waiting for node %q to exist')
  })
})

describe('review W1: its rules', () => {
  const balancers = ({stage}: TestNode) => policyListsOf(stage.world)
  const balancerOf = (node: TestNode, clusterIP: string) =>
    balancers(node).flatMap(({Policies = []}) => Policies.filter(({VIPs}) => String(VIPs) === clusterIP))

  it('have the node’s own address as their source where the backend is the API server', async () => {
    const node = await ran()
    expect(balancerOf(node, '10.10.0.1')).toMatchObject([{SourceVIP: '10.0.0.5', Type: 'ELB'}])
    expect(balancerOf(node, '10.10.0.10')).toMatchObject(Array.from({length: 3}, () => ({SourceVIP: '10.244.3.2'})))
  })

  it('are one for each port of a service', async () => {
    const node = await ran()
    expect(balancerOf(node, '10.10.0.1')).toMatchObject([{ExternalPort: 443, InternalPort: 6443, Protocol: 6}])
    expect(balancerOf(node, '10.10.0.10')).toMatchObject([
      {ExternalPort: 53, Protocol: 17},
      {ExternalPort: 53, Protocol: 6},
      {ExternalPort: 9153, Protocol: 6},
    ])
  })

  it('are not made for a service without ready endpoints', async () => {
    const node = await ran({}, 'v1.21.5', ({stage}) => {
      stage.world.cluster.services = stage.world.cluster.services.map((one) =>
        one.name === 'kube-dns' ? {...one, endpoints: []} : one,
      )
    })
    expect(balancerOf(node, '10.10.0.10')).toEqual([])
    expect(balancerOf(node, '10.10.0.1')).toHaveLength(1)
  })

  const backends = (node: TestNode, clusterIP: string) => {
    const lists = balancers(node).filter(({Policies = []}) => Policies.some(({VIPs}) => String(VIPs) === clusterIP))
    const paths = lists.flatMap(({References = []}) => References)
    const all = endpointsOf(node.stage.world)
    return paths.map((path) => all.find(({ID}) => path === `/endpoints/${ID.toLowerCase()}`)?.IPAddress)
  }
  const moveDns = ({stage}: TestNode, ...endpoints: string[]) => {
    const dns = stage.world.cluster.services.find(({name}) => name === 'kube-dns')
    if (dns) dns.endpoints = endpoints
  }

  it('follow the endpoints of a Service, and leave no remote endpoint behind', async () => {
    const node = await ran()
    expect(backends(node, '10.10.0.10')).toEqual(['10.244.0.11', '10.244.0.11', '10.244.0.11'])
    moveDns(node, '10.244.1.33', '10.244.2.33')
    await node.stage.elapse(60_000)
    const both = ['10.244.1.33', '10.244.2.33']
    expect(backends(node, '10.10.0.10')).toEqual([...both, ...both, ...both])
    const remote = endpointsOf(node.stage.world).filter(({IsRemoteEndpoint}) => IsRemoteEndpoint)
    // The Services' own addresses are endpoints of an overlay, too.
    expect(remote.map(({IPAddress}) => IPAddress).sort()).toEqual(
      ['10.0.0.10', '10.10.0.1', '10.10.0.10', '10.244.1.33', '10.244.2.33'].sort(),
    )
  })

  it('stay as they are where kube-proxy misses the change (kubernetes#131387)', async () => {
    const node = await ran()
    node.stage.world.hns.keepsBackends = true
    moveDns(node, '10.244.1.33')
    await node.stage.elapse(60_000)
    expect(backends(node, '10.10.0.10')).toEqual(['10.244.0.11', '10.244.0.11', '10.244.0.11'])
  })

  it('cannot be made again where HNS restored them while it was down (kubernetes#139519): a restart of kube-proxy helps', async () => {
    const node = await ran()
    await node.win32.stopService('hns')
    await node.stage.elapse(60_000)
    await node.win32.startService('hns')
    await node.win32.stopService('flanneld')
    await node.stage.elapse(5000)
    await node.win32.startService('flanneld')
    await node.stage.elapse(90_000)
    const log = await node.log('kubeproxy')
    expect(log).toContain(
      '"Policy creation failed" err="hcnCreateLoadBalancer failed in Win32: Cannot create a file when that file already exists. (0xb7)"',
    )
    expect(recognise(log, 'kube-proxy')?.id).toBe('hns-rule-exists')
    expect(backends(node, '10.10.0.10')).toEqual([undefined, undefined, undefined])
    await node.win32.stopService('kubeproxy')
    await node.stage.elapse(5000)
    await node.win32.startService('kubeproxy')
    await node.stage.elapse(15_000)
    expect(backends(node, '10.10.0.10')).toEqual(['10.244.0.11', '10.244.0.11', '10.244.0.11'])
  })

  it.each([
    ['v1.23.0', true],
    ['v1.37.0', false],
  ] as const)('%s: that one with the same front is there is an error: %s', async (release, isError) => {
    const node = await ran({}, release)
    const [front] = balancers(node)
    await node.win32.stopService('kubeproxy')
    await node.stage.elapse(5000)
    await node.win32.startService('kubeproxy')
    // It has deleted them all, and waits for the network.
    await node.stage.elapse(5000)
    expect(balancers(node)).toEqual([])
    node.stage.world.hns.policyLists.push({...front, ID: 'RESTORED', References: []})
    await node.stage.elapse(15_000)
    expect(servedBy(node).includes('0xb7')).toBe(isError)
    expect(balancers(node).some(({ID}) => ID === 'RESTORED')).toBe(isError)
  })

  it('stay as they are in 1.37 while HNS is down (kubernetes#139503)', async () => {
    const node = await ran({}, 'v1.37.0')
    const all = ['10.244.0.11', '10.244.0.11', '10.244.0.11']
    expect(backends(node, '10.10.0.10')).toEqual(all)
    await node.win32.stopService('hns')
    await node.stage.elapse(60_000)
    expect(servedBy(node)).toContain('"10.10.0.10":"10.244.0.11"')
    await node.win32.startService('hns')
    await node.win32.stopService('flanneld')
    await node.stage.elapse(5000)
    await node.win32.startService('flanneld')
    await node.stage.elapse(90_000)
    expect(servedBy(node)).not.toContain('0xb7')
    expect(backends(node, '10.10.0.10')).toEqual(all)
  })

  it('outlive it', async () => {
    const node = await ran()
    await node.win32.stopService('kubeproxy')
    await node.stage.elapse(5000)
    expect(balancers(node)).toHaveLength(4)
  })

  it('are not made again while it runs, its source VIP is', async () => {
    const node = await ran()
    Object.assign(node.stage.world.hns, {endpoints: [], policyLists: []})
    await node.stage.elapse(60_000)
    expect(node.stage.world.hns.endpoints).toMatchObject([{IPAddress: '10.244.3.2'}])
    expect(balancers(node)).toEqual([])
  })

  it('review N2: refer to endpoints in other letters than those have', async () => {
    const node = await ran()
    const references = balancers(node).flatMap(({References = []}) => References)
    expect(references.every((path) => path === path.toLowerCase())).toBe(true)
    expect(node.stage.world.hns.endpoints.every(({ID}) => ID === String(ID).toUpperCase())).toBe(true)
  })
})

describe('its Node (pkg/proxy/node.go)', () => {
  const other = ({stage}: TestNode): void => {
    for (const one of stage.world.cluster.nodes.filter(({name}) => name === 'win-1')) {
      one.addresses = one.addresses.map((address) => ({...address, address: '10.0.0.6'}))
    }
  }
  const deleted = ({stage: {world}}: TestNode): void =>
    void (world.cluster.nodes = world.cluster.nodes.filter(({name}) => name !== 'win-1'))

  it.each([
    ['v1.23.0', 'is deleted', deleted, 'running'],
    ['v1.37.0', 'is deleted', deleted, 'stopped'],
    ['v1.23.0', 'gets another address', other, 'running'],
    ['v1.37.0', 'gets another address', other, 'stopped'],
  ] as const)('%s: where it %s', async (release, _, change, state) => {
    const node = await ran({}, release)
    await node.win32.stopService('kubelet')
    await node.stage.elapse(5000)
    change(node)
    await node.stage.elapse(5000)
    expect(node.stage.world.services['kubeproxy']?.state).toBe(state)
  })
})

it('deletes all policy lists when it starts', async () => {
  const node = await ran(
    {'network-name': 'vxlan9'},
    'v1.21.5',
    ({stage}) => void stage.world.hns.policyLists.push({ID: 'stale'}),
  )
  expect(node.stage.world.hns.policyLists).toEqual([])
})

it('takes the network’s name from KUBE_NETWORK', async () => {
  const node = await ran(
    {'network-name': undefined},
    'v1.21.5',
    ({stage}) => void (stage.world.environment['KUBE_NETWORK'] = 'vxlan0'),
  )
  expect(await health(node)).toMatchObject({status: 200})
})
