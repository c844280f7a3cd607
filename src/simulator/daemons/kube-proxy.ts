// kube-proxy.exe in kernelspace mode: what ends it, what it waits for, and when it is healthy.
import type {ServiceEntry} from '../world.js'
import {isHnsRunning, isOverlay, networkNamed} from '../windows/hns-objects.js'
import type {Daemon, DaemonProcess} from './daemon.js'
import {parseBool, type ParsedFlags, parsePflags} from './flags.js'
import {type KlogProcess, withKlog} from './klog.js'
import {clusterOf, networkNameOf, proxierProblem, type Synced, syncRules} from './kube-proxy-proxier.js'
import {nodeNameOf} from './kubelet/kubelet-node.js'
import {kubeProxyFlags, parseFeatureGates} from './releases.js'

const COMPLETES_AFTER_MS = 500
/** winkernel/proxier.go: in an overlay it sleeps, as the network may not be complete yet. */
const OVERLAY_SLEEP_MS = 10_000
/** --ipvs-sync-period and --iptables-sync-period: how often it syncs without a change. */
const SYNC_PERIOD_MS = 30_000
/** It syncs when it advances for the first time in a period. */
const POLL_MS = 1000
const SERVING = 'serving '
/** For its Node, before everything else. */
const WAITING = 'waiting'
/** The first minor that does so (pkg/proxy/node.go, NewNodeManager); older ones try a few times to get it, and continue. */
const NODE_MANAGER = 34
/** The first minor that ends when its Node is deleted or gets other addresses (kubernetes#138183). */
const ENDS_WITH_NODE = 37
/** proxier_health.go: twice the sync period. */
const OVERDUE_MS = 60_000

export const kubeProxy: Daemon = {
  async advance(process) {
    const parsed = parseFlags(process)
    if (parsed.error !== undefined) return false
    const self = withKlog(process, parsed.flags)
    const {stage} = process.entry
    if (stage === 'starting' || stage === 'launched') return process.uptime >= COMPLETES_AFTER_MS && complete(self)
    if (stage === WAITING) return complete(self)
    if (stage.startsWith('searching')) return findNetwork(self)
    if (stage.startsWith('sleeping')) return wakeUp(self, Number(stage.split(' ')[1]) + OVERLAY_SLEEP_MS)
    if (stage.startsWith('unsynced')) return receive(self)
    if (!stage.startsWith(SERVING)) return false
    const synced = syncedOf(stage)
    if (await isEndedByNode(self, synced)) return true
    const {busy} = synced
    const isDue = busy ? process.stage.now() >= busy.nextAt : process.uptime % SYNC_PERIOD_MS < POLL_MS
    return isDue && sync(self, synced)
  },

  // Only the flags are read before initForOS: whatever else is wrong ends a service that was Running.
  async begin(process) {
    const parsed = parseFlags(process)
    if (parsed.error !== undefined) {
      await process.stderr(`Error: ${parsed.error}`)
      return {exit: 1}
    }

    return parseBool(parsed.flags.get('windows-service') ?? 'false') ? 'connected' : 'silent'
  },
}

/**
 * It listens once its proxier exists, and is healthy from then on, even without a single rule
 * (pkg/proxy/healthcheck/proxier_health.go: "lastUpdated.IsZero(): healthy = true"; SyncLoop calls Updated() "in case Sync()
 * never succeeds"). Only a later change that waits for more than twice the sync period makes it unhealthy: in a cluster
 * with so many Services that a sync takes that long, some endpoint has changed meanwhile.
 */
export function isHealthy({stage}: ServiceEntry, now: number): boolean {
  const since = stage.startsWith(SERVING) ? syncedOf(stage).busy?.since : undefined
  return since === undefined || now - since <= OVERDUE_MS
}

const syncedOf = (stage: string): Synced => JSON.parse(stage.slice(SERVING.length)) as Synced
export const servingStage = (synced: Synced): string => `${SERVING}${JSON.stringify(synced)}`

/** The gates' values are read with the flags, their names only later. */
function parseFlags({args, version}: DaemonProcess): ParsedFlags {
  const parsed = parsePflags(args, kubeProxyFlags(version.minor))
  const given = parsed.error === undefined ? (parsed.flags.get('feature-gates') ?? '') : ''
  const {error} = parseFeatureGates(given, version.minor)
  if (!error?.startsWith('invalid value')) return parsed
  return {error: `invalid argument "${given}" for "--feature-gates" flag: ${error}`}
}

