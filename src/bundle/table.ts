// Every file of a bundle, and how it is read, in the order of the archive. Logs are last: they fill the room that is left.
import {win32} from 'node:path'
import {FIREWALL_RULES} from '../components/firewall-rules.js'
import {DAEMONS} from '../config/daemons.js'
import {conflistOf, IPAM_STORE, type Layout, layoutOf, NET_CONF, SUBNET_ENV} from '../config/layout.js'
import {DOCKER_SERVICE} from '../config/model.js'
import {DAEMON_PLACES} from '../config/places.js'
import type {Cluster} from '../host/cluster/cluster.js'
import {at, listAt, parseJson, textAt, textsAt} from '../host/document.js'
import {covers} from '../host/firewall-policy.js'
import {trustedFiles} from '../host/security/trust.js'
import {HttpError} from '../machine/http.js'
import {parseProxy} from '../machine/proxy.js'
import {type EventFilter, Win32Error} from '../machine/win32.js'
import {nodeCluster} from '../pipeline/desired/cluster/node-cluster.js'
import {type Collector, type CollectorContext, collectorOf, type Content, type Reader} from './collector.js'
import {outlines} from './kubeconfigs.js'
import {logCollector} from './logs.js'
import {asJson, asLines, asText, file, json, listing, program} from './readers.js'
import {CONTAINERD_FILES, podLabels} from './containerd.js'
import {knownKeys} from './known-keys.js'
import {readUpdates} from './updates.js'

/** k8s-win's services, and those they depend on. */
const DEPENDENCIES = [DOCKER_SERVICE, 'hns', 'vmcompute', 'vfpext', 'mpssvc', 'WinDefend']
const SERVICES = [...DAEMONS.map((daemon) => daemon.service), ...DEPENDENCIES]
/** Shown as they are; of all other variables only the names. */
const HARMLESS = /^(?:NODE_NAME|KUBE_NETWORK|K8S_WIN_CONFIGURATION|DOCKER_HOST)=/
const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY']

const ASK_DOCKER_MS = 10_000
/** Of /info: nothing of registries and the credentials of their mirrors. */
const DOCKER_INFO = [
  ...[
    'Architecture',
    'Containers',
    'ContainersRunning',
    'DockerRootDir',
    'Driver',
    'HttpProxy',
    'HttpsProxy',
    'Images',
  ],
  ...['Isolation', 'KernelVersion', 'MemTotal', 'NCPU', 'Name', 'NoProxy', 'OSType', 'OSVersion', 'OperatingSystem'],
  ...['ServerVersion', 'Warnings'],
]

const FLANNEL = 'kube-flannel-cfg'
const FLANNEL_NAMESPACES = ['kube-flannel', 'kube-system']

/**
 * Failures, and when Windows was started and stopped: 1074 and 1076 say why, 2004 that memory ran out, 6005 to 6009 that
 * the event log and so Windows started or stopped, 6008 that it stopped unexpectedly.
 */
const GRAVE = {ids: [1074, 1076, 2004, 6005, 6006, 6008, 6009], levels: [1, 2, 3]}
const MOST_EVENTS = 300
const ERROR_EVT_CHANNEL_NOT_FOUND = 15_007

const node = (key: Exclude<keyof Layout, 'containerd'>, as: (text: string) => Content): Reader =>
  nodeFile(({baseDir}) => layoutOf(baseDir)[key], as)
const nodeFile = (path: (config: CollectorContext['config']) => string, as: (text: string) => Content): Reader =>
  file(as, ({config, host}) => ({files: trustedFiles(host.files, host.trust), path: path(config)}))
const netsh = (...args: readonly string[]): Reader => program('netsh.exe', 'interface', 'ipv4', 'show', ...args)

