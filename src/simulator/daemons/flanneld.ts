// flanneld.exe on Windows with the kube subnet manager: what it refuses, the network it creates, what it leaves behind.
import {win32} from 'node:path'

import {networkNamed} from '../windows/hns-objects.js'
import type {ClusterNode} from '../world.js'
import {formatAddress, parseCidr, windowsPath} from '../windows/names.js'
import type {Daemon, DaemonProcess} from './daemon.js'
import {isAtLeast} from '../versions.js'
import {ensureNetwork} from './flannel-network.js'
import {backendProblem, leaseProblem, parseFlannelFlags, readSettings, type Settings} from './flannel-settings.js'
import {formatKlog} from './klog.js'

const CHECKS_AFTER_MS = 200
const REGISTERS_AFTER_MS = 1500
/** nodeControllerSyncTimeout of pkg/subnet/kube. */
const SYNC_MS = 600_000
/** How long it waits for the adapter to return: 45 s since 0.25.1, 5 s before (docs/facts.md#flannel). */
const NIC_MS = {new: 45_000, old: 5000}
const ANNOTATION = 'flannel.alpha.coreos.com'
const BACKEND_DATA = `${ANNOTATION}/backend-data`
/** Up to 0.12 the interface is found before the subnet manager is created (flannel-io/flannel#833), in 0.15 after it (#1344). */
const MANAGER_FIRST = '0.14.0'

export const flanneld: Daemon = {
  async advance(process) {
    const {stage: stageName, startedAt} = process.entry
    if (stageName === 'launched') return process.uptime >= CHECKS_AFTER_MS && start(process)
    if (stageName === 'registering' || stageName === 'syncing')
      return process.uptime >= REGISTERS_AFTER_MS && registerNetwork(process)
    if (stageName.startsWith('interface')) {
      const [, since, published = ''] = stageName.split(' ')
      return awaitInterface(process, Number(since ?? startedAt), decodeURIComponent(published))
    }
    return false
  },

  // It cannot connect to the service manager (docs/facts.md#flannel).
  async begin(process) {
    const parsed = parseFlannelFlags(process)
    if (parsed.error === undefined) return 'silent'
    for (const line of parsed.error.split('\n')) await process.stderr(line)
    // main.go, usage: it ends the program itself, and not as the flag package would.
    return {exit: 0}
  },
}

/** main.go: interface, kubeconfig, node name and net-conf.json. */
async function start(process: DaemonProcess): Promise<boolean> {
  const settings = await readSettings(process)
  if (typeof settings === 'string') return fail(process, CHECKS_AFTER_MS, 'main.go:231', settings)
  if (!isAtLeast(process.version.text, MANAGER_FIRST)) await logInterface(process, settings)
  // flannel#1066: sometimes the first start waits forever, until it is restarted.
  const {hns} = process.stage.world
  if (hns.stuckOnce) {
    hns.stuckOnce = false
    const message = `Waiting to get ManagementIP from HostComputeNetwork ${settings.config.name}`
    await log(process, 'device_windows.go:116', message)
    process.entry.stage = 'stuck'
    return true
  }

  await log(process, 'kube.go:139', 'Waiting 10m0s for node controller to sync')
  await log(process, 'kube.go:455', 'Starting kube subnet manager')
  process.entry.stage = 'registering'
  return true
}

async function registerNetwork(process: DaemonProcess): Promise<boolean> {
  const {entry, stage, uptime, version} = process
  const settings = await readSettings(process)
  if (typeof settings === 'string') return fail(process, REGISTERS_AFTER_MS, 'main.go:231', settings)
  const {address, client, config, nodeName} = settings
  const unsynced = client.problem('list', 'nodes')
  if (unsynced !== undefined) {
    if (uptime >= SYNC_MS) {
      const problem = 'error waiting for nodeController to sync state: timed out waiting for the condition'
      return fail(process, SYNC_MS, 'main.go:231', `Failed to create SubnetManager: ${problem}`)
    }

    if (entry.stage === 'syncing') return false
    entry.stage = 'syncing'
    await log(process, 'reflector.go:138', `Failed to watch *v1.Node: failed to list *v1.Node: ${unsynced}`, 'E')
    return true
  }

  await log(process, 'kube.go:146', 'Node controller sync successful')
  await log(process, 'main.go:230', `Created subnet manager: Kubernetes Subnet Manager - ${nodeName}`)
  await log(process, 'main.go:233', 'Installing signal handlers')
  await log(process, 'main.go:541', `Found network config - Backend type: ${config.backendType}`)
  if (isAtLeast(version.text, MANAGER_FIRST)) await logInterface(process, settings)
  const problem = backendProblem(config) ?? leaseProblem(process, settings)
  if (problem !== undefined) return failRegistering(process, uptime, problem)
  const {macPrefix, name, port, vni} = config
  const shown = `Name=${name} MacPrefix=${macPrefix} VNI=${vni} Port=${port} GBP=false DirectRouting=false`
  await log(process, 'vxlan_windows.go:127', `VXLAN config: ${shown}`)
  const node = stage.world.cluster.nodes.find(({name}) => name === nodeName)
  const published = node?.annotations[BACKEND_DATA] ?? ''
  // vxlan_windows.go, RegisterNetwork: its lease is acquired before its network exists, so without a MAC address.
  if (node && client.problem('patch', 'nodes/status', nodeName) === undefined) publish(node, vni, '', address)
  const ensured = ensureNetwork(stage, version, config, node?.podCIDR ?? '', address)
  if (ensured.error !== undefined) return failRegistering(process, uptime, ensured.error)
  for (const line of ensured.lines) await log(process, 'device_windows.go:116', line)
  entry.stage = `interface ${stage.now()} ${encodeURIComponent(published)}`
  return true
}

