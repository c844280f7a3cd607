// --cloud: the first setup asks once, before the network is cut, and stores the name; nothing asks later.
import {describe, expect, test} from 'vitest'
import {examine} from '../doctor/doctor-rig.js'
import {hardware} from '../hosts/sick-host.js'
import {resetOn} from '../reset/reset-run.js'
import {recoverOn} from '../runs/recover-on.js'
import {statusOn} from '../status/status-on.js'
import {HostFolder} from '../steps/host-folder.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {reboot} from '../../src/simulator/windows/restart.js'
import {setupOn} from './in-process.js'
import {sample, turn} from '../sample.js'

const requests = (host: HostFolder): string[] =>
  host.transcript.flatMap(({what}) => (what.includes('169.254.169.254') ? [what] : []))

test('an instance of EC2', async () => {
  const host = HostFolder.empty()
  await openSimulator({dir: host.dir, profile: 'ws2019'})
  host.edit((world) => {
    hardware(world, 'Amazon EC2', 'm5.large')
    world.os.metadata = {cloud: 'aws'}
  })
  await examine(host)
  expect(requests(host)).toEqual([])

  const {events, result} = await setupOn(host.dir)
  expect(result.exitCode).toBe(0)
  const token = 'PUT http://169.254.169.254/latest/api/token'
  expect(requests(host)).toEqual([token])
  const lines = host.transcript.map(({args, what}) => [what, ...args].join(' '))
  expect(lines.indexOf(token)).toBeLessThan(lines.indexOf('startService flanneld'))
  expect(host.read('k/k8s-win/node.yaml')).toContain('cloud: "aws"')
  expect(events.filter((event) => event.type === 'log' && event.message.includes('--cloud aws'))).toHaveLength(1)

  // Nothing needs the service any more.
  await statusOn(host.dir)
  await examine(host)
  const again = await setupOn(host.dir)
  expect(again.result.recap?.changed).toBe(0)
  expect(again.events.filter((event) => event.type === 'log' && event.message.includes('--cloud'))).toEqual([])
  expect(requests(host)).toEqual([token])
})

test.each(
  turn(
    [
      ['aws', 'Amazon EC2', 'm5.large'],
      ['gce', 'Google', 'Google Compute Engine'],
    ] as const,
    0,
  ),
)('a plan asks as setup does, and shows the answer: %s', async (cloud, manufacturer, product) => {
  const host = HostFolder.empty()
  await openSimulator({dir: host.dir, profile: 'ws2019'})
  host.edit((world) => {
    hardware(world, manufacturer, product)
    world.os.metadata = {cloud}
  })
  const {events, result} = await setupOn(host.dir, {}, {dryRun: true})
  expect([result.exitCode, result.outcome]).toEqual([0, 'planned'])
  expect(events.some((event) => event.type === 'log' && event.message.includes(`--cloud ${cloud}`))).toBe(true)
  expect(requests(host)).toHaveLength(1)
})

