import {expect, test} from 'vitest'
import {externalNetworkStep} from '../../src/steps/external-network.js'
import {networkGone} from './drifts/network.js'
import {describeStep} from './five-tests.js'
import {Rig} from './rig.js'
import {removeStep} from '../../src/pipeline/owned/kinds.js'

const OLD_FLANNEL = {digest: [`flanneld=sha256:${'cd'.repeat(32)}`], 'flannel-version': '0.11.0'}

describeStep(externalNetworkStep, {drifts: [networkGone('External')], given: OLD_FLANNEL, settleMs: 15_000})

test('is not in the plan of a flannel that makes its network by itself', async () => {
  const {config} = await Rig.open()
  expect(externalNetworkStep.applies?.(config)).toBe(false)
  expect(externalNetworkStep.applies?.((await Rig.open({given: OLD_FLANNEL})).config)).toBe(true)
})

test('a network of that name that was there before us is used, and not removed', async () => {
  const theirs = {ID: 'theirs', Name: 'External', Subnets: [], Type: 'overlay'}
  const rig = await Rig.open({given: OLD_FLANNEL, sicken: ({hns}) => hns.networks.push(theirs)})
  const {results} = await rig.run(externalNetworkStep)
  expect(results).toMatchObject([{changes: [], state: 'in-place'}])
  await removeStep(externalNetworkStep, rig.context)
  expect(rig.world.hns.networks).toContainEqual(theirs)
})
