// The whole list on a whole node: what is repaired in one step brings back what another step stopped with it.
import fc from 'fast-check'
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest'
import {isInPlan} from '../../src/pipeline/run/step.js'
import {STEPS} from '../../src/steps/index.js'
import {allowEverything} from '../fakes/administrator.js'
import {comparable} from './comparable.js'
import {type Drift, fileChanged} from './drifts/drift.js'
import {DRIFTS} from './drifts/index.js'
import {nodeGone, podNetworkChanged} from './drifts/network.js'
import {serviceDrifts} from './drifts/services.js'
import {HostFolder} from './host-folder.js'
import {Rig} from './rig.js'
import {removeStep} from '../../src/pipeline/owned/kinds.js'
import {isWhole} from '../sample.js'

let fresh: HostFolder
const node = HostFolder.empty()

beforeAll(async () => {
  const rig = await Rig.open({dir: node.dir})
  fresh = node.copy()
  const {error} = await rig.runAll()
  if (error !== undefined) throw error as Error
})
afterAll(() => [fresh, node].forEach((host) => host.discard()))

/** One run repairs all of it, and the next changes nothing. */
async function expectRepaired(host: HostFolder, drifts: readonly Drift[]): Promise<void> {
  for (const drift of drifts) drift.make(host)
  const repair = await (await Rig.open({dir: host.dir})).runAll()
  expect(repair.error).toBeUndefined()
  const again = await Rig.open({dir: host.dir})
  const {error, results} = await again.runAll()
  expect(error).toBeUndefined()
  expect(results.filter((result) => result.state !== 'in-place')).toEqual([])
  expect(again.effects.filter((entry) => entry.kind === 'change')).toEqual([])
  const {cluster, services} = host.world
  expect(cluster.nodes.find(({name}) => name === 'win-1')).toMatchObject({ready: true})
  for (const name of ['kubelet', 'flanneld', 'kubeproxy']) expect(services[name]?.state).toBe('running')
}

function copyOf(host: HostFolder): HostFolder {
  const copy = host.copy()
  onTestFinished(() => copy.discard())
  return copy
}

describe('a node that was set up', () => {
  test('is not changed by another run', () => expectRepaired(copyOf(node), []))

  test.each(serviceDrifts('kubelet'))('is whole again after one run: $name', async (drift) => {
    await expectRepaired(copyOf(node), [drift])
  })

  test('is whole again when its node object was deleted', () => expectRepaired(copyOf(node), [nodeGone]))

  test.each([
    ['kubelet', String.raw`k\kubernetes\node\bin\kubelet.exe`],
    ['kubeproxy', String.raw`k\kubernetes\node\bin\kube-proxy.exe`],
    ['flanneld', String.raw`k\shawl.exe`],
  ])('stops %s before its program is replaced', async (service, program) => {
    const host = copyOf(node)
    fileChanged(program, 'MZ another program').make(host)
    const rig = await Rig.open({dir: host.dir})
    await rig.runAll()
    const told = rig.changes.map(({args, what}) => `${what} ${args.at(-1) ?? ''}`)
    expect(told).toContain(`rename C:\\${program}`)
    expect(told.indexOf(`stopService ${service}`)).toBeGreaterThan(-1)
    expect(told.indexOf(`stopService ${service}`)).toBeLessThan(told.indexOf(`rename C:\\${program}`))
    await expectRepaired(host, [])
  })

  test('moves to another pod network, kube-proxy included', async () => {
    const host = copyOf(node)
    await expectRepaired(host, [podNetworkChanged])
    const {hns, services} = host.world
    const overlay = hns.networks.find((network) => network['Name'] === 'vxlan0')
    expect(overlay).toMatchObject({Subnets: [{AddressPrefix: '10.244.9.0/24'}]})
    expect(services['kubeproxy']?.config.imagePath).toContain('--source-vip=10.244.9.2')
    expect(host.has(String.raw`var\lib\cni\networks\vxlan0\10.244.3.2`)).toBe(false)
  })

  test('is whole again after one run, whatever happened to it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.subarray([...DRIFTS]), async (drifts) => {
        const host = node.copy()
        try {
          await expectRepaired(host, drifts)
        } finally {
          host.discard()
        }
      }),
      {numRuns: isWhole ? 100 : 5},
    )
  }, 120_000)

  test('goes away step by step, and leaves the host as it was, images, downloads and records aside', async () => {
    const host = copyOf(node)
    // A node may not remove itself from the cluster.
    host.edit(allowEverything)
    const rig = await Rig.open({dir: host.dir})
    const reverse = STEPS.filter((step) => isInPlan(step, rig.config)).reverse()
    for (const step of reverse) await step.stop?.(rig.context)
    for (const step of reverse) await removeStep(step, rig.context)
    const aside = {
      world(world: HostFolder['world']) {
        world.docker.images = []
        allowEverything(world)
      },
    }
    expect(comparable(host, aside)).toEqual(comparable(fresh, aside))
  })
})
