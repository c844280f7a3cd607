// What happens to the machine's environment and to the firewall.
import type {FirewallRule, World} from '../../../src/simulator/world.js'
import {type Drift, inWorld} from './drift.js'

const ENVIRONMENT = String.raw`HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment`
const BINARIES = String.raw`C:\k\kubernetes\node\bin`
export const KUBELET_RULE = 'k8s-win kubelet TCP 10250'
const VXLAN_RULE = 'k8s-win flannel VXLAN UDP 4789'

export function setVariable(world: World, name: string, data: string | undefined): void {
  const key = (world.registry[ENVIRONMENT] ??= {})
  if (data === undefined) Reflect.deleteProperty(key, name)
  else key[name] = {data, type: name === 'Path' ? 'REG_EXPAND_SZ' : 'REG_SZ'}
}

export const variable = (world: World, name: string): string | undefined =>
  world.registry[ENVIRONMENT]?.[name]?.data as string | undefined

export const machineEnvironmentDrifts: readonly Drift[] = [
  inWorld('our folder is no longer on PATH', (world) =>
    setVariable(world, 'Path', (variable(world, 'Path') ?? '').replace(`;${BINARIES}`, '')),
  ),
  inWorld('KUBECONFIG is gone', (world) => setVariable(world, 'KUBECONFIG', undefined)),
  inWorld('KUBECONFIG names another file', (world) => setVariable(world, 'KUBECONFIG', String.raw`D:\mine`)),
]

const reshaped = (name: string, rule: string, change: (rule: FirewallRule) => FirewallRule[]): Drift =>
  inWorld(name, (world) => {
    const rules = world.firewall[rule]
    if (rules) world.firewall[rule] = rules.flatMap((one) => change(one))
  })

export const firewallRulesDrifts: readonly Drift[] = [
  reshaped('a rule has another port', KUBELET_RULE, (rule) => [{...rule, localPort: '10255'}]),
  reshaped('a rule is there twice', VXLAN_RULE, (rule) => [rule, rule]),
  reshaped('a rule is switched off', KUBELET_RULE, (rule) => [{...rule, enabled: false}]),
  reshaped('a rule blocks', VXLAN_RULE, (rule) => [{...rule, action: 'block'}]),
  reshaped('a rule is for one profile only', KUBELET_RULE, (rule) => [{...rule, profiles: 'domain'}]),
  inWorld('review W8: the rule of kube-proxy is gone', (world) =>
    Reflect.deleteProperty(world.firewall, 'k8s-win kube-proxy TCP 10256'),
  ),
  inWorld('a rule is gone', (world) => Reflect.deleteProperty(world.firewall, VXLAN_RULE)),
]
