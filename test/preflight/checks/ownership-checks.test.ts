// A firewall rule with k8s-win's name that something else made: netsh deletes by name, and would take theirs.
import {expect, it} from 'vitest'
import type {World} from '../../../src/simulator/world.js'
import {checksOn} from '../checks-rig.js'

const RULE = 'k8s-win kubelet TCP 10250'

function foreignRule(world: World): void {
  world.firewall[RULE] = [
    {
      action: 'allow',
      description: 'made by hand',
      direction: 'in',
      enabled: true,
      localPort: '10250',
      name: RULE,
      profiles: 'Any',
      protocol: 'TCP',
    },
  ]
}

it('is refused, with --adopt as the fix', async () => {
  const {check, problems} = await checksOn({sicken: foreignRule})
  expect(check('firewall-rules').result).toBe('fail')
  expect(problems).toMatchObject([{exitCode: 3, id: 'FOREIGN_FIREWALL_RULE'}])
  expect(problems[0]?.message).toContain(RULE)
  expect(problems[0]?.fix).toContain('--adopt')
})

it('is taken over with --adopt, and that is reported', async () => {
  const {check, problems} = await checksOn({given: {adopt: true}, sicken: foreignRule})
  expect(problems).toEqual([])
  expect(check('firewall-rules')).toMatchObject({result: 'warn'})
})
