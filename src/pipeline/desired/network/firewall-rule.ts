// Firewall rules: k8s-win's have a mark in their description.
import {FIREWALL_RULES, isOurRule} from '../../../components/firewall-rules.js'
import type {Kind, Search} from '../../ledger/kind.js'

const NAMES: readonly unknown[] = FIREWALL_RULES.map(({name}) => name)

export const firewallRule: Kind = {
  accepts: ({name}) => NAMES.includes(name),
  async remove({changed, host, journal, warn}, step) {
    for (const {name} of journal.entries(step, 'firewall-rule')) {
      const rules = await host.firewall.find(name)
      if (rules.length === 0) continue
      // netsh deletes by name: if another rule has the same name, all of them stay.
      if (rules.every(({description}) => isOurRule(description))) {
        await host.firewall.remove(name)
        changed(`remove the firewall rule "${name}"`)
      } else warn(`"${name}" stays: several rules have this name`)
    }
  },
  steps: ['firewall-rules'],
}

/** Whether there are rules of k8s-win. */
export async function findRules({claim, host, leave}: Search): Promise<boolean> {
  let isFound = false
  for (const {name} of FIREWALL_RULES) {
    const rules = await host.firewall.find(name)
    const own = rules.filter(({description}) => isOurRule(description))
    if (own.length === 0) continue
    isFound = true
    if (own.length === rules.length) claim('firewall-rules', {kind: 'firewall-rule', name})
    else leave(`the firewall rule "${name}", because a rule with the same name was not created by k8s-win`)
  }

  return isFound
}
