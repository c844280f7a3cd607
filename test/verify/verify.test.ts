// The smoke test: what a pod on this node finds in each state of its network, and with whose identity.
import {describe, expect, it} from 'vitest'
import {podState} from '../../src/runs/verify/verdicts.js'
import type {World} from '../../src/simulator/world.js'
import {setUpHost} from '../reset/set-up-host.js'
import {ALL, all, podsLeft, verifyOn} from './verify-run.js'

const dnsOf = ({cluster}: World): World['cluster']['services'][number] => {
  const dns = cluster.services.find(({name}) => name === 'kube-dns')
  if (!dns) throw new Error('no DNS')
  return dns
}

const stopProxy = (world: World): void => {
  const {kubeproxy} = world.services
  if (!kubeproxy) throw new Error('no kube-proxy')
  kubeproxy.state = 'stopped'
  kubeproxy.listening = []
}

const SICK: readonly {
  readonly checks: readonly [dns: string, service: string, pods: string]
  readonly ids: readonly string[]
  readonly name: string
  readonly sicken: (world: World) => void
}[] = [
  {
    checks: ['fail', 'pass', 'not checked'],
    ids: ['SMOKE_DNS_FAILED'],
    name: 'a DNS Service without endpoints',
    sicken: (world) => (dnsOf(world).endpoints = []),
  },
  {
    checks: ['fail', 'fail', 'pass'],
    ids: ['SMOKE_DNS_FAILED', 'SMOKE_SERVICE_FAILED'],
    name: 'kube-proxy stopped, and HNS restarted after it',
    sicken(world) {
      stopProxy(world)
      world.hns.policyLists = []
    },
  },
  {
    checks: ['pass', 'pass', 'pass'],
    ids: [],
    name: 'kube-proxy stopped, with load balancers that outlive it',
    sicken: stopProxy,
  },
  {
    checks: ['not checked', 'fail', 'pass'],
    ids: ['SMOKE_SERVICE_FAILED'],
    name: 'no load balancer for the Service kubernetes',
    sicken(world) {
      stopProxy(world)
      const isOfServer = ({VIPs}: {VIPs?: unknown}): boolean => (VIPs as string[]).includes('10.10.0.1')
      world.hns.policyLists = world.hns.policyLists.filter(({Policies}) => !(Policies as object[]).some(isOfServer))
    },
  },
  {
    checks: ['fail', 'pass', 'pass'],
    ids: ['SMOKE_DNS_FAILED'],
    name: 'a load balancer that keeps the address of a DNS pod that has moved',
    sicken(world) {
      world.hns.keepsBackends = true
      dnsOf(world).endpoints = [{address: '10.244.1.77', node: 'linux-1', pod: 'coredns-2'}]
    },
  },
  {
    checks: ['fail', 'pass', 'fail'],
    ids: ['SMOKE_DNS_FAILED', 'SMOKE_PODS_FAILED'],
    name: 'another network identifier on the node of the DNS pod',
    sicken({cluster}) {
      const [first] = cluster.nodes
      const data = {VNI: 1, VtepMAC: '0a:58:0a:f4:00:01'}
      if (first) first.annotations['flannel.alpha.coreos.com/backend-data'] = JSON.stringify(data)
    },
  },
]

describe.each(['ws2019', 'ws2022-containerd'])('a node of %s', (profile) => {
  const node = setUpHost({}, undefined, profile)

  it('passes, and nothing is left', async () => {
    const host = node.copy()
    const {checks, result} = await verifyOn(host)
    expect(result.error).toBeUndefined()
    expect(checks).toEqual(all('pass'))
    expect(result).toMatchObject({command: 'verify', exitCode: 0, outcome: 'done', steps: []})
    expect(podsLeft(host)).toEqual([])
    expect(JSON.parse(host.read(String.raw`k\k8s-win\result.json`))).toMatchObject({
      ...result,
      lastRun: {command: 'setup', outcome: 'done'},
    })
  })

  // What kube-proxy and HNS do is the same with both runtimes.
  it.each(profile === 'ws2019' ? SICK.slice(0, 2) : SICK)('with $name', async ({checks: expected, ids, sicken}) => {
    const host = node.copy()
    host.edit(sicken)
    const {checks, result} = await verifyOn(host)
    expect(ALL.map((id) => checks[id])).toEqual(expected)
    expect((result.errors ?? (result.error ? [result.error] : [])).map(({id}) => id)).toEqual(ids)
    expect(result.exitCode).toBe(ids.length === 0 ? 0 : 6)
    expect(podsLeft(host)).toEqual([])
  })

  it('without the overlay network: the pod does not run', async () => {
    const host = node.copy()
    host.edit(({hns}) => {
      hns.networks = hns.networks.filter(({Name}) => Name !== 'vxlan0')
      hns.endpoints = []
    })
    const {checks, result} = await verifyOn(host)
    expect(result).toMatchObject({error: {id: 'SMOKE_POD_NOT_RUN'}, exitCode: 6})
    expect(result.error?.cause).toContain('ContainerCreating')
    expect(checks).toEqual({'smoke-dns': 'not checked', 'smoke-pods': 'not checked', 'smoke-service': 'fail'})
    expect(podsLeft(host)).toEqual([])
  })

  it('whose kubelet is stopped: the pod stays pending', async () => {
    const host = node.copy()
    host.edit(({services: {kubelet}}) => {
      if (kubelet) Object.assign(kubelet, {listening: [], state: 'stopped'})
    })
    const {result} = await verifyOn(host)
    expect(result).toMatchObject({error: {id: 'SMOKE_POD_NOT_RUN'}, exitCode: 6})
    expect(result.error?.cause).toContain('Pending')
    expect(podsLeft(host)).toEqual([])
  })

  it('review U2-17: verify shows what it waits for, then one line per thing that is proven', async () => {
    const {events} = await verifyOn(node.copy())
    const seen = events.flatMap((event) => {
      if (event.type === 'progress')
        return [`${event.id} ${/Pending|Running|Succeeded/.exec(event.text)?.[0] ?? ''}`.trim()]
      return event.type === 'check' ? [`${event.check.id} ${event.check.result}`] : []
    })
    expect(seen).toEqual([
      'smoke-test',
      'smoke-test Pending',
      'smoke-test Running',
      'smoke-test Succeeded',
      'smoke-test',
      ...ALL.map((id) => `${id} pass`),
    ])
  })

  it('without its base image is not checked', async () => {
    const host = node.copy()
    host.edit(({containerd, docker}) => {
      docker.images = []
      containerd.images = []
    })
    const {checks, result} = await verifyOn(host)
    expect(checks).toEqual(all('not checked'))
    expect(result.exitCode).toBe(8)
  })
})

it.each([
  [{containers: [], phase: '', reason: ''}, 'Pending'],
  [
    {containers: [{reason: 'ContainerCreating'}, {reason: 'ContainerCreating'}], phase: 'Pending'},
    'Pending (ContainerCreating)',
  ],
  [{containers: [{reason: 'ErrImagePull'}], phase: 'Pending'}, 'Pending (ErrImagePull)'],
  [
    {containers: [{exitCode: 0, reason: 'Completed'}, {reason: ''}], phase: 'Running'},
    'Running (1 of 2 requests done)',
  ],
  [{containers: [], phase: 'Failed', reason: 'Evicted'}, 'Failed (Evicted)'],
])('review U2-17: a pod that it waits for: %j', (pod, text) => {
  const containers = pod.containers.map((one) => ({message: '', name: 'one', ...one}))
  expect(podState({labels: {}, message: '', reason: '', uid: '1', ...pod, containers})).toBe(text)
})
