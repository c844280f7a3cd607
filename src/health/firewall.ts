// The firewall rules of a node, as Windows stores them.
import type {Node} from '../config/model.js'
import {FIREWALL_RULES, isOurRule} from '../components/firewall-rules.js'
import {foreignRule} from '../errors/host.js'
import {ruleMissing} from '../errors/unhealthy-node.js'
import {type FirewallRule, matches, type StoredRule} from '../host/firewall.js'
import type {RuleStatus} from '../pipeline/run/status-report.js'
import {check, type FoundProblem} from '../preflight/check.js'
import {problemOf} from './run-reporting-check.js'

export const firewallCheck = check<readonly RuleStatus[], Node>(
  'node-firewall',
  {
    healthy: 'as setup created them',
    on: 'node',
    part: 'firewall',
    steps: ['firewall-rules'],
    title: 'Firewall rules of setup',
    what: 'the firewall rules',
  },
  async ({host}) => {
    const rules = await Promise.all(
      FIREWALL_RULES.map(async (rule) => {
        const stored = await host.firewall.find(rule.name)
        return {isForeign: stored.some(({description}) => !isOurRule(description)), status: statusOf(rule, stored)}
      }),
    )
    const wrong = rules.filter(({status}) => status.state !== 'open')
    return {
      problems: wrong.map(({isForeign, status}) => problemIn(status, isForeign)),
      report: rules.map(({status}) => status),
    }
  },
)

function statusOf(rule: FirewallRule, stored: readonly StoredRule[]): RuleStatus {
  const {name, port, protocol} = rule
  const [only] = stored
  const isRight = stored.length === 1 && matches(only, rule)
  const isOff = stored.length === 1 && only !== undefined && matches({...only, enabled: true}, rule)
  const state = only === undefined ? 'missing' : isRight ? 'open' : isOff ? 'disabled' : 'changed'
  return {name, port, protocol, state}
}

const SEEN: Readonly<Record<RuleStatus['state'], string>> = {
  changed: 'differs from the rule of setup',
  disabled: 'is disabled',
  missing: 'does not exist',
  open: 'is in place',
}

function problemIn({name: rule, port, protocol, state}: RuleStatus, isForeign: boolean): FoundProblem {
  const error = isForeign ? foreignRule({rule}) : ruleMissing({port: `${protocol} ${port}`, rule, seen: SEEN[state]})
  const restsOn = state === 'missing' ? (['end of the run'] as const) : []
  return problemOf(error, {area: 'firewall', restsOn, steps: ['firewall-rules'], subject: rule})
}