async function awaitInterface(process: DaemonProcess, since: number, published: string): Promise<boolean> {
  const {entry, stage, version} = process
  const {world} = stage
  const settings = await readSettings(process)
  const limit = isAtLeast(version.text, '0.25.1') ? NIC_MS.new : NIC_MS.old
  if (typeof settings === 'string' || stage.now() < world.os.offlineUntil) {
    if (stage.now() - since < limit) return false
    const problem = 'timeout, failed to get net interface for HostComputeNetwork'
    return failRegistering(process, since + limit - entry.startedAt, problem)
  }

  const {address, config, masquerades, nodeName, subnetFile} = settings
  const node = world.cluster.nodes.find(({name}) => name === nodeName)
  const problem = leaseProblem(process, settings)
  if (!node || problem !== undefined) return failRegistering(process, process.uptime, problem ?? '')

  const mac = networkNamed(world, config.name)?.SourceMac?.replaceAll('-', ':').toLowerCase() ?? ''
  // kube.go, AcquireLease: what is published is compared with the informer's copy of the node. On an existing network the
  // second lease follows so soon that the copy may be older than the first: nothing seems to change.
  const isStale = stage.now() - since < (world.cluster.watchDelayMs ?? 0)
  const cached = isStale ? published : node.annotations[BACKEND_DATA]
  if (cached !== backendData(config.vni, mac)) publish(node, config.vni, mac, address)
  const subnet = parseCidr(node.podCIDR)
  const path = windowsPath(subnetFile)
  await stage.files.makeDirectory(win32.dirname(path))
  const lines = [
    `FLANNEL_NETWORK=${config.network}`,
    `FLANNEL_SUBNET=${formatAddress((subnet?.base ?? 0) + 1)}/${subnet?.bits ?? 24}`,
    'FLANNEL_MTU=1450',
    `FLANNEL_IPMASQ=${masquerades}`,
  ]
  await stage.files.write(path, `${lines.join('\n')}\n`)
  await log(process, 'main.go:396', `Wrote subnet file to ${subnetFile}`)
  await log(process, 'main.go:400', 'Running backend.')
  entry.stage = 'running'
  return true
}

const backendData = (vni: number, mac: string): string => JSON.stringify({VNI: vni, VtepMAC: mac})

function publish(node: ClusterNode, vni: number, mac: string, address: string): void {
  node.annotations = {
    ...node.annotations,
    [BACKEND_DATA]: backendData(vni, mac),
    [`${ANNOTATION}/backend-type`]: 'vxlan',
    [`${ANNOTATION}/kube-subnet-manager`]: 'true',
    [`${ANNOTATION}/public-ip`]: address,
  }
}

async function logInterface(process: DaemonProcess, {address, interfaceName}: Settings): Promise<void> {
  await log(process, 'match.go:73', `Searching for interface using ${address}`)
  await log(process, 'match.go:259', `Using interface with name ${interfaceName} and address ${address}`)
  await log(process, 'match.go:281', `Defaulting external address to interface address (${address})`)
}

const failRegistering = (process: DaemonProcess, after: number, problem: string): Promise<boolean> =>
  fail(process, after, 'main.go:332', `Error registering network: ${problem}`)

async function fail(process: DaemonProcess, after: number, source: string, message: string): Promise<boolean> {
  const lines = message.split('\n')
  for (const line of lines.slice(0, -1)) await log(process, source, line)
  await log(process, source, lines.at(-1) ?? '', 'E')
  await process.exit(1, process.entry.startedAt + after)
  return true
}

function log(process: DaemonProcess, source: string, message: string, severity: 'E' | 'I' = 'I'): Promise<void> {
  return process.stderr(formatKlog(process.stage.now(), process.processId, {message, severity, source}))
}
