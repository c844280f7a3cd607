// kube-proxy.exe in kernelspace mode: what ends it, what it waits for, and when it is healthy.
import type {ServiceEntry} from '../world.js'
import {isHnsRunning, isOverlay, networkNamed} from '../windows/hns-objects.js'
import type {Daemon, DaemonProcess} from './daemon.js'
import {parseFeatureGates} from './feature-gates.js'
import type {ParsedFlags} from './flags.js'
import {parseBool, parsePflags} from './flags.js'
import type {Severity} from './klog.js'
import {klogMessage, writeKlog} from './klog.js'
import {kubeProxyFlags} from './kube-proxy-flags.js'
import {overlayProblem} from './kube-proxy-overlay.js'
import {type Synced, syncRules} from './kube-proxy-rules.js'
import {openKubeconfig} from './kubeconfig.js'

const COMPLETES_AFTER_MS = 500
/** winkernel/proxier.go: in an overlay it sleeps, as the network may not be complete yet. */
const OVERLAY_SLEEP_MS = 10_000
/** --ipvs-sync-period and --iptables-sync-period: what nothing changed is looked at this often. */
const SYNC_PERIOD_MS = 30_000
/** Rounds are made at the first look in a period. */
const LOOK_MS = 1000
const SERVING = 'serving '
/** proxier_health.go: twice the sync period. */
const OVERDUE_MS = 60_000

type Flags = ReadonlyMap<string, string>

