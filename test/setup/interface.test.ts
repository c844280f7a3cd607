// Which adapter carries the overlay: by name, by the default gateway, never by an address Windows gave itself.
import {describe, expect, test} from 'vitest'
import type {Adapter} from '../../src/machine/win32.js'
import type {World} from '../../src/simulator/world.js'
import {guidOf} from '../../src/simulator/windows/names.js'
import {Rig} from '../steps/rig.js'
import {HostInMemory} from './host-in-memory.js'
import {SimulatedHost} from './simulated-host.js'

const APIPA = {address: '169.254.7.7', prefixLength: 16}

const adapter = (name: string, changes: Partial<Adapter>): Adapter => ({
  addresses: [],
  dhcp: false,
  dnsServers: [],
  gateways: [],
  index: 40,
  name,
  up: true,
  ...changes,
})

const second = adapter('Storage', {addresses: [{address: '10.9.0.5', prefixLength: 24}], gateways: ['10.9.0.1']})

function change(world: World, name: string, changes: Partial<Adapter>): void {
  world.adapters = world.adapters.map((one) => (one.name === name ? {...one, ...changes} : one))
}

/** What is said of the adapter, in the result and on the way. */
async function setUp(host: HostInMemory, ...args: string[]) {
  const {code, result} = await host.setup(...args)
  const check = result.checks.find(({id}) => id === 'interface')
  return {check, ending: {code, ip: result.node?.ip, ready: result.node?.ready}, result}
}

describe('the adapter', () => {
  test('vEthernet (<name>) wins over <name>, where both are there', async () => {
    const {config} = await Rig.open({
      sicken(world) {
        change(world, 'Ethernet0', {addresses: [{address: '10.7.0.7', prefixLength: 24}]})
        world.adapters.push(adapter('vEthernet (Ethernet0)', {addresses: [{address: '10.0.0.5', prefixLength: 24}]}))
      },
    })
    expect(config).toMatchObject({adapterName: 'vEthernet (Ethernet0)', nodeIP: '10.0.0.5'})
  })

  test('vEthernet (<name>) of an older setup carries the node', async () => {
    const host = await HostInMemory.make(oldSwitch)
    const old = ['--flannel-version', '0.11.0', '--digest', `flanneld=sha256:${'cd'.repeat(32)}`]
    const {check, ending} = await setUp(host, '--interface-name', 'ethernet0', ...old)
    expect(check).toMatchObject({message: '"vEthernet (Ethernet0)" with 10.0.0.5', result: 'pass'})
    expect(ending).toEqual({code: 0, ip: '10.0.0.5', ready: true})
  })

  test('none of the default name and none named: the one with a default gateway is taken, and said', async () => {
    const host = await HostInMemory.make((world) => {
      change(world, 'Ethernet0', {name: 'LAN 2'})
      world.adapters.unshift(adapter('Backup', {addresses: [{address: '10.8.0.5', prefixLength: 24}], index: 41}))
    })
    const first = await host.setup()
    expect(first.code).toBe(0)
    expect(first.told).toContain(String.raw`only \"LAN 2\" has a default gateway`)
    expect(host.world.adapters.map(({name}) => name)).toContain('vEthernet (LAN 2)')

    const {check, ending, result} = await setUp(host)
    // The node stays at its address: nothing is chosen.
    expect(check?.message).toBe('"vEthernet (LAN 2)" with 10.0.0.5')
    expect(ending).toEqual({code: 0, ip: '10.0.0.5', ready: true})
    expect(result.recap.changed).toBe(0)
  })

  test('a name with spaces, given in PowerShell style, works to the end', async () => {
    const host = await SimulatedHost.make((world) => {
      change(world, 'Ethernet0', {name: 'Ethernet0 2'})
      world.adapters.push(second)
    })
    const {code, result} = await host.setupJson('-InterfaceName', 'Ethernet0 2')
    expect({code, ip: result.node?.ip, ready: result.node?.ready}).toEqual({code: 0, ip: '10.0.0.5', ready: true})
  })

  test.each([
    {name: 'several have a default gateway', sicken: (world: World) => world.adapters.push(second)},
    {
      name: 'none has one',
      sicken: (world: World) => change(world, 'LAN', {gateways: []}),
    },
  ])('ambiguous, $name: the error lists the adapters, exit 3', async ({sicken}) => {
    const host = await HostInMemory.make((world) => {
      change(world, 'Ethernet0', {name: 'LAN'})
      sicken(world)
    })
    const before = host.state
    const {check, ending, result} = await setUp(host)
    expect(ending.code).toBe(3)
    expect(check?.result).toBe('fail')
    expect(result.error?.id).toBe('INTERFACE_AMBIGUOUS')
    for (const {addresses, name} of host.world.adapters) {
      expect(result.error?.cause).toContain(`"${name}" (${addresses.map(({address}) => address).join(', ')}`)
    }
    expect(result.error?.fix).toContain('--interface-name')
    expect(host.state).toEqual(before)
  })
})

