// The network of an unhealthy node: the overlay, stale endpoints, lost addresses and routes, ports that are kept.
import {describe, expect, it} from 'vitest'
import type {World} from '../../src/simulator/world.js'
import {noteIn} from '../pipeline/ledger/note-in.js'
import type {HostFolder} from '../steps/host-folder.js'
import {examine, setUpNode} from './doctor-rig.js'

const SUBNET_ENV = String.raw`run\flannel\subnet.env`
const overlayOf = (world: World): Record<string, unknown> =>
  world.hns.networks.find(({Name}) => Name === 'vxlan0') as Record<string, unknown>

describe('the overlay', () => {
  it('of another management address than the daemons use: OVERLAY_UNSOUND', async () => {
    const {document} = await examine(
      await setUpNode((world) => void (overlayOf(world)['ManagementIP'] = '169.254.7.7')),
    )
    expect(document.problems[0]).toMatchObject({
      id: 'OVERLAY_UNSOUND',
      seen: expect.stringMatching(/169\.254\.7\.7, and the daemons use 10\.0\.0\.5/) as string,
    })
  })

  it('with a subnet.env of another network: OVERLAY_UNSOUND', async () => {
    const host = await setUpNode()
    host.put(SUBNET_ENV, host.read(SUBNET_ENV).replace('10.244.3.1', '10.244.7.1'))
    expect((await examine(host)).document.problems[0]?.id).toBe('OVERLAY_UNSOUND')
  })

  it('is judged by subnet.env where the cluster does not answer', async () => {
    const host = await setUpNode((world) => (world.cluster.reachable = false))
    expect((await examine(host)).check('overlay-network').result).toBe('pass')
  })
})

describe('the address the daemons use', () => {
  const loseAddress = (world: World): void => {
    for (const adapter of world.adapters) {
      if (adapter.addresses.some(({address}) => address === '10.0.0.5')) {
        Object.assign(adapter, {addresses: [{address: '10.0.0.77', prefixLength: 24}]})
      }
    }
  }

  it('is lost: NODE_ADDRESS_LOST, and what keeps it the next time', async () => {
    expect((await examine(await setUpNode(loseAddress))).check('node-address')).toMatchObject({
      fix: expect.stringMatching(/--node-ip.*DeviceLessNicDisabled/) as string,
      message: 'This host has lost the address of the node: 10.0.0.5',
      result: 'fail',
    })
  })

  it('nothing more to set where it is set already', async () => {
    const host = await setUpNode((world) => {
      loseAddress(world)
      const key = String.raw`HKLM\SYSTEM\CurrentControlSet\Services\hns\State`
      world.registry[key] = {DeviceLessNicDisabled: {data: 1, type: 'REG_DWORD'}}
    })
    expect((await examine(host)).check('node-address').fix).not.toMatch(/DeviceLessNicDisabled/)
  })

  it('is not looked for where no service reports it', async () => {
    const host = await setUpNode((world) => Reflect.deleteProperty(world.services, 'flanneld'))
    expect((await examine(host)).check('node-address').result).toBe('not-checked')
  })
})

describe('endpoints', () => {
  it.each([
    [
      'its network no longer exists',
      {State: 2, VirtualNetwork: 'gone'},
      /x1 \(10\.244\.3\.9, its network no longer exists\)/,
    ],
    ['degraded', {State: 5}, /x1 \(10\.244\.3\.9, degraded\)/],
  ])('%s: a warning with its id', async (_, fields, tells) => {
    const host = await setUpNode((world) => {
      world.hns.endpoints.push({ID: 'x1', IPAddress: '10.244.3.9', VirtualNetwork: overlayOf(world)['ID'], ...fields})
    })
    expect((await examine(host)).check('stale-endpoints')).toMatchObject({
      fix: expect.stringMatching(/hnsdiag delete endpoints/) as string,
      message: expect.stringMatching(tells) as string,
      result: 'warn',
    })
  })

  it("one of Docker's that is detached is not one of k8s-win", async () => {
    const host = await setUpNode((world) => {
      world.hns.networks.push({ID: 'NAT', Name: 'nat', Type: 'nat'})
      world.hns.endpoints.push({ID: 'x1', State: 4, VirtualNetwork: 'nat'})
    })
    expect((await examine(host)).check('stale-endpoints').result).toBe('pass')
  })

  it('one whose network HNS left out is not stale', async () => {
    const host = await setUpNode(({hns}) => {
      // The model needs it.
      const unreported = {ID: 'x1', State: 1} as unknown as Record<string, unknown>
      hns.endpoints.push(unreported)
    })
    expect((await examine(host)).check('stale-endpoints').result).toBe('pass')
  })
})

