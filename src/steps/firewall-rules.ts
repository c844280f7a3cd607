// The kubelet's port and flannel's, opened; the firewall itself stays as it is.
import {FIREWALL_RULES} from '../components/firewall-rules.js'
import {FORMER_RULES} from '../components/releases/predecessors.js'
import {matches} from '../host/firewall.js'
import {drifted, inPlace, missing, type Step, type StepContext} from '../pipeline/run/step.js'
import {isToBeClaimed} from '../pipeline/desired/adoption.js'

const ID = 'firewall-rules'

export const firewallRules: Step = {
  async apply(context) {
    for (const rule of FIREWALL_RULES) {
      const stored = await context.host.firewall.find(rule.name)
      const isRight = stored.length === 1 && matches(stored[0], rule)
      if (isRight && !isToBeOurs(context, rule.name)) continue
      await context.journal.record(ID, {kind: 'firewall-rule', name: rule.name})
      if (isRight) {
        context.changed(`take over the firewall rule "${rule.name}"`)
        continue
      }

      await context.host.firewall.ensure(rule)
      context.changed(`open ${rule.protocol} ${rule.port} ("${rule.name}")`)
    }

    // Last, so that no door is shut on the way.
    for (const name of await formerRules(context)) {
      await context.host.firewall.remove(name)
      context.changed(`remove the firewall rule "${name}" of another installation`)
    }
  },
  deadlineMs: 120_000,
  id: ID,
  async inspect(context) {
    const seen = await Promise.all(FIREWALL_RULES.map((rule) => context.host.firewall.find(rule.name)))
    const wrong = FIREWALL_RULES.filter((rule, index) => !(seen[index]?.length === 1 && matches(seen[index][0], rule)))
    const former = (await formerRules(context)).map((name) => `the rule "${name}" of another installation exists`)
    const unclaimed = FIREWALL_RULES.filter((rule) => !wrong.includes(rule) && isToBeOurs(context, rule.name))
    const evidence = [
      ...wrong.map((rule) => `"${rule.name}" is not up to date`),
      ...unclaimed.map((rule) => `"${rule.name}" is not managed by k8s-win yet`),
      ...former,
    ]
    if (evidence.length === 0) return inPlace(...FIREWALL_RULES.map((rule) => `"${rule.name}" exists`))
    return seen.every((rules) => rules.length === 0) && former.length === 0
      ? missing(...evidence)
      : drifted(...evidence)
  },
  needs: ['base-dir'],
  removal: 'Remove the firewall rules',
  title: 'Open firewall ports',
}

const isToBeOurs = (context: StepContext, rule: string): boolean =>
  isToBeClaimed(context, ID, 'firewall-rule', ({name}) => name === rule)

async function formerRules({config, host}: StepContext): Promise<string[]> {
  const seen = config.adopt ? await Promise.all(FORMER_RULES.map((name) => host.firewall.find(name))) : []
  return FORMER_RULES.filter((_, index) => (seen[index]?.length ?? 0) > 0)
}
