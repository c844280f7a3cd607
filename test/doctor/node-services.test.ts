// Services of a node whose load balancers, endpoints or addresses are not as the cluster has them.
import {describe, expect, it} from 'vitest'
import type {World} from '../../src/simulator/world.js'
import {statusOn} from '../status/status-on.js'
import {examine, setUpNode} from './doctor-rig.js'

const LATER_MS = 10 * 60_000
/** Long after kube-proxy has started. */
const later = (world: World): void => void (world.os.time += LATER_MS)
const dns = ({cluster}: World) => {
  const service = cluster.services.find(({name}) => name === 'kube-dns')
  if (!service) throw new Error('there is no kube-dns')
  return service
}
const network = ({hns}: World): unknown => hns.networks.find(({Name}) => Name === 'vxlan0')?.['ID']
/** CoreDNS moves to another node, and kube-proxy does not notice. */
const moveDns = (world: World): void => {
  later(world)
  world.hns.keepsBackends = true
  dns(world).endpoints = [{address: '10.244.2.33', node: 'linux-2', pod: 'coredns-2'}]
}

describe('backends of Services', () => {
  it('are as the cluster has them', async () => {
    const {check} = await examine(await setUpNode())
    expect(check('service-backends')).toMatchObject({
      message: expect.stringMatching(/4 ports/) as string,
      result: 'pass',
    })
  })

  it('of a pod that moved are stale: a failure with the Service and the way', async () => {
    const {check, document} = await examine(await setUpNode(moveDns))
    const found = check('service-backends')
    expect(found).toMatchObject({fix: expect.stringMatching(/net stop kubeproxy/) as string, result: 'fail'})
    expect(found.message).toMatch(
      /kube-system\/kube-dns \(10\.10\.0\.10:53 UDP\) sends to 10\.244\.0\.11.*does not send to 10\.244\.2\.33/,
    )
    expect(document.problems.map(({id}) => id)).toContain('SERVICE_BACKENDS_WRONG')
    expect(document.exitCode).toBe(3)
  })

  it('of the cluster DNS are compared by status, too', async () => {
    const {dir} = await setUpNode(moveDns)
    const {document} = await statusOn(dir)
    expect(document).toMatchObject({problems: [{id: 'SERVICE_BACKENDS_WRONG'}], verdict: 'degraded'})
    const other = await setUpNode((world) => {
      later(world)
      world.hns.keepsBackends = true
      world.cluster.services.push({clusterIP: '10.10.0.77', endpoints: ['10.244.1.7'], name: 'web', namespace: 'shop'})
    })
    expect((await statusOn(other.dir)).document.verdict).toBe('healthy')
    expect((await examine(other)).check('service-backends').message).toMatch(/shop\/web .* has no load balancer/)
  })

  it('review J6: of a Service outside --service-cidr, such as of a ServiceCIDR that was added, are a warning', async () => {
    const host = await setUpNode(({cluster}) => {
      cluster.services.push({clusterIP: '10.200.0.7', endpoints: [], name: 'added', namespace: 'shop'})
    })
    const found = (await examine(host)).check('service-backends')
    expect(found).toMatchObject({fix: expect.stringMatching(/--service-cidr/) as string, result: 'warn'})
    expect(found.message).toContain('shop/added (10.200.0.7)')
  })

  it('that have changed this minute are not judged', async () => {
    const host = await setUpNode((world) => {
      moveDns(world)
      dns(world).endpointsChangedAt = world.os.time - 30_000
    })
    expect((await examine(host)).check('service-backends').result).toBe('pass')
  })

  it('are not judged where kube-proxy does not run, or may not list them', async () => {
    const stopped = await setUpNode((world) => {
      moveDns(world)
      const entry = world.services['kubeproxy']
      if (entry) Object.assign(entry, {processId: 0, stage: '', state: 'stopped'})
    })
    expect((await examine(stopped)).check('service-backends').result).toBe('not-checked')
    const forbidden = await setUpNode((world) => {
      moveDns(world)
      world.cluster.permissions = ['get *', 'list nodes', 'create *']
    })
    expect((await examine(forbidden)).check('service-backends').result).toBe('not-checked')
    const without = await setUpNode(({cluster}) => void (cluster.services = []))
    expect((await examine(without)).check('service-backends').result).toBe('not-checked')
  })
})

describe('addresses of pods', () => {
  it('are used once', async () => {
    expect((await examine(await setUpNode())).check('pod-addresses').result).toBe('pass')
  })

  it('of a pod that is a remote endpoint, too: POD_ADDRESS_TWICE', async () => {
    const host = await setUpNode((world) => {
      const VirtualNetwork = network(world)
      world.hns.endpoints.push(
        {ID: 'REMOTE', IPAddress: '10.244.3.9', IsRemoteEndpoint: true, State: 1, VirtualNetwork},
        {ID: 'LOCAL', IPAddress: '10.244.3.9', State: 2, VirtualNetwork},
      )
    })
    const {check, document} = await examine(host)
    expect(check('pod-addresses')).toMatchObject({
      fix: expect.stringMatching(/delete endpoints REMOTE/) as string,
      result: 'fail',
    })
    expect(document.problems.map(({id}) => id)).toContain('POD_ADDRESS_TWICE')
  })

  it('a remote endpoint with an address of this node waits for a pod: a warning', async () => {
    const host = await setUpNode((world) => {
      const VirtualNetwork = network(world)
      world.hns.endpoints.push({
        ID: 'REMOTE',
        IPAddress: '10.244.3.9',
        IsRemoteEndpoint: true,
        State: 1,
        VirtualNetwork,
      })
    })
    expect((await examine(host)).check('pod-addresses')).toMatchObject({
      message: expect.stringMatching(/10\.244\.3\.9 \(REMOTE\)/) as string,
      result: 'warn',
    })
  })

  it('of two pods of a Service', async () => {
    const host = await setUpNode((world) => {
      dns(world).endpoints = ['a', 'b'].map((pod) => ({address: '10.244.2.33', node: 'linux-2', pod}))
    })
    const {check} = await examine(host)
    expect(check('pod-addresses').message).toMatch(/10\.244\.2\.33 .*kube-system\/a and kube-system\/b/)
  })
})
