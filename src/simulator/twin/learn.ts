// What the twin learns of the host when somebody asks for it: services with their neighbours, registry keys, rules.
import type {RegistryValue, Win32} from '../../machine/win32.js'
import type {Stage} from '../model.js'
import {addFirewallRule, FIREWALL_RULES_KEY} from '../windows/firewall.js'
import {sameName} from '../windows/names.js'
import {registryPath} from '../windows/registry.js'
import {SERVICES_KEY} from '../windows/service-registry.js'
import type {FirewallRule, ServiceEntry} from '../world.js'

export interface Learner {
  key(root: 'HKLM', key: string): Promise<void>
  /** With what it depends on, and with what depends on it. */
  service(name: string): Promise<void>
}

/** `adopt` gives a service that runs its process. */
export function createLearner(stage: Stage, host: Win32, adopt: (entry: ServiceEntry) => Promise<void>): Learner {
  const {world} = stage
  const known = new Set<string>()
  /** Services of the host whose dependents are not known yet. */
  const unasked = new Set<string>()
  // One at a time: who asks for what is being learnt waits until it is.
  let learning = Promise.resolve()
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const done = learning.then(work)
    learning = done.catch(() => {})
    return done
  }

  const learnKey = async (root: 'HKLM', key: string): Promise<void> => {
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
    await learnKey('HKLM', `${SERVICES_KEY.slice('HKLM\\'.length)}\\${name}`)
    const entry: ServiceEntry = {
      config,
      deleting: false,
      exitCode: status.win32ExitCode,
      name,
      processId: status.processId,
      restarts: 0,
      serviceExitCode: status.serviceExitCode,
      stage: '',
      startedAt: stage.now(),
      state: status.state,
      ...(status.state === 'stop-pending' && {stopAt: stage.now()}),
    }
    world.services[name.toLowerCase()] = entry
    if (entry.state === 'running' || entry.state === 'start-pending') await adopt(entry)
    // What it needs to start; what else depends on that (on RPC nearly everything) is nobody's question.
    for (const one of config.dependencies) if (!one.startsWith('+')) await learnService(one)
  }

  /** What must stop before it, and all that starts before that. */
  const learnDependents = async (name: string): Promise<void> => {
    await learnService(name)
    // One that the twin made itself has no dependents on the host.
    if (!unasked.delete(name.toLowerCase())) return
    for (const one of await host.dependentServices(name)) await learnDependents(one)
  }

  return {
    key: (root, key) => inTurn(() => learnKey(root, key)),
    service: (name) => inTurn(() => learnDependents(name)),
  }
}

/** Only what decides which rules netsh takes away; the rest stays in the registry's own text. */
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