export const kubeProxy: Daemon = {
  async advance(process) {
    const parsed = parseFlags(process)
    if (parsed.error !== undefined) return false
    const {flags} = parsed
    const {stage} = process.entry
    if (stage === 'starting' || stage === 'launched')
      return process.uptime >= COMPLETES_AFTER_MS && complete(process, flags)
    if (stage.startsWith('looking')) return lookForNetwork(process, flags)
    if (stage.startsWith('sleeping')) return wakeUp(process, flags, Number(stage.split(' ')[1]) + OVERLAY_SLEEP_MS)
    if (stage.startsWith('unsynced')) return receive(process, flags)
    if (!stage.startsWith(SERVING)) return false
    const {busy} = syncedOf(stage)
    const isDue = busy ? process.stage.now() >= busy.nextAt : process.uptime % SYNC_PERIOD_MS < LOOK_MS
    return isDue && sync(process, flags, stage)
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
 * It listens once its proxier is made, and is healthy from then on, though it may not have made a single rule
 * (pkg/proxy/healthcheck/proxier_health.go: "lastUpdated.IsZero(): healthy = true"; SyncLoop says Updated() "in case Sync()
 * never succeeds"). Only a change that came later and waits for more than twice the sync period makes it sick: in a cluster
 * with so many Services that a round takes that long, some endpoint has changed meanwhile.
 */
export function isHealthy({stage}: ServiceEntry, now: number): boolean {
  const since = stage.startsWith(SERVING) ? syncedOf(stage).busy?.since : undefined
  return since === undefined || now - since <= OVERDUE_MS
}

const syncedOf = (stage: string): Synced => JSON.parse(stage.slice(SERVING.length)) as Synced

/** As one that made its rules, and has no reason to look at them again. */
export const servingStage = (synced: Synced): string => `${SERVING}${JSON.stringify(synced)}`

/** The gates' values are read with the flags, their names only later. */
function parseFlags({args, version}: DaemonProcess): ParsedFlags {
  const parsed = parsePflags(args, kubeProxyFlags(version.minor))
  const given = parsed.error === undefined ? (parsed.flags.get('feature-gates') ?? '') : ''
  const {error} = parseFeatureGates(given, version.minor)
  if (!error?.startsWith('invalid value')) return parsed
  return {error: `invalid argument "${given}" for "--feature-gates" flag: ${error}`}
}

async function complete(process: DaemonProcess, flags: Flags): Promise<boolean> {
  const {entry, stage, version} = process
  const gates = parseFeatureGates(flags.get('feature-gates') ?? '', version.minor)
  if (gates.error !== undefined) return fail(process, flags, 'server.go:489', `failed complete: ${gates.error}`)
  const mode = flags.get('proxy-mode') ?? ''
  if (!['', 'kernelspace', 'userspace'].includes(mode)) {
    return fail(
      process,
      flags,
      'server.go:492',
      `failed validate: KubeProxyConfiguration.Mode.ProxyMode: Invalid value: "${mode}": must be kernelspace,userspace or blank (blank means the most-available proxy [currently userspace])`,
    )
  }

  const opened = await openKubeconfig(process, flags.get('kubeconfig') ?? '')
  if (opened.error !== undefined) return fail(process, flags, 'server.go:495', opened.error)
  // Blank means userspace, which leaves HNS alone: services do not work in an overlay.
  if (mode !== 'kernelspace') {
    await log(process, flags, 'I', 'server_windows.go:126', klogMessage('Using userspace Proxier.'))
    return serve(process, flags)
  }

  await log(process, flags, 'I', 'server_windows.go:105', klogMessage('Using Kernelspace Proxier.'))
  if (!networkName(process, flags)) {
    return fail(
      process,
      flags,
      'server.go:495',
      'unable to create proxier: environment variable KUBE_NETWORK and network-flag not initialized',
    )
  }

  await log(process, flags, 'I', 'proxier.go:635', klogMessage('Cleaning up old HNS policy lists'))
  stage.world.hns.policyLists = []
  entry.stage = 'looking'
  return true
}

/** Up to 1.23 it asks every second for ever, while the service shows Running (facts d.2). */
async function lookForNetwork(process: DaemonProcess, flags: Flags): Promise<boolean> {
  const {entry, stage} = process
  const name = networkName(process, flags)
  const network = isHnsRunning(stage.world) ? networkNamed(stage.world, name) : undefined
  if (!network) {
    if (entry.stage === 'looking in vain') return false
    entry.stage = 'looking in vain'
    const err = `Network ${name} not found`
    await log(
      process,
      flags,
      'E',
      'proxier.go:1023',
      klogMessage('Unable to find HNS Network specified. Please check network name and CNI deployment', {
        err,
        hnsNetworkName: name,
      }),
    )
    return true
  }

  if (!isOverlay(network)) return serve(process, flags)
  entry.stage = `sleeping ${stage.now()}`
  return true
}

async function wakeUp(process: DaemonProcess, flags: Flags, at: number): Promise<boolean> {
  if (process.stage.now() < at) return false
  const problem = await overlayProblem(process, flags, networkName(process, flags))
  if (problem !== undefined) return fail(process, flags, 'server.go:495', `unable to create proxier: ${problem}`, at)
  return serve(process, flags)
}

async function serve(process: DaemonProcess, flags: Flags): Promise<boolean> {
  const {entry, stage} = process
  const health = portOf(flags.get('healthz-bind-address'), '10256')
  const metrics = portOf(flags.get('metrics-bind-address'), '10249')
  const free = [`tcp/${health}`, `tcp/${metrics}`].filter((port) => !stage.world.os.listening.includes(port))
  entry.listening = free
  entry.stage = 'unsynced'
  return receive(process, flags) // SyncLoop, and the informers
}

/** Nothing is synced "until Services and Endpoints have been received from master"; the informers ask for ever. */
async function receive(process: DaemonProcess, flags: Flags): Promise<boolean> {
  const {entry} = process
  const opened = await openKubeconfig(process, flags.get('kubeconfig') ?? '')
  const problem =
    opened.error ?? opened.client.problem('list', 'services') ?? opened.client.problem('list', 'endpointslices')
  if (problem === undefined) return sync(process, flags, '')
  const next = `unsynced: ${problem}`
  if (entry.stage === next) return false
  entry.stage = next
  await log(process, flags, 'E', 'reflector.go:138', klogMessage(`Failed to watch *v1.Service: ${problem}`))
  return true
}

async function sync(process: DaemonProcess, flags: Flags, stage: string): Promise<boolean> {
  const {entry} = process
  const before = stage === '' ? undefined : syncedOf(stage)
  // In userspace mode there is nothing to make in HNS.
  const isKernelspace = flags.get('proxy-mode') === 'kernelspace'
  const synced = isKernelspace
    ? syncRules(process, flags, networkName(process, flags), before)
    : {applied: [], network: '', problems: []}
  const next = servingStage(synced)
  if (entry.stage === next) return false
  entry.stage = next
  const news = synced.problems.filter((problem) => !before?.problems.includes(problem))
  for (const problem of news) await log(process, flags, 'E', 'proxier.go:1116', klogMessage(problem))
  return true
}

const portOf = (address: string | undefined, otherwise: string): string => address?.split(':').at(-1) ?? otherwise
const networkName = (process: DaemonProcess, flags: Flags): string =>
  flags.get('network-name') || process.env('KUBE_NETWORK') || ''

async function fail(
  process: DaemonProcess,
  flags: Flags,
  source: string,
  message: string,
  at = process.entry.startedAt + COMPLETES_AFTER_MS,
): Promise<boolean> {
  await log(process, flags, 'F', source, message)
  await process.exit(255, at)
  return true
}

function log(process: DaemonProcess, flags: Flags, severity: Severity, source: string, message: string): Promise<void> {
  const toFiles = parseBool(flags.get('logtostderr') ?? 'true') === false
  return writeKlog(process, toFiles ? flags.get('log-dir') : undefined, {message, severity, source})
}
