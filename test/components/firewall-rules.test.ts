// The firewall rules of docs/facts.md#a-node-with-the-defaults.
import {expect, it} from 'vitest'

import {FIREWALL_RULES, isOurRule} from '../../src/components/firewall-rules.js'

it('review W8: opens three ports, by their documented names', () => {
  expect(FIREWALL_RULES.map(({name, port, protocol}) => ({name, port, protocol}))).toEqual([
    {name: 'k8s-win kubelet TCP 10250', port: 10_250, protocol: 'TCP'},
    {name: 'k8s-win flannel VXLAN UDP 4789', port: 4789, protocol: 'UDP'},
    {name: 'k8s-win kube-proxy TCP 10256', port: 10_256, protocol: 'TCP'},
  ])
})

it('says who made them, and knows them by that', () => {
  for (const {description} of FIREWALL_RULES) expect(isOurRule(description)).toBe(true)
  expect(isOurRule('')).toBe(false)
  expect(isOurRule('Kubelet')).toBe(false)
})

it('keeps "|" out of the texts, which the registry separates fields with', () => {
  for (const {description, name} of FIREWALL_RULES) expect(description + name).not.toContain('|')
})