const FILES: Readonly<Record<string, Reader>> = {
  'configuration/kubeconfigs.json': json(outlines),
  'configuration/node.yaml': node('nodeConfig', asText),
  'configuration/node-copy.yaml': node('nodeConfigCopy', asText),
  'configuration/kubelet-config.yaml': node('kubeletConfig', knownKeys),
  'configuration/cni.conf': node('cniConfig', knownKeys),
  'configuration/10-flannel.conflist': nodeFile(({containerd}) => conflistOf(containerd), knownKeys),
  'configuration/containerd.toml': nodeFile(({containerd}) => containerd.config, knownKeys),
  'configuration/crictl.yaml': nodeFile(({baseDir}) => layoutOf(baseDir).containerd.crictlConfig, knownKeys),
  'configuration/net-conf.json': nodeFile(() => NET_CONF, knownKeys),
  'configuration/subnet.env': nodeFile(() => SUBNET_ENV, knownKeys),
  'state/journal.ndjson': node('journal', asLines),
  'state/health.json': node('health', asJson),
  'state/pause.json': node('pause', asJson),
  'state/result.json': node('result', asJson),
  'state/stopped.json': node('stopped', asJson),
  'state/lock.json': node('lock', asJson),
  'state/base-directory.json': json(({config, host}) => {
    const {baseDir} = config
    const {cniBinaries, cniConfigFolder} = config.containerd
    const {binaries, containerd, downloads, state} = layoutOf(baseDir)
    const folders = [baseDir, state, cniBinaries, cniConfigFolder, binaries, downloads]
    return listing(host.files, [...folders, win32.dirname(containerd.config), containerd.bin, containerd.certs])
  }),
  'state/cni-networks.json': json(async ({host: {files}}) =>
    listing(
      files,
      (await files.list(IPAM_STORE)).map((name) => `${IPAM_STORE}\\${name}`),
    ),
  ),
  'windows/system.json': json(async ({host: {condition, os}}) => ({
    administrator: await os.isAdministrator(),
    computer: await os.computerName(),
    hardware: await condition.hardware(),
    longPaths: await condition.longPaths(),
    pendingRestarts: await condition.pendingRestarts(),
    version: await os.version(),
  })),
  'windows/memory.json': json(({host}) => host.resources.memory()),
  'windows/drives.json': json(async ({config, host}) => {
    const names = [...new Set(['C:', config.baseDir.slice(0, 2).toUpperCase()])]
    const drives = names.map(async (name) => [name, (await host.resources.drive(name)) ?? 'does not exist'] as const)
    return Object.fromEntries(await Promise.all(drives))
  }),
  ...Object.fromEntries(SERVICES.map((name) => [`windows/services/${name}.json`, service(name)])),
  'windows/updates.json': readUpdates,
  'windows/firewall.json': json(async ({host: {firewall}}) => {
    const [policy, ...rules] = await Promise.all([
      firewall.policy(),
      ...FIREWALL_RULES.map(async ({name}) => [name, await firewall.find(name)] as const),
    ])
    return {
      policy: {...policy, rules: policy.rules.filter((one) => FIREWALL_RULES.some((rule) => covers(one, rule)))},
      rules: Object.fromEntries(rules),
    }
  }),
  'windows/access.json': json(({config: {baseDir, containerd}, host}) => {
    const {binaries, state} = layoutOf(baseDir)
    const paths = [
      baseDir,
      state,
      binaries,
      containerd.cniBinaries,
      ...DAEMON_PLACES.flatMap(({closed, path}) => (closed ? [path] : [])),
    ]
    return host.security.survey(paths.map((path) => ({inside: false, path})))
  }),
  'windows/environment.json': json(environment),
  'windows/events-system.ndjson': events('System', GRAVE),
  'windows/events-application.ndjson': events('Application', GRAVE),
  'windows/events-hns-admin.ndjson': events('Microsoft-Windows-Host-Network-Service-Admin'),
  'windows/events-hns-operational.ndjson': events('Microsoft-Windows-Host-Network-Service-Operational'),
  'windows/events-compute-admin.ndjson': events('Microsoft-Windows-Hyper-V-Compute-Admin'),
  'windows/events-compute-operational.ndjson': events('Microsoft-Windows-Hyper-V-Compute-Operational'),
  'network/adapters.json': json(({host}) => host.network.adapters()),
  'network/routes.json': json(({host}) => host.network.routes()),
  'network/excluded-ports-tcp.txt': netsh('excludedportrange', 'protocol=tcp'),
  'network/excluded-ports-udp.txt': netsh('excludedportrange', 'protocol=udp'),
  'network/dynamic-ports-tcp.txt': netsh('dynamicport', 'tcp'),
  'network/dynamic-ports-udp.txt': netsh('dynamicport', 'udp'),
  'network/neighbours.txt': netsh('neighbors'),
  // The only list with the MTU of each.
  'network/interfaces.txt': netsh('subinterfaces'),
  'hns/networks.json': hns('/networks/'),
  'hns/endpoints.json': hns('/endpoints/'),
  'hns/policylists.json': hns('/policylists/'),
  'hns/portpools.json': hns('/portpools/'),
  'hns/version.json': hns('/globals/version'),
  ...CONTAINERD_FILES,
  'docker/version.json': docker('/version', (version) => version),
  'docker/info.json': docker('/info', (info, register) =>
    Object.fromEntries(
      DOCKER_INFO.map((name) => [
        name,
        /^Https?Proxy$/.test(name) ? withoutLogin(textAt(info, name), register) : at(info, name),
      ]),
    ),
  ),
  'docker/images.json': docker('/images/json', (images) =>
    listAt(images).map((image) => ({
      created: at(image, 'Created'),
      digests: at(image, 'RepoDigests'),
      id: textAt(image, 'Id'),
      size: at(image, 'Size'),
      tags: at(image, 'RepoTags'),
    })),
  ),
  'docker/containers.json': docker('/containers/json?all=1', (containers) =>
    listAt(containers).map((container) => ({
      id: textAt(container, 'Id'),
      image: textAt(container, 'Image'),
      kubernetes: podLabels(textsAt(container, 'Labels')),
      names: at(container, 'Names'),
      state: textAt(container, 'State'),
      status: textAt(container, 'Status'),
    })),
  ),
  'cluster/server.json': json(async (context) => {
    const {cluster} = await asKubelet(context)
    return {...(await cluster.about()), server: cluster.server}
  }),
  'cluster/node.json': json(async (context) => {
    const {cluster, nodeName} = await asKubelet(context)
    return (await cluster.node(nodeName)) ?? `the cluster has no node ${nodeName}`
  }),
  'cluster/flannel.json': json(async (context) => {
    const {cluster} = await asKubelet(context)
    for (const namespace of FLANNEL_NAMESPACES) {
      const data = await cluster.configMap(namespace, FLANNEL)
      if (data) return {data, name: FLANNEL, namespace}
    }
    return `${FLANNEL} does not exist in ${FLANNEL_NAMESPACES.join(' or ')}`
  }),
}

