// The network is cut when flanneld makes its first network: nothing needs it then, and all of it comes back or is reported.
import {describe, expect, test} from 'vitest'
import {HttpError} from '../../src/machine/http.js'
import type {Effect} from '../../src/machine/intercept.js'
import type {Adapter, Route} from '../../src/machine/win32.js'
import {readJournal} from '../../src/pipeline/ledger/journal-format.js'
import type {VSwitchState, World} from '../../src/simulator/world.js'
import {nodeReady} from '../../src/steps/node-ready.js'
import {overlayNetwork} from '../../src/steps/overlay-network.js'
import type {Fault} from '../fakes/faulty.js'
import {JOURNAL, noteIn} from '../pipeline/ledger/note-in.js'
import {Rig} from '../steps/rig.js'
import {HostInMemory} from './host-in-memory.js'

const METADATA: Route = {destination: '169.254.169.254/32', interfaceIndex: 4, metric: 1, nextHop: '10.0.0.1'}

const withSwitch = (vswitch: VSwitchState): Promise<HostInMemory> =>
  HostInMemory.make((world) => {
    world.os.vswitch = vswitch
    world.routes.push(METADATA)
  })

describe('the cut', () => {
  test('all that needs the network is done before and the API server asked after; what the host had is noted and compared', async () => {
    const host = await withSwitch({offlineMs: 40_000})
    const {code, result} = await host.setup()
    expect({code, ready: result.node?.ready}).toEqual({code: 0, ready: true})

    const lines = host.transcript
    const start = lines.findIndex(({args, what}) => what === 'startService' && args[0] === 'flanneld')
    expect(start).toBeGreaterThan(0)
    const since = lines.slice(start)
    const abroad = (line: {what: string}): boolean =>
      /https:\/\/(?!10\.0\.0\.10:6443)|images\/create|\/build/.test(line.what)
    expect(lines.slice(0, start).filter(abroad).length).toBeGreaterThan(4)
    expect(since.filter(abroad)).toEqual([])

    const over = Date.parse(lines[start]?.at ?? '') + 40_000
    const asked = since.filter(({what}) => what.includes(':6443'))
    expect(asked.length).toBeGreaterThan(0)
    for (const {at, outcome} of asked)
      // 201: the end of setup asks again what the daemons may do.
      expect({isWell: ['200', '201'].includes(String(outcome)), over: Date.parse(at) >= over}).toEqual({
        isWell: true,
        over: true,
      })

    const [before, verified] = ['network-before', 'network-verified'].map((kind) =>
      host.journal.find((entry) => entry.kind === kind),
    )
    expect(before?.snapshot).toEqual({
      addresses: ['10.0.0.5/24'],
      dnsServers: ['10.0.0.2'],
      gateways: ['10.0.0.1'],
      routes: ['0.0.0.0/0 via 10.0.0.1', '169.254.169.254/32 via 10.0.0.1'],
    })
    const started = lines[start]?.at
    expect([before?.at, started, verified?.at].toSorted()).toEqual([before?.at, started, verified?.at])
    expect(verified?.id).toBe(before?.id)
  })

  test('a cut so long that flanneld gives up on it', async () => {
    const host = await withSwitch({offlineMs: 100_000})
    const {code, result} = await host.setup()
    expect({code, ready: result.node?.ready}).toEqual({code: 0, ready: true})
  })
})

describe('a run that follows one that died in the cut', () => {
  async function afterDeath(offlineMs: number): Promise<HostInMemory> {
    const host = await HostInMemory.make()
    await host.setup()
    const {lines} = readJournal(host.read(JOURNAL))
    const note = lines.flatMap(({entry}) => (entry.kind === 'network-before' ? [entry] : []))[0]!
    noteIn(host, {entry: {...note, id: 'not compared'}, step: 'overlay-network'})
    host.edit(({os}) => (os.offlineUntil = os.time + offlineMs))
    return host
  }

  test('waits where the adapter is back and connections are not', async () => {
    const {code, result} = await (await afterDeath(50_000)).setup()
    expect({code, ready: result.node?.ready}).toEqual({code: 0, ready: true})
  })

  test('and does not wait for ever', async () => {
    const {result} = await (await afterDeath(3_600_000)).setup()
    expect(result).toMatchObject({error: {id: 'API_SERVER_UNREACHABLE'}, exitCode: 3})
    expect(result.durationMs).toBeLessThan(180_000)
  })
})