describe('the address', () => {
  test('169.254/16 is never chosen, wherever it stands', async () => {
    const {config} = await Rig.open({
      sicken: (world) => change(world, 'Ethernet0', {addresses: [APIPA, {address: '10.0.0.5', prefixLength: 24}]}),
    })
    expect(config.nodeIP).toBe('10.0.0.5')
  })

  test('an adapter that has no other is refused, also when named', async () => {
    const host = await HostInMemory.make((world) => change(world, 'Ethernet0', {addresses: [APIPA]}))
    const {ending, result} = await setUp(host, '--interface-name', 'Ethernet0')
    expect(ending.code).toBe(3)
    expect(result.error).toMatchObject({id: 'INTERFACE_WITHOUT_ADDRESS'})
    expect(result.error?.cause).toContain(APIPA.address)
  })

  test('an adapter that has no other is not the one with a gateway', async () => {
    const {config} = await Rig.open({
      sicken(world) {
        change(world, 'Ethernet0', {name: 'LAN'})
        world.adapters.unshift({...second, addresses: [APIPA]})
      },
    })
    expect(config).toMatchObject({adapterName: 'LAN', nodeIP: '10.0.0.5'})
  })

  test('--node-ip takes the second one, for all three daemons', async () => {
    const host = await HostInMemory.make((world) =>
      change(world, 'Ethernet0', {
        addresses: [
          {address: '10.0.0.5', prefixLength: 24},
          {address: '10.0.0.6', prefixLength: 24},
        ],
      }),
    )
    const {ending} = await setUp(host, '--node-ip', '10.0.0.6')
    expect(ending).toEqual({code: 0, ip: '10.0.0.6', ready: true})
    const {flanneld, kubelet, kubeproxy} = host.world.services
    expect(kubelet?.config.imagePath).toContain('--node-ip=10.0.0.6')
    expect(flanneld?.config.imagePath).toContain('--iface=10.0.0.6')
    expect(kubeproxy?.config.imagePath).toContain('--bind-address=10.0.0.6')
    const node = host.world.cluster.nodes.find(({name}) => name === 'win-1')
    expect(node?.addresses).toContainEqual({address: '10.0.0.6', type: 'InternalIP'})

    const elsewhere = await setUp(host, '--node-ip', '10.0.0.7')
    expect(elsewhere.result.error).toMatchObject({id: 'NODE_IP_ELSEWHERE'})
  })
})

/** The switch and the network "External" that the original script left behind. */
function oldSwitch(world: World): void {
  change(world, 'Ethernet0', {name: 'vEthernet (Ethernet0)'})
  world.hns.networks.push({
    ID: guidOf('network External'),
    ManagementIP: '10.0.0.5',
    Name: 'External',
    NetworkAdapterName: 'Ethernet0',
    Subnets: [{AddressPrefix: '192.168.255.0/30', GatewayAddress: '192.168.255.1'}],
    Type: 'Overlay',
  })
}