export const COLLECTORS: readonly Collector[] = [
  ...Object.entries(FILES).map(([path, read]) => collectorOf(path, read)),
  logCollector,
]

function service(name: string): Reader {
  return json(async ({machine: {win32}}) => {
    const [config, status, values] = await Promise.all([
      win32.queryServiceConfig(name),
      win32.queryServiceStatus(name),
      win32.registryValues('HKLM', String.raw`SYSTEM\CurrentControlSet\Services` + `\\${name}`),
    ])
    if (!config) return {name, state: 'does not exist'}
    const {Environment: stored} = values
    const lines = stored?.type === 'REG_MULTI_SZ' ? stored.data : []
    const shown = lines.map((line) => (HARMLESS.test(line) ? line : `${String(line.split('=')[0])}=***`))
    return {config, environment: shown, name, status}
  })
}

function events(channel: string, only?: EventFilter): Reader {
  return async ({host}) => {
    try {
      const found = await host.events.newest(channel, MOST_EVENTS, only)
      return {content: {lines: found.map((event) => JSON.stringify(event)).join('\n')}}
    } catch (error) {
      // Not every Windows has all channels.
      if (error instanceof Win32Error && error.code === ERROR_EVT_CHANNEL_NOT_FOUND) return undefined
      throw error
    }
  }
}

/** The login of a proxy is hidden in the whole bundle. */
function withoutLogin(proxy: string, register: CollectorContext['register']): string {
  const {secrets, shown} = parseProxy(proxy)
  for (const secret of secrets) register(secret)
  return shown
}

/** The proxies of the machine and of this process without their credentials; of k8s-win's own variables the names. */
async function environment({environment: own, host, register}: CollectorContext): Promise<unknown> {
  const machine = await Promise.all(PROXIES.map(async (name) => [name, await host.environment.get(name)] as const))
  const shown = (entries: readonly (readonly [string, string | undefined])[]): Record<string, string> =>
    Object.fromEntries(
      entries.flatMap(([name, value]) => {
        if (value === undefined || value === '') return []
        return [[name, /no_proxy/i.test(name) ? value : withoutLogin(value, register)]]
      }),
    )
  return {
    KUBECONFIG: await host.environment.get('KUBECONFIG'),
    Path: (await host.environment.get('Path'))?.split(';'),
    machineProxies: shown(machine),
    // In the registry names have no case; in a process of another system they may.
    processProxies: shown(PROXIES.flatMap((name) => [name, name.toLowerCase()]).map((name) => [name, own[name]])),
    ourVariables: Object.keys(own)
      .filter((name) => name.startsWith('K8S_WIN_'))
      .sort(),
  }
}

/** The whole answer: a field that k8s-win does not use may show the problem. A refusal is an answer too. */
function hns(path: string): Reader {
  return json(async ({machine: {win32}}) => {
    const {hresult, response} = await win32.hnsCall('GET', path, '')
    const code = `0x${(hresult >>> 0).toString(16).padStart(8, '0')}`
    if (hresult < 0 && response === '') throw new Error(`HNS rejected GET ${path} with ${code}`)
    return {hresult: code, response: parseJson(response) ?? response}
  })
}

/** Nothing of Docker on a node without it. */
function docker(path: string, outline: (answer: unknown, register: CollectorContext['register']) => unknown): Reader {
  return json(async ({config: {dockerPipe: pipe, runtime}, host, register, signal}) => {
    if (runtime !== 'docker') return undefined
    const request = {deadlineMs: ASK_DOCKER_MS, effect: 'read', isProbe: true, method: 'GET', pipe, signal} as const
    try {
      const {body, status} = await host.http.request({...request, url: `http://docker${path}`})
      const text = body.toString('utf8')
      if (status >= 300) throw new Error(`Docker returned ${status} for GET ${path}: ${text.slice(0, 200).trim()}`)
      return outline(parseJson(text) ?? text, register)
    } catch (error) {
      if (!(error instanceof HttpError)) throw error
      throw new Error(`Docker does not respond on ${pipe}: ${error.message} (${error.code})`, {cause: error})
    }
  })
}

async function asKubelet(context: CollectorContext): Promise<{cluster: Cluster; nodeName: string}> {
  const {config, host} = context
  const nodeName = config.nodeName ?? (await host.os.computerName()).toLowerCase()
  return {cluster: await nodeCluster({...context, config: {...config, nodeName}}), nodeName}
}