describe('what does not come back', () => {
  const onto = '"vEthernet (Ethernet0)"'

  test.each<{commands: string[]; lost: string; repair: (world: World) => void; vswitch: VSwitchState}>([
    {
      commands: [
        `netsh interface ipv4 set address ${onto} static 10.0.0.5 255.255.255.0`,
        `netsh interface ipv4 add route 0.0.0.0/0 ${onto} 10.0.0.1`,
        `netsh interface ipv4 add route 169.254.169.254/32 ${onto} 10.0.0.1`,
        `netsh interface ipv4 add dnsservers ${onto} 10.0.0.2 validate=no`,
      ],
      lost:
        'address 10.0.0.5/24, gateway 10.0.0.1, DNS server 10.0.0.2, ' +
        'route 0.0.0.0/0 via 10.0.0.1, route 169.254.169.254/32 via 10.0.0.1',
      repair(world) {
        const addresses = [{address: '10.0.0.5', prefixLength: 24}]
        change(world, {addresses, dhcp: false, dnsServers: ['10.0.0.2'], gateways: ['10.0.0.1']})
        addRoutes(world, '0.0.0.0/0', METADATA.destination)
      },
      vswitch: {losesAddress: true},
    },
    {
      commands: [`netsh interface ipv4 add route 169.254.169.254/32 ${onto} 10.0.0.1`],
      lost: 'route 169.254.169.254/32 via 10.0.0.1',
      repair: (world) => addRoutes(world, METADATA.destination),
      vswitch: {losesRoutes: [METADATA.destination]},
    },
    {
      commands: [`netsh interface ipv4 add dnsservers ${onto} 10.0.0.2 validate=no`],
      lost: 'DNS server 10.0.0.2',
      repair: (world) => change(world, {dnsServers: ['10.0.0.2']}),
      vswitch: {losesDnsServers: true},
    },
  ])(
    '$lost: exit 6, how to restore it; repaired and run again it ends well',
    async ({commands, lost, repair, vswitch}) => {
      const host = await withSwitch(vswitch)
      const {code, result} = await host.setup()
      expect({code, id: result.error?.id}).toEqual({code: 6, id: 'NETWORK_NOT_RESTORED'})
      expect(result.error?.cause).toMatch(new RegExp(`Windows lost: ${lost.replaceAll('.', String.raw`\.`)}\\.$`))
      expect(result.error?.fix).toContain(commands.join('; '))
      expect(result.steps.find(({id}) => id === 'overlay-network')?.state).toBe('failed')
      expect(host.world.services).not.toHaveProperty('kubeproxy')

      if (vswitch.losesAddress) expect((await host.setup()).result.error).toEqual(result.error)

      host.edit(repair)
      const repaired = await host.setup()
      expect({code: repaired.code, ready: repaired.result.node?.ready}).toEqual({code: 0, ready: true})
    },
  )
})

describe('flanneld', () => {
  test('that hangs at its first start (flannel#1066) is started once more, and that is said', async () => {
    const host = await HostInMemory.make((world) => (world.hns.stuckOnce = true))
    const {code, told} = await host.setup()
    expect(code).toBe(0)
    expect(told).toContain('flanneld created no network within 60 s; restarting it')
    const starts = host.transcript.filter(({args, what}) => what === 'startService' && args[0] === 'flanneld')
    expect(starts).toHaveLength(2)
  })
})

describe('an API server that does not answer for a while is "not yet"', () => {
  const isAsked = (effect: Effect): boolean => effect.via === 'http' && String(effect.args[0]).includes(':6443')
  const refused = new HttpError('https://10.0.0.10:6443', 'ECONNREFUSED', 'connect ECONNREFUSED')

  /** The first requests fail; `left` is how many are still to fail. */
  function failing(times: number, does: Fault['does']): Fault & {left: () => number} {
    let left = times
    return {at: (effect) => isAsked(effect) && left > 0 && left-- > 0, does, left: () => left, when: 'before'}
  }

  test.each([
    {does: refused, name: 'refuses', step: overlayNetwork, times: 20},
    {does: 'hang' as const, name: 'is silent', step: overlayNetwork, times: 3},
    {does: refused, name: 'refuses', step: nodeReady, times: 50},
    {does: 'hang' as const, name: 'is silent', step: nodeReady, times: 3},
  ])('$step.id: it $name', async ({does, step, times}) => {
    const rig = await Rig.open()
    await rig.runBefore(step.id)
    const fault = failing(times, does)
    const cut = await rig.reopen({faults: [fault]})
    const {error} = await cut.run(step)
    expect({error, left: fault.left()}).toEqual({error: undefined, left: 0})
    expect((await cut.inspect(step)).state).toBe('in-place')
  })

  test('and after too long an error that is no "nothing was changed"', async () => {
    const rig = await Rig.open()
    await rig.runBefore('node-ready')
    const cut = await rig.reopen({faults: [failing(Number.MAX_SAFE_INTEGER, refused)]})
    expect((await cut.run(nodeReady)).error).toMatchObject({exitCode: 6, id: 'API_SERVER_LOST'})
  })
})

function change(world: World, changes: Partial<Adapter>): void {
  world.adapters = world.adapters.map((one) => (one.name === 'vEthernet (Ethernet0)' ? {...one, ...changes} : one))
}

function addRoutes(world: World, ...destinations: string[]): void {
  const interfaceIndex = world.adapters.find(({name}) => name === 'vEthernet (Ethernet0)')?.index ?? 0
  for (const destination of destinations) world.routes.push({...METADATA, destination, interfaceIndex})
}