describe('routes to the metadata service', () => {
  const noteRoute = (host: HostFolder): void => {
    const route = {byHand: true, destination: '169.254.169.254/32', metric: 1, nextHop: '10.0.0.1', persistent: false}
    const saved = {addresses: [], dhcp: false, dnsByHand: true, dnsServers: [], name: 'Ethernet0', routes: [route]}
    const before = {adapter: 'Ethernet0', id: '9 late', kind: 'network-before', snapshot: [saved]} as const
    const comparedAt = '2199-01-01T00:00:00.000Z'
    noteIn(
      host,
      {entry: before, step: 'external-network'},
      {entry: {comparedAt, id: '9 late', kind: 'network-verified'}, step: 'overlay-network'},
    )
  }

  it('that were there before setup and are gone: METADATA_ROUTES_LOST with the command', async () => {
    const host = await setUpNode()
    noteRoute(host)
    expect((await examine(host)).check('metadata-routes')).toMatchObject({
      fix: expect.stringMatching(
        /netsh interface ipv4 add route prefix=169\.254\.169\.254\/32 interface="vEthernet \(Ethernet0\)" nexthop=10\.0\.0\.1/,
      ) as string,
      result: 'fail',
    })
  })

  it('that are there again are healthy', async () => {
    const host = await setUpNode((world) => {
      const index = world.adapters[0]?.index ?? 0
      world.routes.push({destination: '169.254.169.254/32', interfaceIndex: index, metric: 1, nextHop: '10.0.0.1'})
    })
    noteRoute(host)
    expect((await examine(host)).check('metadata-routes')).toMatchObject({message: '1 as before setup', result: 'pass'})
  })
})

describe('ports that Windows keeps', () => {
  it.each([10_250, 10_248, 10_256])('%i: PORTS_RESERVED', async (port) => {
    const host = await setUpNode((world) => (world.os.excludedPorts = [{from: port - 5, to: port + 5}]))
    expect((await examine(host)).check('reserved-ports')).toMatchObject({
      fix: expect.stringMatching(/winnat/) as string,
      message: expect.stringContaining(String(port)) as string,
      result: 'warn',
    })
  })

  it('no 64 in a row: a warning', async () => {
    const host = await setUpNode((world) => {
      world.os.excludedPorts = Array.from({length: 300}, (_, index) => ({
        from: 49_152 + index * 60,
        to: 49_152 + index * 60,
      }))
    })
    expect((await examine(host)).check('reserved-ports')).toMatchObject({
      message: expect.stringMatching(/no 64 consecutive ports/) as string,
      result: 'warn',
    })
  })

  it.each([
    ['fails', 1, 'no', {result: 'not-checked'}],
    ['tells nothing', 0, '', {result: 'not-checked'}],
  ])('a netsh that %s is reported', async (_, exitCode, stdout, wanted) => {
    const answer = {durationMs: 1, exitCode, stderr: '', stdout}
    const {check} = await examine(await setUpNode(), {
      wrap: (machine) => ({...machine, run: async () => Promise.resolve(answer)}),
    })
    expect(check('reserved-ports')).toMatchObject(wanted)
  })
})
