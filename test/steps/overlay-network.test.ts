import {expect, test} from 'vitest'
import {serverUnreachable} from '../../src/errors/cluster.js'
import {takeSnapshot} from '../../src/host/saved-network.js'
import type {Step} from '../../src/pipeline/run/step.js'
import {flanneldServiceStep} from '../../src/steps/services/flanneld-service.js'
import {overlayNetwork} from '../../src/steps/overlay-network.js'
import {overlayNetworkDrifts} from './drifts/network.js'
import {describeStep} from './five-tests.js'
import {Rig} from './rig.js'
import {removeStep} from '../../src/pipeline/owned/kinds.js'

const BACKEND_DATA = 'flannel.alpha.coreos.com/backend-data'
const vtepMac = ({world}: Rig): unknown => {
  const node = world.cluster.nodes.find(({name}) => name === 'win-1')
  return (JSON.parse(node?.annotations[BACKEND_DATA] ?? '{}') as {VtepMAC?: string}).VtepMAC
}

/** flanneld makes the network from the moment it starts: what was before is what was before flanneld. */
const withFlanneld: Step = {
  ...overlayNetwork,
  async apply(context) {
    await flanneldServiceStep.apply(context)
    await overlayNetwork.apply(context)
  },
  async remove(context) {
    await removeStep(overlayNetwork, context)
    await removeStep(flanneldServiceStep, context)
  },
  stop: (context) => flanneldServiceStep.stop?.(context) ?? Promise.resolve(),
}

describeStep(withFlanneld, {drifts: overlayNetworkDrifts, first: 'flanneld-service', settleMs: 20_000})

test.each([
  ['is not noted', false],
  ['is noted', true],
])("a network of k8s-win's name, which %s, that is another one, is reported and left alone", async (_, isNoted) => {
  const rig = await Rig.open()
  await rig.runBefore('source-vip')
  const {host, journal} = rig.context
  const removed: string[] = []
  const theirs = {ID: 'A', Name: 'vxlan0', Type: 'L2Bridge'}
  const hns = {
    ...host.hns,
    network: () => Promise.resolve(theirs),
    networks: () => Promise.resolve([theirs]),
    removeNetwork: (id: string) => Promise.resolve(removed.push(id)),
  }
  const context = {
    ...rig.context,
    host: {...host, hns},
    ...(!isNoted && {journal: {...journal, entries: () => []}}),
  }
  await expect(overlayNetwork.apply(context)).rejects.toMatchObject({
    exitCode: 6,
    id: 'OVERLAY_NETWORK_WRONG',
    reason: expect.stringContaining('type L2Bridge') as string,
  })
  expect(removed).toEqual([])
})

const ADDRESS = {address: '10.0.0.5', prefixLength: 24}

test('a record is open, and there is neither the network nor the address: that is put back before flanneld is restarted', async () => {
  const rig = await Rig.open({sicken: ({os}) => void (os.vswitch = {losesAddress: true})})
  await rig.runBefore('source-vip')
  const {config, host, journal, signal} = rig.context
  await host.services.stop('flanneld', signal)
  const snapshot = takeSnapshot(await host.network.now())
  const id = `9 ${new Date(host.clock.now()).toISOString()}`
  await journal.record('overlay-network', {adapter: config.adapterName, id, kind: 'network-before', snapshot})
  await host.hns.removeNetwork((await host.hns.network('vxlan0'))!.ID)
  await host.clock.sleep(20_000)
  expect(rig.world.adapters.flatMap(({addresses}) => addresses)).not.toContainEqual(ADDRESS)
  expect((await rig.run(overlayNetwork)).error).toBeUndefined()
  expect(rig.world.adapters.flatMap(({addresses}) => addresses)).toContainEqual(ADDRESS)
  expect(await rig.inspect(overlayNetwork)).toMatchObject({state: 'in-place'})
})

test('a flanneld that waits for a cluster which does not respond is started once, and not again', async () => {
  const rig = await Rig.open()
  await rig.runBefore('overlay-network')
  const {host} = rig.context
  const silence = (): Promise<never> => Promise.reject(serverUnreachable({reason: 'refused', server: 'https://a'}))
  const cluster: typeof host.cluster = (kubeconfig) => ({...host.cluster(kubeconfig), node: silence})
  const starts: string[] = []
  const services: typeof host.services = {
    ...host.services,
    start: (name, signal) => {
      starts.push(name)
      return host.services.start(name, signal)
    },
  }
  const hns = {...host.hns, network: () => Promise.resolve(undefined)}
  const context = {...rig.context, host: {...host, cluster, hns, services}}
  await expect(overlayNetwork.apply(context)).rejects.toMatchObject({id: 'API_SERVER_LOST'})
  expect(starts.length).toBeLessThanOrEqual(1)
})

test('review W7: a flanneld whose restart lost its VtepMAC is started again', async () => {
  const rig = await Rig.open({sicken: ({cluster}) => void (cluster.watchDelayMs = 1000)})
  await rig.runBefore('source-vip')
  const mac = vtepMac(rig)
  expect(mac).toMatch(/^([\da-f]{2}:){5}[\da-f]{2}$/)
  const {services} = rig.context.host
  await services.stop('flanneld', rig.context.signal)
  await services.start('flanneld')
  await rig.machine.clock.sleep(20_000)
  expect(vtepMac(rig)).toBe('')
  expect(await rig.inspect(overlayNetwork)).toMatchObject({state: 'drifted'})
  expect((await rig.run(overlayNetwork)).error).toBeUndefined()
  expect(vtepMac(rig)).toBe(mac)
})

test('review W7: one that publishes none after a restart either is VTEP_MAC_MISSING, exit 6', async () => {
  const rig = await Rig.open()
  await rig.runBefore('source-vip')
  const {host} = rig.context
  const cluster: typeof host.cluster = (kubeconfig) => {
    const real = host.cluster(kubeconfig)
    return {
      ...real,
      node: async (name) => {
        const node = await real.node(name)
        return node && {...node, vtepMac: ''}
      },
    }
  }
  await expect(overlayNetwork.apply({...rig.context, host: {...host, cluster}})).rejects.toMatchObject({
    exitCode: 6,
    id: 'VTEP_MAC_MISSING',
  })
})

test('a network that HNS refuses with 0x57 (flannel#1966): the adapter and what is on it are named', async () => {
  const rig = await Rig.open()
  await rig.runBefore('flanneld-service')
  const sick = await rig.reopen({
    sicken(world) {
      world.adapters = world.adapters.map((one) => ({...one, name: `vEthernet (${one.name})`}))
      const on = {ManagementIP: '10.0.0.5', NetworkAdapterName: 'Ethernet0', Type: 'Transparent'}
      world.hns.networks.push({...on, ID: 'T1', Name: 'other'})
    },
  })
  const {error} = await sick.run(flanneldServiceStep, overlayNetwork)
  expect(error).toMatchObject({id: 'OVERLAY_NETWORK_MISSING', known: 'hns-parameter-incorrect'})
  expect((error as {reason: string}).reason).toMatch(
    /The adapter is "vEthernet \(Ethernet0\)"; HNS has .*other \(Transparent on Ethernet0, T1\)\.$/,
  )
})
