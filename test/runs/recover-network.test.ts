// recover puts back what the host lost of its own network since setup, and nothing that somebody has changed.
import {beforeAll, describe, expect, test} from 'vitest'
import {HttpError} from '../../src/machine/http.js'
import {type Effect, interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import type {Adapter, Route} from '../../src/machine/win32.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import type {World} from '../../src/simulator/world.js'
import {CrashError, faultyMachine} from '../fakes/faulty.js'
import {nightly} from '../nightly.js'
import {JOURNAL} from '../pipeline/ledger/note-in.js'
import {setupOn} from '../setup/in-process.js'
import {HostFolder} from '../steps/host-folder.js'
import {recoverOn} from './recover-on.js'
import {sample} from '../sample.js'

const METADATA: Route = {
  destination: '169.254.169.254/32',
  interfaceIndex: 4,
  metric: 7,
  nextHop: '0.0.0.0',
  origin: 'manual',
  persistent: true,
}
const DEFAULT = '0.0.0.0/0'

let made: HostFolder
beforeAll(async () => {
  made = HostFolder.empty()
  await openSimulator({dir: made.dir, profile: 'ws2019'})
  made.edit(({routes}) => void routes.push(METADATA))
  expect((await setupOn(made.dir)).result.exitCode).toBe(0)
})

/** The node, with its adapter changed and without some routes. */
function broken(changes: Partial<Adapter>, ...lost: readonly string[]): HostFolder {
  const host = made.copy()
  host.edit((world) => {
    world.routes = world.routes.filter(({destination}) => !lost.includes(destination))
    world.adapters = world.adapters.map((one) => (isSwitch(one) ? {...one, ...changes} : one))
  })
  return host
}

const isSwitch = ({name}: Adapter): boolean => name === 'vEthernet (Ethernet0)'
const networkOf = ({adapters, routes}: World) => ({
  adapter: adapters.filter(isSwitch).map(({dnsByHand: _, ...one}) => one),
  routes: routes.map((route) => JSON.stringify(route, Object.keys(METADATA).sort())).sort(),
})
const processes = ({services}: World) => Object.values(services).map(({name, processId}) => [name, processId])
const APIPA = {addresses: [{address: '169.254.83.107', prefixLength: 16}], dhcp: true, dnsServers: [], gateways: []}
const OF_ADDRESS = [DEFAULT, '10.0.0.0/24', '10.0.0.5/32']

describe('what is lost is put back as it was, and nothing is restarted', () => {
  test.each<[string, Partial<Adapter>, readonly string[]]>(
    sample(
      [
        ['a persistent route on the link', {}, [METADATA.destination]],
        // Before any step, which may need the cluster.
        ['the gateway', {gateways: []}, [DEFAULT]],
        ['the DNS servers', {dnsServers: []}, []],
        ['everything', APIPA, [...OF_ADDRESS, METADATA.destination]],
      ],
      3,
    ),
  )('%s', async (_, changes, lost) => {
    const host = broken(changes, ...lost)
    const before = host.state
    const planned = await recoverOn(host.dir, {dryRun: true})
    expect(planned.result.steps.find(({id}) => id === 'overlay-network')?.state).toBe('would-change')
    expect(host.state).toEqual(before)
    const {result} = await recoverOn(host.dir)
    expect(result).toMatchObject({exitCode: 0})
    expect(result.steps.filter(({state}) => state === 'changed').map(({id}) => id)).toEqual(['overlay-network'])
    expect(networkOf(host.world)).toEqual(networkOf(made.world))
    expect(processes(host.world)).toEqual(processes(made.world))
    expect((await recoverOn(host.dir)).result).toMatchObject({exitCode: 0, recap: {changed: 0}})
  })
})

test('the gateway, where the API server is behind it', async () => {
  const host = broken({gateways: []}, DEFAULT)
  const refused = new HttpError('https://10.0.0.10:6443', 'ENETUNREACH', 'connect ENETUNREACH')
  const wrap = (machine: Machine): Machine =>
    interceptMachine(machine, async (effect, perform) => {
      const isAway = effect.via === 'http' && String(effect.args[0]).includes(':6443')
      if (isAway && !(await machine.win32.adapters()).some(({gateways}) => gateways.length > 0)) throw refused
      return perform()
    })
  expect((await recoverOn(host.dir, {wrap})).result).toMatchObject({exitCode: 0})
  expect(networkOf(host.world)).toEqual(networkOf(made.world))
})

test('nothing on a copy of a node: the address is that of the original', async () => {
  const host = broken(APIPA, ...OF_ADDRESS)
  host.edit(({os}) => (os.systemUuid = '9b1d2c3e-0f1a-4b5c-8d7e-6f5a4b3c2d1e'))
  const before = networkOf(host.world)
  expect((await recoverOn(host.dir)).result).toMatchObject({error: {id: 'NODE_IS_A_COPY'}, exitCode: 3})
  expect(networkOf(host.world)).toEqual(before)
})

test('nothing on a copy of a host whose setup was killed while the network was being replaced', async () => {
  const host = made.copy()
  host.edit((world) => {
    world.hns.networks = world.hns.networks.filter(({Name}) => Name !== 'vxlan0')
  })
  const at = ({what}: Effect): boolean => what === 'stopService'
  const wrap = (machine: Machine): Machine => faultyMachine(machine, [{at, does: 'crash', when: 'before'}])
  await expect(setupOn(host.dir, {}, {wrap})).rejects.toBeInstanceOf(CrashError)
  host.edit((world) => {
    world.os.systemUuid = '9b1d2c3e-0f1a-4b5c-8d7e-6f5a4b3c2d1e'
    world.routes = world.routes.filter(({destination}) => destination !== METADATA.destination)
  })
  const before = networkOf(host.world)
  await setupOn(host.dir)
  expect(networkOf(host.world)).toEqual(before)
  host.edit(({os}) => (os.systemUuid = made.world.os.systemUuid ?? ''))
  expect((await setupOn(host.dir)).result).toMatchObject({exitCode: 0})
  expect(networkOf(host.world).routes).toEqual(networkOf(made.world).routes)
})

describe('a lease', () => {
  test('that comes within 20 s keeps the adapter with DHCP', async () => {
    const host = broken(APIPA, ...OF_ADDRESS)
    const start = host.world.os.time
    const wrap = (machine: Machine): Machine =>
      interceptMachine(machine, async (effect, perform) => {
        const answer = await perform()
        if (effect.what !== 'adapters' || machine.clock.now() < start + 10_000) return answer
        const leased = {addresses: [{address: '10.0.0.77', prefixLength: 24}], gateways: ['10.0.0.1']}
        return (answer as Adapter[]).map((one) => (isSwitch(one) ? {...one, ...leased} : one)) as typeof answer
      })
    const set: string[] = []
    const before = ({args}: Effect): void => {
      if (/ipv4.(set|add)/.test(args.join(' '))) set.push(args.join(' '))
    }
    await recoverOn(host.dir, {before, wrap})
    expect(set).toEqual([])
  })

  test('without gateway and DNS servers gets none that were fixed before', async () => {
    const host = broken({dhcp: true, dnsServers: [], gateways: []}, DEFAULT)
    const before = networkOf(host.world)
    await recoverOn(host.dir)
    expect(networkOf(host.world)).toEqual(before)
  })
})

const DAY_MS = 86_400_000
const without = (host: HostFolder, kind: string): void => {
  const lines = host.read(JOURNAL).toString().split('\n')
  host.put(JOURNAL, lines.map((line) => (line.includes(kind) ? line.slice(0, 20) : line)).join('\n'))
}

test('a record whose comparison is missing from the journal does not undo what was changed since', async () => {
  const host = broken({addresses: [{address: '10.0.0.77', prefixLength: 24}], dnsServers: ['10.0.0.3']})
  host.edit(({os}) => void (os.time += DAY_MS))
  without(host, 'network-verified')
  const {adapter} = networkOf(host.world)
  await recoverOn(host.dir)
  expect(networkOf(host.world).adapter).toEqual(adapter)
})

test('the last record is the last in the journal, whatever the clock said', async () => {
  const host = broken({addresses: [{address: '10.0.0.77', prefixLength: 24}], dnsServers: ['10.0.0.3']})
  host.edit(({os}) => {
    os.time -= 3 * DAY_MS
    os.offlineUntil = 0
  })
  expect((await recoverOn(host.dir)).result).toMatchObject({exitCode: 0})
  host.edit((world) => {
    world.routes = world.routes.filter(({destination}) => destination !== DEFAULT)
    world.adapters = world.adapters.map((one) => (isSwitch(one) ? {...one, ...APIPA} : one))
  })
  await recoverOn(host.dir)
  expect(networkOf(host.world).adapter).toMatchObject([{addresses: [{address: '10.0.0.77'}], dnsServers: ['10.0.0.3']}])
})

test('a clock that was set back makes nobody wait', async () => {
  const host = made.copy()
  host.edit(({os}) => {
    os.time -= 5 * 3_600_000
    os.offlineUntil = 0
  })
  const {result} = await setupOn(host.dir)
  expect(result.exitCode).toBe(0)
  expect(result.durationMs).toBeLessThan(120_000)
})

describe('while the network of another pod range is replaced', () => {
  const STORAGE: Adapter = {
    addresses: [{address: '192.168.50.5', prefixLength: 24}],
    dhcp: false,
    dnsServers: ['192.168.50.2'],
    gateways: [],
    index: 77,
    name: 'Storage',
    up: true,
  }
  const isStorage = ({name}: Adapter): boolean => name === STORAGE.name
  /** Killed before flanneld is stopped. */
  async function killed(edit: (world: World) => void, at: (effect: Effect) => boolean): Promise<HostFolder> {
    const host = await HostFolder.fresh(edit, 'ws2019')
    expect((await setupOn(host.dir)).result.exitCode).toBe(0)
    host.edit(({cluster}) => {
      for (const node of cluster.nodes) if (node.name === 'win-1') node.podCIDR = '10.244.9.0/24'
    })
    const wrap = (machine: Machine): Machine => faultyMachine(machine, [{at, does: 'crash', when: 'before'}])
    await expect(recoverOn(host.dir, {wrap})).rejects.toBeInstanceOf(CrashError)
    return host
  }
  const isStop = ({what}: Effect): boolean => what === 'stopService'
  const healthy = {exitCode: 0}

  test.each([
    ['gone', (world: World) => void (world.adapters = world.adapters.filter((one) => !isStorage(one)))],
    [
      'down',
      (world: World) => {
        const down = {addresses: [], dnsServers: [], up: false}
        world.adapters = world.adapters.map((one) => (isStorage(one) ? {...one, ...down} : one))
      },
    ],
  ])('another adapter that is %s is not waited for', async (_, edit) => {
    const host = await killed((world) => void world.adapters.push(STORAGE), isStop)
    host.edit(edit)
    const before = host.world.adapters.filter(isStorage)
    const {events, result} = await recoverOn(host.dir)
    expect(result).toMatchObject(healthy)
    expect(host.world.adapters.filter(isStorage)).toEqual(before)
    expect(events.filter((one) => JSON.stringify(one).includes('192.168.50.5')).length).toBeGreaterThan(0)
    expect((await recoverOn(host.dir)).result).toMatchObject({exitCode: 0, recap: {changed: 0}})
  })

  test('another lease takes the place of the one before', async () => {
    const host = await killed((world) => {
      world.adapters = world.adapters.map((one) => ({...one, dhcp: true, dnsByHand: false}))
      world.routes = world.routes.map((one) => (one.destination === DEFAULT ? {...one, origin: 'dhcp'} : one))
    }, isStop)
    host.edit((world) => {
      const addresses = [{address: '10.0.0.77', prefixLength: 24}]
      world.adapters = world.adapters.map((one) => (isSwitch(one) ? {...one, addresses} : one))
    })
    expect((await recoverOn(host.dir)).result).toMatchObject(healthy)
  })

  test('a lost address is not put back while the switch is being made', async () => {
    const isSet = ({args}: Effect): boolean => args.join(' ').includes('ipv4')
    const host = await killed(
      (world) => void (world.os.vswitch = {losesAddress: true}),
      (effect) => effect.kind === 'change' && isSet(effect),
    )
    expect((await recoverOn(host.dir)).result).toMatchObject(healthy)
  })
})

test.each<[string, Partial<Adapter>, readonly Route[]]>([
  ['other DNS servers', {dnsServers: ['10.0.0.60']}, []],
  ['another gateway', {gateways: ['10.0.0.3']}, [{...METADATA, destination: DEFAULT, nextHop: '10.0.0.3'}]],
])('%s are left as they are', async (_, changes, routes) => {
  const host = broken(changes, ...routes.map(({destination}) => destination))
  host.edit((world) => void world.routes.push(...routes))
  const before = networkOf(host.world)
  expect((await recoverOn(host.dir)).result).toMatchObject({exitCode: 0, recap: {changed: 0}})
  expect(networkOf(host.world)).toEqual(before)
})

nightly('killed before and after each of its changes, and run again', async () => {
  const isOwn = ({args, kind, what}: Effect): boolean =>
    kind === 'change' && (what === 'createRoute' || args.join(' ').includes('ipv4'))
  let ends = false
  let kills = 0
  for (let nth = 1; !ends; nth++) {
    for (const when of ['before', 'after'] as const) {
      const host = broken(APIPA, ...OF_ADDRESS, METADATA.destination)
      let count = 0
      const at = (effect: Effect): boolean => isOwn(effect) && ++count === nth
      const wrap = (machine: Machine): Machine => faultyMachine(machine, [{at, does: 'crash', when}])
      const end = await recoverOn(host.dir, {wrap}).catch((error: unknown) => error)
      ends = count < nth
      if (ends) break
      expect(end).toBeInstanceOf(CrashError)
      kills++
      expect((await recoverOn(host.dir)).result).toMatchObject({exitCode: 0})
      expect(networkOf(host.world)).toEqual(networkOf(made.world))
    }
  }
  expect(kills).toBe(8)
})
