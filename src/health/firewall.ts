// The two doors of a node, as the firewall stores them.
import {FIREWALL_RULES, isOurRule} from '../components/firewall.js'
import {foreignRule} from '../errors/host.js'
import {ruleMissing} from '../errors/unhealthy-node.js'
import {type FirewallRule, matches, type StoredRule} from '../host/firewall.js'
import type {RuleStatus} from '../pipeline/run/status-report.js'
import {byCommand, type FoundProblem, LOCAL_MS, type Probe, type ProbeContext, problemOf} from './probe.js'

export const firewallProbe: Probe<readonly RuleStatus[]> = {
  check: 'node-firewall',
  deadlineMs: LOCAL_MS,
  async look(context) {
    const stored = await Promise.all(FIREWALL_RULES.map((rule) => context.host.firewall.find(rule.name)))
    const report = FIREWALL_RULES.map((rule, index) => statusOf(rule, stored[index] ?? []))
    const problems = report.flatMap((rule, index) => {
      const isForeign = stored[index]?.some(({description}) => !isOurRule(description)) ?? false
      if (rule.state === 'open') return []
      return isForeign ? [foreign(context, rule)] : [changed(context, rule)]
    })
    return {problems, report}
  },
  steps: ['firewall-rules'],
  what: 'the firewall rules',
}

function statusOf(rule: FirewallRule, stored: readonly StoredRule[]): RuleStatus {
  const {name, port, protocol} = rule
  const [only] = stored
  const isRight = stored.length === 1 && matches(only, rule)
  const isOff = stored.length === 1 && only !== undefined && matches({...only, enabled: true}, rule)
  const state = only === undefined ? 'missing' : isRight ? 'open' : isOff ? 'disabled' : 'changed'
  return {name, port, protocol, state}
}

const SEEN: Readonly<Record<RuleStatus['state'], string>> = {
  changed: 'the rule differs from the rule of setup',
  disabled: 'the rule is disabled',
  missing: 'the rule does not exist',
  open: '',
}

function changed({command}: ProbeContext, {name, port, protocol, state}: RuleStatus): FoundProblem {
  const consequence =
    protocol === 'TCP'
      ? 'the API server cannot reach the kubelet (kubectl logs and exec fail)'
      : "pods of other nodes cannot reach this node's pods"
  return problemOf(ruleMissing({rules: name}), {
    area: 'firewall',
    cause: `The rules were changed manually, by a policy or by another tool; ${consequence}.`,
    ...byCommand(command('setup')),
    ...(state === 'missing' && {restsOn: ['end of the run']}),
    seen: SEEN[state],
    steps: ['firewall-rules'],
    subject: name,
    wanted: `${protocol} ${port} is allowed inbound`,
  })
}

/** Setup leaves it alone unless it is told not to: netsh deletes by name, and it is somebody else's. */
const foreign = (context: ProbeContext, rule: RuleStatus): FoundProblem => ({
  ...changed(context, rule),
  cause: 'The rule was not created by k8s-win: it has another description.',
  command: context.command('setup --adopt'),
  id: foreignRule({rule: rule.name}).id,
  next: `${context.command('setup --adopt')} replaces it; or rename or remove it first, then ${context.command('setup')}`,
  seen: 'a rule with this name exists that k8s-win did not create',
})
