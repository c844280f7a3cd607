import {expect, onTestFinished, test} from 'vitest'
import {kubeletServiceStep} from '../../src/steps/services/kubelet-service.js'
import {nodeRegistered} from '../../src/steps/node-registered.js'
import type {World} from '../../src/simulator/world.js'
import {allowEverything} from '../fakes/administrator.js'
import {setupOn} from '../setup/in-process.js'
import {healthyNode} from '../status/status-on.js'
import {nodeGone} from './drifts/network.js'
import {describeStep} from './five-tests.js'
import {Rig} from './rig.js'
import {removeStep} from '../../src/pipeline/owned/kinds.js'

/** Reset has stopped it by then. */
function withoutKubelet(world: World): void {
  Reflect.deleteProperty(world.services, 'kubelet')
}

// The kubelet registers by itself, while its own step still waits for it to be healthy.
describeStep(nodeRegistered, {
  drifts: [nodeGone],
  forgive: {world: withoutKubelet},
  settleMs: 15_000,
  stopped: [kubeletServiceStep],
  // A node may not remove itself from the cluster.
  undo(host) {
    nodeGone.make(host)
    host.edit(allowEverything)
  },
})

test('a pod network outside the cluster is reported, not repaired', async () => {
  const rig = await Rig.open()
  await rig.runBefore('external-network')
  const later = await rig.reopen({
    sicken: ({cluster}) => cluster.nodes.forEach((node) => node.name === 'win-1' && (node.podCIDR = '10.99.3.0/24')),
  })
  await expect(later.inspect(nodeRegistered)).rejects.toMatchObject({id: 'POD_CIDR_OUTSIDE'})
})

test('a node that was there before us is not removed', async () => {
  const rig = await Rig.open({
    sicken: ({cluster}) => cluster.nodes.push({...cluster.nodes[1]!, name: 'win-1', podCIDR: '10.244.3.0/24'}),
  })
  await rig.runBefore('external-network')
  await removeStep(nodeRegistered, rig.context)
  expect(rig.world.cluster.nodes.map((node) => node.name)).toContain('win-1')
})

test('a node that was deleted while the kubelet ran is registered again without a wait', async () => {
  const host = await healthyNode()
  onTestFinished(() => host.discard())
  nodeGone.make(host)
  host.edit(({os}) => void (os.time += 600_000))
  const {result} = await setupOn(host.dir)
  expect(result.exitCode).toBe(0)
  expect(result.steps.find(({id}) => id === 'node-registered')?.durationMs).toBeLessThan(60_000)
})
