// What the twin reads from the host on demand: services with their dependencies, registry keys, firewall rules.
import type {RegistryRoot, RegistryValue, Win32} from '../../machine/win32.js'
import type {Stage} from '../model.js'
import {newService} from '../profiles/services.js'
import {addFirewallRule, FIREWALL_RULES_KEY} from '../windows/firewall.js'
import {sameName} from '../windows/names.js'
import {registryPath} from '../windows/registry.js'
import {SERVICES_KEY} from '../windows/service-registry.js'
import type {FirewallRule, ServiceEntry} from '../world.js'

export interface Learner {
  key(root: RegistryRoot, key: string): Promise<void>
  /** With its dependencies and its dependents. */
  service(name: string): Promise<void>
}

/** `adopt` gives a running service its process. */
export function createLearner(stage: Stage, host: Win32, adopt: (entry: ServiceEntry) => Promise<void>): Learner {
  const {world} = stage
  const known = new Set<string>()
  const unasked = new Set<string>()
  // One at a time: a second reader of the same service waits for the first.
  let learning = Promise.resolve()
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const done = learning.then(work)
    learning = done.catch(() => {})
    return done
  }

  const learnKey = async (root: RegistryRoot, key: string): Promise<void> => {
    const path = registryPath(root, key)
    if (known.has(path.toLowerCase())) return
    known.add(path.toLowerCase())
    const values = await host.registryValues(root, key)
    if (sameName(path, FIREWALL_RULES_KEY)) return learnRules(Object.values(values))
    if (Object.keys(values).length > 0) world.registry[path] = {...values}
  }

  const learnRules = (values: readonly RegistryValue[]): void => {
    for (const {data} of values) if (typeof data === 'string') addFirewallRule(world, ruleOf(data))
  }

  const learnService = async (name: string): Promise<void> => {
    if (known.has(name.toLowerCase())) return
    known.add(name.toLowerCase())
    const [config, status] = [await host.queryServiceConfig(name), await host.queryServiceStatus(name)]
    if (!config || !status) return
    unasked.add(name.toLowerCase())
    const key = `${SERVICES_KEY.slice('HKLM\\'.length)}\\${name}`
    await learnKey('HKLM', key)
    // What nssm runs.
    if (/nssm/i.test(config.imagePath)) await learnKey('HKLM', `${key}\\Parameters`)
    const since = status.processId === 0 ? undefined : await host.processStartedAt(status.processId)
    const {processId, serviceExitCode, state, win32ExitCode: exitCode} = status
    const stopping = state === 'stop-pending' && {stopAt: stage.now()}
    const startedAt = since ?? stage.now()
    const entry = newService(name, config, {exitCode, processId, serviceExitCode, startedAt, state, ...stopping})
    world.services[name.toLowerCase()] = entry
    if (entry.state === 'running' || entry.state === 'start-pending') await adopt(entry)
    // What it needs to start, without their dependents (of RPC nearly every service).
    for (const one of config.dependencies) if (!one.startsWith('+')) await learnService(one)
  }

  /** What must stop before it. */
  const learnDependents = async (name: string): Promise<void> => {
    await learnService(name)
    // A service that the twin created has no dependents on the host.
    if (!unasked.delete(name.toLowerCase())) return
    for (const one of await host.dependentServices(name)) await learnDependents(one)
  }

  return {
    key: (root, key) => inTurn(() => learnKey(root, key)),
    service: (name) => inTurn(() => learnDependents(name)),
  }
}

/** The fields that netsh selects rules by; the rest is in `stored`. */
function ruleOf(stored: string): FirewallRule {
  const field = (key: string): string =>
    stored
      .split('|')
      .find((part) => part.startsWith(`${key}=`))
      ?.slice(key.length + 1) ?? ''
  const protocol = {6: 'TCP', 17: 'UDP'}[field('Protocol')] ?? 'any'
  return {
    action: field('Action') === 'Block' ? 'block' : 'allow',
    description: field('Desc'),
    direction: field('Dir') === 'Out' ? 'out' : 'in',
    enabled: field('Active') === 'TRUE',
    localPort: field('LPort') || 'any',
    name: field('Name'),
    profiles: 'any',
    protocol: protocol as FirewallRule['protocol'],
    stored,
  }
}
