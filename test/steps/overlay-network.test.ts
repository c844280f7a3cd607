import {expect, test} from 'vitest'
import type {Step} from '../../src/pipeline/step.js'
import {flanneldServiceStep} from '../../src/steps/flanneld-service.js'
import {overlayNetwork} from '../../src/steps/overlay-network.js'
import {overlayNetworkDrifts} from './drifts/network.js'
import {describeStep} from './five-tests.js'
import {Rig} from './rig.js'

/** flanneld makes the network from the moment it starts: what was before is what was before flanneld. */
const withFlanneld: Step = {
  ...overlayNetwork,
  async apply(context) {
    await flanneldServiceStep.apply(context)
    await overlayNetwork.apply(context)
  },
  async remove(context) {
    await overlayNetwork.remove?.(context)
    await flanneldServiceStep.remove?.(context)
  },
  stop: (context) => flanneldServiceStep.stop?.(context) ?? Promise.resolve(),
}

describeStep(withFlanneld, {drifts: overlayNetworkDrifts, first: 'flanneld-service', settleMs: 20_000})

test.each([
  ['is not noted', false],
  ['is noted', true],
])('a network of our name, which %s, that is another, and not ours, is told and left alone', async (_, isNoted) => {
  const rig = await Rig.open()
  await rig.runBefore('source-vip')
  const {host, journal} = rig.context
  const removed: string[] = []
  const hns = {
    ...host.hns,
    network: () => Promise.resolve({ID: 'A', Name: 'vxlan0', Type: 'L2Bridge'}),
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
