// The Node has no pod network: it was deleted and registered again, and the controller manager is slow, off or out of
// networks. The overlay network of before works, and could not be made again.
import {beforeAll, describe, expect, test} from 'vitest'
import {interceptMachine} from '../../src/machine/intercept.js'
import {HttpError} from '../../src/machine/http.js'
import type {Machine} from '../../src/machine/machine.js'
import {Win32Error} from '../../src/machine/win32.js'
import type {World} from '../../src/simulator/world.js'
import {setupOn} from '../setup/in-process.js'
import {statusOn} from '../status/status-on.js'
import {HostFolder} from '../steps/host-folder.js'
import {recoverOn} from './recover-on.js'
import {repairOn} from './watch/repair-on.js'

let made: HostFolder
beforeAll(async () => {
  made = HostFolder.empty()
  expect((await setupOn(made.dir)).result.exitCode).toBe(0)
})

function withoutPodNetwork(more: (world: World) => void = () => {}): HostFolder {
  const host = made.copy()
  host.edit((world) => {
    world.cluster.allocateNodeCIDRs = false
    for (const node of world.cluster.nodes)
      if (node.name === 'win-1') Object.assign(node, {annotations: {}, podCIDR: ''})
    more(world)
  })
  return host
}

const ids = (all: readonly Record<string, unknown>[]): unknown[] => all.map(({ID}) => ID).sort()
const kept = ({world}: HostFolder) => ({
  endpoints: ids(world.hns.endpoints),
  networks: ids(world.hns.networks),
  policyLists: ids(world.hns.policyLists),
  processes: Object.entries(world.services).map(([name, {processId}]) => [name, processId]),
})
const objectsOf = ({world: {hns}}: HostFolder): string[] =>
  [...hns.networks, ...hns.endpoints, ...hns.policyLists].map(({ID}) => String(ID))
const isDead = (name: string) => (world: World) => {
  const entry = world.services[name]
  if (entry) Object.assign(entry, {exitCode: 1067, processId: 0, stage: '', state: 'stopped'})
}

describe('review W3-0: the overlay network stays while the Node has no pod network', () => {
  test.each(['recover', 'a repair by the service', 'setup', 'a dry run'])('%s', async (command) => {
    const host = withoutPodNetwork()
    const before = kept(host)
    if (command === 'a repair by the service') await repairOn(host.dir)
    else {
      const {result} = await (command === 'setup'
        ? setupOn(host.dir)
        : recoverOn(host.dir, {dryRun: command === 'a dry run'}))
      if (command !== 'a dry run') expect(result).toMatchObject({error: {id: 'NO_POD_CIDR'}, exitCode: 6})
      expect(result.steps.find(({id}) => id === 'overlay-network')?.changes).toEqual([])
    }
    expect(kept(host)).toEqual(before)
  })

  test('also where flanneld is dead, and where the network lies on another address of the host', async () => {
    const host = withoutPodNetwork((world) => {
      isDead('flanneld')(world)
      for (const network of world.hns.networks) if (network['Name'] === 'vxlan0') network['ManagementIP'] = '10.0.0.99'
    })
    const {networks, endpoints} = kept(host)
    await recoverOn(host.dir)
    expect(kept(host)).toMatchObject({endpoints, networks})
  })

  test('status names the cause and no command that cannot help', async () => {
    const host = withoutPodNetwork()
    await recoverOn(host.dir)
    const {document} = await statusOn(host.dir)
    const roots = document.problems.filter(({explainedBy}) => explainedBy === undefined)
    expect(roots.map(({command, id}) => [id, command])).toEqual([['NO_POD_CIDR', null]])
  })

  test('it is repaired when the cluster has assigned another one, and what was removed counts', async () => {
    const host = withoutPodNetwork()
    await recoverOn(host.dir)
    host.edit(({cluster}) => {
      for (const node of cluster.nodes) if (node.name === 'win-1') node.podCIDR = '10.244.9.0/24'
    })
    const planned = (await recoverOn(host.dir, {dryRun: true})).result
    expect(planned.summary).toContainEqual(expect.stringMatching(/^HNS: remove vxlan0/))
    const line = expect.stringMatching(/^remove the HNS network vxlan0/) as string
    const lines = planned.steps.flatMap(({changes}) => changes).join('\n')
    const before = objectsOf(host)
    const {result} = await recoverOn(host.dir)
    // The dry run names everything that the run removes.
    const removed = before.filter((id) => !objectsOf(host).includes(id))
    expect(removed.length).toBeGreaterThan(2)
    expect(removed.filter((id) => !lines.includes(`/${id}`))).toEqual([])
    expect(result.exitCode).toBe(0)
    expect(result.steps.find(({id}) => id === 'overlay-network')?.changes).toContainEqual(line)
    expect(result.recap.changed).toBeGreaterThan(0)
  })

  test('it is not replaced where kube-proxy could not create its load balancers anew', async () => {
    const host = made.copy()
    host.edit(({cluster}) => {
      for (const node of cluster.nodes) if (node.name === 'win-1') node.podCIDR = '10.244.9.0/24'
    })
    const {endpoints, networks, policyLists} = kept(host)
    const {kubeproxy} = host.world.services
    const refuse = (machine: Machine): Machine =>
      interceptMachine(machine, (effect, perform) => {
        const {
          args: [url = ''],
          via,
        } = effect
        if (via !== 'http' || !/\/(?:services|endpointslices)\?limit=1$/.test(url)) return perform()
        throw new HttpError(url, 'ECONNREFUSED', 'connect ECONNREFUSED')
      })
    expect((await recoverOn(host.dir, {wrap: refuse})).result).toMatchObject({error: {id: 'SERVICES_UNREADABLE'}})
    expect(kept(host)).toMatchObject({endpoints, networks, policyLists})
    expect(host.world.services['kubeproxy']?.processId).toBe(kubeproxy?.processId)
  })

  test('one that is removed counts as a change, also where its step fails then', async () => {
    const host = made.copy()
    host.edit(({cluster}) => {
      for (const node of cluster.nodes) if (node.name === 'win-1') node.podCIDR = '10.244.9.0/24'
    })
    const refuse = (machine: Machine): Machine =>
      interceptMachine(machine, (effect, perform) => {
        const isStart = effect.what === 'startService' && effect.args[0] === 'flanneld'
        if (isStart && host.world.hns.networks.every(({Name}) => Name !== 'vxlan0'))
          throw new Win32Error('StartService', 5, 'flanneld')
        return perform()
      })
    const {result} = await recoverOn(host.dir, {wrap: refuse})
    const {changes, state} = result.steps.find(({id}) => id === 'overlay-network') ?? {}
    expect({changes, state}).toMatchObject({
      changes: [expect.stringMatching(/^remove the HNS network vxlan0/)],
      state: 'failed',
    })
    expect(result.recap.changed).toBeGreaterThan(0)
  })
})
