import {expect, test} from 'vitest'
import {firewallRules} from '../../src/steps/firewall-rules.js'
import {firewallRulesDrifts, KUBELET_RULE} from './drifts/windows.js'
import {describeStep} from './five-tests.js'
import {Rig} from './rig.js'
import {removeStep} from '../../src/pipeline/owned/kinds.js'

describeStep(firewallRules, {drifts: firewallRulesDrifts})

test('a rule with the same name that k8s-win did not create stays, and is reported', async () => {
  const rig = await Rig.open()
  await rig.run(firewallRules)
  const later = await rig.reopen({
    sicken({firewall}) {
      const [ours] = firewall[KUBELET_RULE] ?? []
      if (ours) firewall[KUBELET_RULE] = [ours, {...ours, description: 'mine', localPort: '443'}]
    },
  })
  const warnings: string[] = []
  await removeStep(firewallRules, {...later.context, warn: (message) => warnings.push(message)})
  expect(later.world.firewall[KUBELET_RULE]).toHaveLength(2)
  expect(Object.keys(later.world.firewall)).toEqual([KUBELET_RULE])
  expect(warnings.join()).toContain(KUBELET_RULE)
})