async function complete(self: KlogProcess): Promise<boolean> {
  const {entry, flags, log, stage, version} = self
  const gates = parseFeatureGates(flags.get('feature-gates') ?? '', version.minor)
  if (gates.error !== undefined) return fail(self, 'server.go:489', `failed complete: ${gates.error}`)
  const mode = flags.get('proxy-mode') ?? ''
  // Userspace, which leaves HNS alone, is not simulated: Services do not work so in an overlay.
  if (mode !== 'kernelspace') {
    const allowed =
      'must be kernelspace,userspace or blank (blank means the most-available proxy [currently userspace])'
    const problem = `KubeProxyConfiguration.Mode.ProxyMode: Invalid value: "${mode}": ${allowed}`
    return fail(self, 'server.go:492', `failed validate: ${problem}`)
  }

  const client = await clusterOf(self)
  if (client.error !== undefined) return fail(self, 'server.go:495', client.error)
  const unseen =
    version.minor >= NODE_MANAGER ? client.problem('list', 'nodes', flags.get('hostname-override')) : undefined
  if (unseen !== undefined) {
    if (entry.stage === WAITING) return false
    entry.stage = WAITING
    await log('E', 'reflector.go:204', `Failed to watch *v1.Node: ${unseen}`, {})
    return true
  }

  await log('I', 'server_windows.go:105', 'Using Kernelspace Proxier.', {})
  if (!networkNameOf(self)) {
    const problem = 'environment variable KUBE_NETWORK and network-flag not initialized'
    return fail(self, 'server.go:495', `unable to create proxier: ${problem}`)
  }

  await log('I', 'proxier.go:635', 'Cleaning up old HNS policy lists', {})
  stage.world.hns.policyLists = []
  entry.stage = 'searching'
  return true
}

/** Up to 1.23 it looks every second forever, while the service shows Running (docs/facts.md#kube-proxy). */
async function findNetwork(self: KlogProcess): Promise<boolean> {
  const {entry, log, stage} = self
  const name = networkNameOf(self)
  const network = isHnsRunning(stage.world) ? networkNamed(stage.world, name) : undefined
  if (!network) {
    if (entry.stage === 'searching in vain') return false
    entry.stage = 'searching in vain'
    const please = self.version.minor >= 23 ? ', please' : '. Please'
    const message = `Unable to find HNS Network specified${please} check network name and CNI deployment`
    await log('E', 'proxier.go:1023', message, {err: `Network ${name} not found`, hnsNetworkName: name})
    return true
  }

  if (!isOverlay(network)) return serve(self)
  entry.stage = `sleeping ${stage.now()}`
  return true
}

async function wakeUp(self: KlogProcess, at: number): Promise<boolean> {
  if (self.stage.now() < at) return false
  const problem = await proxierProblem(self)
  if (problem !== undefined) return fail(self, 'server.go:495', `unable to create proxier: ${problem}`, at)
  return serve(self)
}

async function serve(self: KlogProcess): Promise<boolean> {
  const {entry, flags, stage} = self
  const health = portOf(flags.get('healthz-bind-address'), '10256')
  const metrics = portOf(flags.get('metrics-bind-address'), '10249')
  entry.listening = [`tcp/${health}`, `tcp/${metrics}`].filter((port) => !stage.world.os.listening.includes(port))
  entry.stage = 'unsynced'
  return receive(self) // SyncLoop, and the informers
}

/** Nothing is synced "until Services and Endpoints have been received from master"; the informers retry forever. */
async function receive(self: KlogProcess): Promise<boolean> {
  const {entry, log} = self
  const client = await clusterOf(self)
  const problem = client.problem('list', 'services') ?? client.problem('list', 'endpointslices')
  if (problem === undefined) return sync(self)
  const next = `unsynced: ${problem}`
  if (entry.stage === next) return false
  entry.stage = next
  await log('E', 'reflector.go:138', `Failed to watch *v1.Service: ${problem}`, {})
  return true
}

async function sync(self: KlogProcess, before?: Synced): Promise<boolean> {
  const {entry, log} = self
  const round = syncRules(self, before)
  const synced = self.version.minor >= ENDS_WITH_NODE ? {...round, node: before?.node ?? addressesOfNode(self)} : round
  const next = servingStage(synced)
  if (entry.stage === next) return false
  entry.stage = next
  const news = synced.problems.filter((problem) => !before?.problems.includes(problem))
  for (const problem of news) {
    const [message = '', err] = problem.split(/: (.*)/s)
    await log('E', 'proxier.go:1116', message, err === undefined ? {} : {err})
  }
  return true
}

/** As the informer has it: empty where there is no such Node. */
function addressesOfNode({flags, stage: {world}}: KlogProcess): string {
  const name = nodeNameOf(flags.get('hostname-override'), world.os.computerName)
  const {addresses = []} = world.cluster.nodes.find((node) => node.name === name) ?? {}
  return addresses.flatMap(({address, type}) => (type === 'InternalIP' ? address : [])).join(' ')
}

/** pkg/proxy/node.go of v1.37.0-rc.1: OnNodeChange and OnNodeDelete end it. The service manager starts it again. */
async function isEndedByNode(self: KlogProcess, {node}: Synced): Promise<boolean> {
  if (node === undefined || addressesOfNode(self) === node) return false
  const client = await clusterOf(self)
  const name = self.flags.get('hostname-override') ?? ''
  if (client.problem('list', 'nodes', name) !== undefined) return false
  const isThere = self.stage.world.cluster.nodes.some((one) => one.name === name)
  if (isThere) await self.log('I', 'node.go:209', 'NodeIPs changed for the node', {node: name})
  else await self.log('I', 'node.go:218', 'Node is being deleted', {node: name})
  await self.exit(1, self.stage.now())
  return true
}

const portOf = (address: string | undefined, otherwise: string): string => address?.split(':').at(-1) ?? otherwise

async function fail(
  self: KlogProcess,
  source: string,
  message: string,
  at = self.entry.startedAt + COMPLETES_AFTER_MS,
): Promise<boolean> {
  await self.log('F', source, message)
  await self.exit(255, at)
  return true
}