describe('the routes to the metadata service', () => {
  const METADATA = /^169\.254\.169\./
  const routesOf = ({world}: HostFolder): string[] =>
    world.routes
      .filter(({destination}) => METADATA.test(destination))
      .map(({destination, interfaceIndex, nextHop}) => {
        const {name} = world.adapters.find(({index}) => index === interfaceIndex) ?? {}
        return `${destination} ${nextHop} ${name}`
      })
  const SWITCH = 'vEthernet (Ethernet0)'

  test.each(
    turn(
      [
        ['gce', 'Google', 'Google Compute Engine', ['169.254.169.254/32 0.0.0.0']],
        [
          'aws',
          'Amazon EC2',
          'm5.large',
          [254, 250, 251, 253, 249, 123].map((last) => `169.254.169.${last}/32 10.0.0.1`),
        ],
      ] as const,
      0,
    ),
  )(
    'of %s are added where the host had none, restored by recover, and gone after reset',
    async (cloud, manufacturer, product, routes) => {
      const host = HostFolder.empty()
      await openSimulator({dir: host.dir, profile: 'ws2019'})
      host.edit((world) => {
        hardware(world, manufacturer, product)
        world.os.metadata = {cloud, needsRoute: true}
      })
      const added = routes.map((route) => `${route} ${SWITCH}`)
      expect((await setupOn(host.dir)).result.exitCode).toBe(0)
      expect(routesOf(host)).toEqual(added)
      expect((await setupOn(host.dir)).result.recap?.changed).toBe(0)

      host.edit((world) => {
        world.routes = world.routes.filter(({destination}) => !METADATA.test(destination))
      })
      const processes = processesOf(host)
      // Killed before the last route.
      let left = routes.length
      const before = ({what}: {what: string}): void => {
        if (what === 'createRoute' && --left === 0) throw new Error('killed')
      }
      await recoverOn(host.dir, {before}).catch(() => {})
      expect(routesOf(host)).toEqual(added.slice(0, -1))
      const {result} = await recoverOn(host.dir)
      expect([result.exitCode, routesOf(host), processesOf(host)]).toEqual([0, added, processes])

      await resetOn(host.dir)
      expect(routesOf(host)).toEqual([])
    },
  )

  const gatewayChanges = (host: HostFolder, from: string, gateway: string, address: string): void =>
    host.edit((world) => {
      world.routes = world.routes
        .filter(({destination}) => !METADATA.test(destination))
        .map((route) => (route.nextHop === from ? {...route, nextHop: gateway} : route))
      world.adapters = world.adapters.map((one) =>
        one.gateways.includes(from) ? {...one, addresses: [{address, prefixLength: 24}], gateways: [gateway]} : one,
      )
    })

  test('go through the gateway that the adapter has now, also if the network was recorded with them', async () => {
    const host = HostFolder.empty()
    expect((await setupOn(host.dir, {cloud: 'azure'}, {}, 'ws2019')).result.exitCode).toBe(0)
    gatewayChanges(host, '10.0.0.1', '10.0.0.254', '10.0.0.5')
    expect((await recoverOn(host.dir)).result.exitCode).toBe(0)
    expect(routesOf(host)).toEqual([`169.254.169.254/32 10.0.0.254 ${SWITCH}`])
    host.edit((world) => {
      for (const node of world.cluster.nodes) if (node.name === 'win-1') node.podCIDR = '10.244.9.0/24'
    })
    expect((await recoverOn(host.dir)).result.exitCode).toBe(0)
    gatewayChanges(host, '10.0.0.254', '10.0.1.1', '10.0.1.5')
    expect((await recoverOn(host.dir)).result.exitCode).toBe(0)
    expect(routesOf(host)).toEqual([`169.254.169.254/32 10.0.1.1 ${SWITCH}`])
    expect((await examine(host)).check('metadata-routes').result).toBe('pass')
    await resetOn(host.dir)
    expect(routesOf(host)).toEqual([])
  })

  test('are gone after a restart of Windows, until recover', async () => {
    const host = HostFolder.empty()
    expect((await setupOn(host.dir, {cloud: 'azure'}, {}, 'ws2019')).result.exitCode).toBe(0)
    const added = routesOf(host)
    host.edit((world) => reboot(world))
    const {routes, os} = host.world
    // The switch has gone with the restart: the adapter's are on their way back.
    const left = [...routes, ...(os.vswitch?.returning?.routes ?? [])].map(({destination}) => destination)
    expect(left.filter((one) => METADATA.test(one) || one === '0.0.0.0/0')).toEqual(['0.0.0.0/0'])
    expect((await recoverOn(host.dir)).result.exitCode).toBe(0)
    expect(routesOf(host)).toEqual(added)
  })

  test('are on the adapter of the node', async () => {
    const other = {
      addresses: [{address: '192.168.50.5', prefixLength: 24}],
      dhcp: false,
      dnsServers: ['192.168.50.2'],
      gateways: ['192.168.50.1'],
      index: 77,
      name: 'Storage',
    }
    const host = await HostFolder.fresh((world) => {
      world.adapters = [{...world.adapters[0], ...other} as (typeof world.adapters)[0], ...world.adapters]
      const route = {destination: '0.0.0.0/0', interfaceIndex: 77, metric: 500, nextHop: '192.168.50.1'} as const
      world.routes = [{...route, origin: 'manual', persistent: true}, ...world.routes]
    })
    const given = {cloud: 'azure', 'interface-name': 'Ethernet0'}
    expect((await setupOn(host.dir, given)).result.exitCode).toBe(0)
    expect(routesOf(host)).toEqual([`169.254.169.254/32 10.0.0.1 ${SWITCH}`])
  })

  test.each(
    sample(
      [
        ['DHCP', {origin: 'dhcp'}],
        ['an administrator, persistent', {persistent: true}],
        ['an administrator, through another router', {nextHop: '10.0.0.9'}],
      ] as const,
      2,
    ),
  )('stay after reset where they are from %s', async (_, edit) => {
    const host = HostFolder.empty()
    expect((await setupOn(host.dir, {cloud: 'azure'}, {}, 'ws2019')).result.exitCode).toBe(0)
    host.edit((world) => {
      world.routes = world.routes.map((route) => (METADATA.test(route.destination) ? {...route, ...edit} : route))
    })
    await resetOn(host.dir)
    expect(routesOf(host)).toHaveLength(1)
  })

  test.each([
    ['the host has one of its own', {}, ['169.254.169.254/32 10.0.0.9 vEthernet (Ethernet0)']],
    ['--cloud none is given', {cloud: 'none'}, []],
  ] as const)('are not added where %s', async (_, given, routes) => {
    const host = HostFolder.empty()
    await openSimulator({dir: host.dir, profile: 'ws2019'})
    host.edit((world) => {
      hardware(world, 'Amazon EC2', 'm5.large')
      world.os.metadata = {cloud: 'aws'}
      const own = {destination: '169.254.169.254/32', interfaceIndex: 4, metric: 5, nextHop: '10.0.0.9'} as const
      if (routes.length > 0) world.routes.push(own)
    })
    expect((await setupOn(host.dir, given)).result.exitCode).toBe(0)
    expect(routesOf(host)).toEqual(routes)
  })
})

const processesOf = ({world}: HostFolder): unknown[] =>
  ['flanneld', 'kubelet', 'kubeproxy'].map((name) => world.services[name]?.processId)
