// What recover must not do: call a node healthy that is not, forget what setup had skipped, continue another run, move a
// healthy node, or guess.
import {describe, expect, test} from 'vitest'
import type {GivenOptions} from '../../src/config/options/options.js'
import {interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {type Adapter, Win32Error} from '../../src/machine/win32.js'
import type {World} from '../../src/simulator/world.js'
import {BROKEN_NODES} from '../hosts/broken-nodes.js'
import {setupOn} from '../setup/in-process.js'
import {statusOn} from '../status/status-on.js'
import {HostFolder} from '../steps/host-folder.js'
import {recoverOn} from './recover-on.js'
import {sample} from '../sample.js'

const RESULT = String.raw`k\k8s-win\result.json`
const JOURNAL = String.raw`k\k8s-win\journal.ndjson`
const KUBELET_CONFIG = String.raw`k\kubelet-config.yaml`

async function nodeWith(given: GivenOptions = {}, sicken: (world: World) => void = () => {}): Promise<HostFolder> {
  const host = await HostFolder.fresh(sicken)
  const {result} = await setupOn(host.dir, given)
  expect(result.error).toBeUndefined()
  return host
}

const changedIn = ({steps}: {steps: readonly {id: string; state: string}[]}): string[] =>
  steps.filter(({state}) => state === 'changed').map(({id}) => id)

describe('a step that setup had skipped', () => {
  test('is no reason to end with 0 where something else is wrong', async () => {
    const host = await nodeWith({skip: 'machine-environment'})
    host.edit((world) => (world.cluster.reachable = false))
    const {result} = await recoverOn(host.dir)
    const {document} = await statusOn(host.dir)
    expect(result).toMatchObject({error: {id: document.problems[0]?.id}, exitCode: 6})
  })

  test('explains what is missing because of it', async () => {
    const host = await nodeWith({skip: 'firewall-rules'})
    expect((await recoverOn(host.dir)).result.exitCode).toBe(0)
  })

  test('stays skipped after a recover that was refused', async () => {
    const host = await nodeWith({skip: 'firewall-rules'})
    host.edit((world) => (world.os.administrator = false))
    expect((await recoverOn(host.dir)).result.exitCode).toBe(3)
    host.edit((world) => (world.os.administrator = true))
    const {result} = await recoverOn(host.dir)
    expect([result.exitCode, changedIn(result)]).toEqual([0, []])
  })

  test('stays skipped without the result of the last run', async () => {
    const host = await nodeWith({skip: 'firewall-rules'})
    host.put(RESULT, '{')
    const {result} = await recoverOn(host.dir)
    expect([result.exitCode, changedIn(result)]).toEqual([0, []])
    const {document} = await statusOn(host.dir)
    expect(document.drift?.find(({step}) => step === 'firewall-rules')?.state).toBe('skipped')
  })

  test('is made by a later setup, and is then repaired', async () => {
    const host = await nodeWith({skip: 'firewall-rules'})
    expect((await setupOn(host.dir)).result.exitCode).toBe(0)
    host.put(RESULT, '{')
    host.edit((world) => (world.firewall = {}))
    expect(changedIn((await recoverOn(host.dir)).result)).toEqual(['firewall-rules'])
  })
})

test('a setup with other options that was killed on a node is named, and not reverted', async () => {
  const host = await nodeWith()
  let killed: HostFolder | undefined
  const holder = {command: 'k8s-win setup --cluster-domain other.local', processId: 7, user: 'tester'}
  const watch = (machine: Machine): Machine =>
    interceptMachine(machine, async ({what}, perform) => {
      if (what !== 'stopService') return perform()
      killed = host.copy()
      throw new Error('killed')
    })
  await setupOn(host.dir, {'cluster-domain': 'other.local'}, {holder, wrap: watch}).catch(() => undefined)
  const left = killed ?? host
  const before = left.read(KUBELET_CONFIG)
  expect(before).toContain('other.local')
  const {result} = await recoverOn(left.dir)
  expect(result).toMatchObject({error: {id: 'SETUP_UNFINISHED'}, exitCode: 3, steps: []})
  expect(left.read(KUBELET_CONFIG)).toBe(before)
})

test.each([
  ['address-changed while Windows restarted', 'cluster-gone and the kubelet dead'],
  ['file-drifted CNI', 'service-drifted kubeproxy failure actions are gone', 'cluster-gone'],
])('with the cluster gone, that is named and no consequence of it: %s', async (...names) => {
  const host = await nodeWith()
  for (const name of names) {
    const row = BROKEN_NODES.find((one) => [one.id, one.name].filter((part) => part !== undefined).join(' ') === name)
    expect(row, name).toBeDefined()
    await row?.break(host)
  }
  const {result} = await recoverOn(host.dir)
  expect(result).toMatchObject({error: {id: 'API_SERVER_UNREACHABLE'}, exitCode: 6})
})

describe('the address of the node is still there', () => {
  const OTHER = {address: '192.168.50.5', prefixLength: 24}
  const second = (name: string, gateways: string[] = []): Adapter => ({
    addresses: [OTHER],
    dhcp: false,
    dnsServers: [],
    gateways,
    index: 77,
    name,
    up: true,
  })
  const renamed = (world: World): void => {
    world.adapters = world.adapters.map((one) => (one.name === 'Ethernet0' ? {...one, name: 'LAN'} : one))
  }

  test.each<[string, (world: World) => void, (world: World) => void]>(
    sample(
      [
        [
          'behind another one',
          () => {},
          (world) => {
            world.adapters = world.adapters.map((one) =>
              one.name.includes('Ethernet0')
                ? {...one, addresses: [{address: '10.0.0.200', prefixLength: 24}, ...one.addresses]}
                : one,
            )
          },
        ],
        [
          'and an adapter has the usual name',
          renamed,
          (world) => void (world.adapters = [...world.adapters, second('Ethernet0')]),
        ],
        [
          'and another has a gateway',
          renamed,
          (world) => void (world.adapters = [...world.adapters, second('B', ['192.168.50.1'])]),
        ],
      ],
      2,
    ),
  )('%s: recover and setup change nothing', async (_, sicken, change) => {
    const host = await nodeWith({}, sicken)
    host.edit(change)
    for (const {result} of [await recoverOn(host.dir), await setupOn(host.dir)])
      expect([result.exitCode, changedIn(result), result.error]).toEqual([0, [], undefined])
  })
})

test('without the address of the cluster DNS the configuration of the kubelet is not written', async () => {
  const host = await nodeWith()
  const before = host.read(KUBELET_CONFIG)
  host.put(KUBELET_CONFIG, ': {[')
  host.edit((world) => (world.cluster.reachable = false))
  const {result} = await recoverOn(host.dir)
  expect(result).toMatchObject({error: {id: 'API_SERVER_UNREACHABLE'}, exitCode: 6})
  expect(host.read(KUBELET_CONFIG)).not.toContain('clusterDNS')
  host.edit((world) => (world.cluster.reachable = true))
  expect((await recoverOn(host.dir)).result.exitCode).toBe(0)
  expect(host.read(KUBELET_CONFIG)).toBe(before)
})

describe('a copy of a node', () => {
  const copy = (world: World): void => void (world.os.systemUuid = '11111111-0035-3010-8052-b9c04f574e31')

  test('keeps its journal, also a damaged one', async () => {
    const host = await nodeWith()
    host.edit(copy)
    host.put(JOURNAL, host.read(JOURNAL).replace(/.*network-verified.*\n/, 'xxx\n'))
    const before = host.read(JOURNAL)
    expect((await recoverOn(host.dir)).result).toMatchObject({error: {id: 'NODE_IS_A_COPY'}, exitCode: 3})
    expect(host.read(JOURNAL)).toBe(before)
  })

  test('that cannot be recognised is a warning', async () => {
    const host = await nodeWith()
    const wrap = (machine: Machine): Machine =>
      interceptMachine(machine, async ({what}, perform) => {
        if (what === 'systemUuid') throw new Win32Error('GetSystemFirmwareTable', 5, 'SMBIOS')
        return perform()
      })
    const {result} = await recoverOn(host.dir, {wrap})
    expect(result.exitCode).toBe(0)
    expect(result.checks.find(({id}) => id === 'node-copy')).toMatchObject({result: 'warn'})
  })
})
