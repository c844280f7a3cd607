// The host itself: its Windows, updates, services, processes, firewall, environment and event logs.
import {FIREWALL_RULES} from '../components/firewall.js'
import {DAEMON_FOLDERS, layoutOf} from '../config/layout.js'
import {covers} from '../host/firewall-policy.js'
import {safeUrl} from '../machine/credentials.js'
import {type EventFilter, type Win32, Win32Error} from '../machine/win32.js'
import type {Collector, CollectorContext} from './collector.js'
import {documentCollector} from './collector.js'
import {passwordsIn} from './kubeconfigs.js'
import {programCollector} from './program-collector.js'
import {updateCollector} from './update-collector.js'

/** Ours, and those they stand on. */
const SERVICES = ['kubelet', 'kubeproxy', 'flanneld', 'docker', 'hns', 'vmcompute', 'vfpext', 'mpssvc', 'WinDefend']
/** Said in clear; of all others only the names. */
const HARMLESS = /^(?:NODE_NAME|KUBE_NETWORK|K8S_WIN_CONFIGURATION|DOCKER_HOST)=/
const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY']
/**
 * What went wrong, and when Windows was started and stopped: 1074 and 1076 say why, 2004 that memory ran out, 6005 to 6009
 * that the log and so Windows began or ended, 6008 that it did so unexpectedly.
 */
const GRAVE = {ids: [1074, 1076, 2004, 6005, 6006, 6008, 6009], levels: [1, 2, 3]}
const CHANNELS: readonly (readonly [file: string, channel: string, only?: EventFilter])[] = [
  ['system', 'System', GRAVE],
  ['application', 'Application', GRAVE],
  ['hns-admin', 'Microsoft-Windows-Host-Network-Service-Admin'],
  ['hns-operational', 'Microsoft-Windows-Host-Network-Service-Operational'],
  ['compute-admin', 'Microsoft-Windows-Hyper-V-Compute-Admin'],
  ['compute-operational', 'Microsoft-Windows-Hyper-V-Compute-Operational'],
]
const MOST_EVENTS = 300
const ERROR_EVT_CHANNEL_NOT_FOUND = 15_007

export const WINDOWS_COLLECTORS: readonly Collector[] = [
  documentCollector('windows', 'windows/system.json', async ({host}) => ({
    administrator: await host.os.isAdministrator(),
    computer: await host.os.computerName(),
    hardware: await host.condition.hardware(),
    longPaths: await host.condition.longPaths(),
    pendingRestarts: await host.condition.pendingRestarts(),
    version: await host.os.version(),
  })),
  documentCollector('memory', 'windows/memory.json', ({host}) => host.resources.memory()),
  documentCollector('drives', 'windows/drives.json', async ({config, host}) => {
    const names = [...new Set(['C:', config.baseDir.slice(0, 2).toUpperCase()])]
    return Object.fromEntries(
      await Promise.all(names.map(async (name) => [name, (await host.resources.drive(name)) ?? 'not there'] as const)),
    )
  }),
  ...SERVICES.map((name) =>
    documentCollector(`service-${name.toLowerCase()}`, `windows/services/${name}.json`, ({machine: {win32}}) =>
      service(win32, name),
    ),
  ),
  programCollector('processes', 'windows/processes.txt', 'tasklist.exe', ['/svc']),
  updateCollector,
  documentCollector('firewall', 'windows/firewall.json', async ({host}) => {
    const [ours, policy] = await Promise.all([
      Promise.all(FIREWALL_RULES.map(async ({name}) => [name, await host.firewall.find(name)] as const)),
      host.firewall.policy(),
    ])
    return {
      policy: {...policy, rules: policy.rules.filter((one) => FIREWALL_RULES.some((ours) => covers(one, ours)))},
      rules: Object.fromEntries(ours),
    }
  }),
  documentCollector('access', 'windows/access.json', ({config, host}) => {
    const {baseDir} = config
    const {binaries, cniBinaries, state} = layoutOf(baseDir)
    const places = [baseDir, state, binaries, cniBinaries, ...DAEMON_FOLDERS].map((path) => ({inside: false, path}))
    return host.security.survey(places)
  }),
  documentCollector('environment', 'windows/environment.json', environment),
  ...CHANNELS.map(([file, channel, only]): Collector => ({
    async collect({host}) {
      try {
        const events = await host.events.newest(channel, MOST_EVENTS, only)
        const lines = events.map((event) => JSON.stringify(event)).join('\n')
        return {entries: [{content: {lines}, path: `windows/events-${file}.ndjson`}]}
      } catch (error) {
        // Not every Windows has all of them.
        if (error instanceof Win32Error && error.code === ERROR_EVT_CHANNEL_NOT_FOUND) return {entries: []}
        throw error
      }
    },
    id: `events-${file}`,
  })),
]

async function service(win32: Win32, name: string): Promise<unknown> {
  const [config, status, values] = await Promise.all([
    win32.queryServiceConfig(name),
    win32.queryServiceStatus(name),
    win32.registryValues('HKLM', String.raw`SYSTEM\CurrentControlSet\Services` + `\\${name}`),
  ])
  if (!config) return {name, state: 'there is no such service'}
  const {Environment: stored} = values
  const lines = stored?.type === 'REG_MULTI_SZ' ? stored.data : []
  return {
    config,
    environment: lines.map((line) => (HARMLESS.test(line) ? line : `${String(line.split('=')[0])}=***`)),
    name,
    status,
  }
}

/** The proxies, of the machine and of this process, without who goes through them; of our own variables all. */
async function environment({environment: own, host, register}: CollectorContext): Promise<unknown> {
  // In the registry names have no case; in a process of another system they may.
  const names = PROXIES.flatMap((name) => [name, name.toLowerCase()])
  const machine = await Promise.all(PROXIES.map(async (name) => [name, await host.environment.get(name)] as const))
  const shown = (entries: readonly (readonly [string, string | undefined])[]): Record<string, string> =>
    Object.fromEntries(
      entries.flatMap(([name, value]) => {
        if (value === undefined || value === '') return []
        for (const password of passwordsIn(value)) register(password)
        return [[name, /no_proxy/i.test(name) ? value : safeUrl(value)]]
      }),
    )
  return {
    KUBECONFIG: await host.environment.get('KUBECONFIG'),
    Path: (await host.environment.get('Path'))?.split(';'),
    machineProxies: shown(machine),
    processProxies: shown(names.map((name) => [name, own[name]])),
    ourVariables: Object.keys(own)
      .filter((name) => name.startsWith('K8S_WIN_'))
      .sort(),
  }
}
