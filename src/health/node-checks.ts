// Checks of a node that is set up: its address, routes, ports, endpoints, CNI configuration and log folders.
import {win32} from 'node:path'
import {SHAWL_STEP} from '../artifacts/programs.js'
import {cniFileOf} from '../components/cni.js'
import {isLinkLocal} from '../config/cidr.js'
import {daemonsOf} from '../config/daemons.js'
import {layoutOf} from '../config/layout.js'
import {isAbsent} from '../config/shape.js'
import {FLANNELD, KUBELET_PORT, NETWORK_NAME} from '../config/model.js'
import {nodeAddressLost, portsReserved, routesLost} from '../errors/unhealthy-node.js'
import {inWords, lost, restoreCommands} from '../host/saved-network.js'
import {wanted} from '../pipeline/desired/network/network-records.js'
import {longestFree} from '../host/port-ranges.js'
import {isRunnerLog, klogName} from '../logs/file-names.js'
import {verifiedProgram} from '../pipeline/desired/programs/programs.js'
import {shortList} from '../pipeline/short-list.js'
import {check, notChecked, pass, warn} from '../preflight/check.js'
import type {Facts} from '../preflight/facts.js'
import {gb} from '../preflight/checks/hardware-checks.js'

/** Each load balancer of HNS uses this many consecutive ports (docs/facts.md#hns). */
const PORTS_IN_A_ROW = 64
/** What the node listens on: kubelet and its health, kube-proxy's health and metrics. */
const OWN_PORTS = [KUBELET_PORT, 10_248, 10_249, 10_256]
const DEVICE_LESS = String.raw` If it is lost again, run "reg add HKLM\SYSTEM\CurrentControlSet\Services\hns\State /v DeviceLessNicDisabled /t REG_DWORD /d 1" before flanneld starts.`
/** Of an endpoint: detached from its container, degraded, destroyed (docs/facts.md#hns). */
const STALE_STATES: Readonly<Record<number, string>> = {4: 'detached', 5: 'degraded', 6: 'destroyed'}

/** The address in flanneld's command line, which the other two daemons use too. */
export async function usedAddress({host}: Pick<Facts, 'host'>): Promise<string | undefined> {
  const path = (await host.services.imagePath(FLANNELD)) ?? ''
  return /--iface=([\d.]{7,15})(?:["\s]|$)/.exec(path)?.[1]
}

export const nodeAddress = check(
  'node-address',
  {area: 'host', on: 'node', title: 'Address used by the daemons'},
  async (facts) => {
    const address = await usedAddress(facts)
    if (address === undefined) return notChecked('no service has the address in its command line')
    const [adapters, isSet] = await Promise.all([facts.adapters(), facts.host.condition.deviceLessNicDisabled()])
    const all = adapters.flatMap(({addresses, name}) => addresses.map((own) => ({address: own.address, name})))
    const owner = all.find((own) => own.address === address)
    const keeps = isSet ? 'DeviceLessNicDisabled is set' : 'DeviceLessNicDisabled is not set and not required'
    if (owner) return pass(`${address} is on "${owner.name}"; ${keeps}`)
    const seen = all.filter((own) => !isLinkLocal(own.address)).map((own) => `"${own.name}" has ${own.address}`)
    throw nodeAddressLost({adapters: seen.join(', ') || 'none', address, hint: isSet ? '' : DEVICE_LESS})
  },
)

export const staleEndpoints = check(
  'stale-endpoints',
  {needs: ['hns'], on: 'node', only: 'doctor', title: 'Stale endpoints'},
  async (facts) => {
    const [networks, endpoints] = await Promise.all([facts.host.hns.networks(), facts.host.hns.endpoints()])
    const ids = new Set(networks.map(({ID}) => ID.toLowerCase()))
    const own = networks.find(({Name}) => Name === NETWORK_NAME)?.ID.toLowerCase()
    const stale = endpoints.flatMap(({ID, IPAddress, State, VirtualNetwork}) => {
      if (isAbsent(VirtualNetwork)) return []
      const network = VirtualNetwork.toLowerCase()
      const why = ids.has(network) ? network === own && STALE_STATES[State ?? 0] : 'its network no longer exists'
      return why ? [`${ID} (${IPAddress ?? 'no address'}, ${why})`] : []
    })
    if (stale.length === 0) return pass(`${endpoints.length} endpoints, none of them stale`)
    return warn(
      `endpoints that are no longer in use: ${shortList(stale, 3)}; they occupy addresses and can prevent flanneld from starting (flannel#1423)`,
      'Remove them: "hnsdiag delete endpoints <id>".',
    )
  },
)

/** Those that existed before setup, or that the cloud's images have. */
export const metadataRoutes = check(
  'metadata-routes',
  {on: 'node', title: 'Routes to cloud metadata'},
  async ({config, host, journal}) => {
    const isMetadata = ({destination}: {readonly destination: string}): boolean =>
      isLinkLocal(destination.replace(/\/32$/, ''))
    const now = await host.network.now()
    const snapshot = wanted({config, journal}, now).map(({routes, ...saved}) => ({
      ...saved,
      addresses: [],
      dnsServers: [],
      routes: routes.filter(isMetadata),
    }))
    const count = snapshot.flatMap(({routes}) => routes).length
    if (count === 0) return pass('the host had no such routes before setup')
    const gone = lost(snapshot, now)
    if (gone.length === 0) return pass(`${count} as before setup`)
    throw routesLost({commands: restoreCommands(gone, now).join('; '), routes: gone.map(inWords).join(', ')})
  },
)

export const reservedPorts = check(
  'reserved-ports',
  {cost: 'process', on: 'node', only: 'doctor', title: 'Reserved ports'},
  async ({host}: Facts) => {
    const [dynamic, excluded] = await Promise.all([host.portRanges.dynamic(), host.portRanges.excluded()])
    const kept = OWN_PORTS.filter((port) => excluded?.some(({from, to}) => from <= port && port <= to))
    if (kept.length > 0) throw portsReserved({ports: kept.join(', ')})
    if (!dynamic || !excluded) return notChecked('netsh does not report the port ranges')
    const free = longestFree(dynamic, excluded)
    if (free >= PORTS_IN_A_ROW) return pass(`${free} consecutive ports are free for services`)
    return warn(
      `no ${PORTS_IN_A_ROW} consecutive ports are free between ${dynamic.from} and ${dynamic.to}, and every service needs that many`,
      'List the reserved ranges: "netsh interface ipv4 show excludedportrange protocol=tcp". Services without free ports get no load balancer.',
    )
  },
)

/**
 * The first file by name is used; the check "cni-folder" reports a file before that of k8s-win. That its own file is missing
 * is drift.
 */
export const cniDuplicates = check(
  'cni-duplicates',
  {on: 'node', title: 'Duplicate CNI configurations'},
  async ({config, host}) => {
    const {cniConfigFolder: folder} = config.containerd
    const cniConfig = cniFileOf(config)
    const all = (await host.files.list(folder)).filter((name) => /\.(?:conf|conflist|json)$/i.test(name))
    const own = win32.basename(cniConfig).toLowerCase()
    const others = all.filter((name) => name.toLowerCase() !== own)
    if (others.length === 0) return pass('none besides the file of k8s-win')
    return warn(
      `${folder} has ${others.join(', ')} besides the file of k8s-win: with two configurations, two pods can get the same address`,
      `Remove unused files from ${folder}.`,
    )
  },
)

const MOST_BYTES = 2 ** 30
/** Enough to find a gigabyte: klog starts a new file at 1.8 GB, and at every start of the daemon. */
const MOST_FILES = 500
/** Sorts names that are not klog's after every time. */
const LATEST = 'z'

export const logFolders = check(
  'log-folders',
  {on: 'node', title: 'Log folders'},
  async ({config, host: {files}, layout}) => {
    const folders = [...daemonsOf(config).map(({service}) => service), 'k8s-win'].map((name) =>
      win32.join(layout.logs, name),
    )
    const sizes = await Promise.all(
      folders.map(async (folder) => {
        const names = newest(await files.list(folder))
        const found = await Promise.all(names.map((name) => files.status(win32.join(folder, name))))
        const sizes = found.map((status) => (status?.kind === 'file' ? status.size : 0))
        const endless = names.filter((name, index) => isRunnerLog(name) && (sizes[index] ?? 0) > MOST_BYTES)
        return {bytes: sizes.reduce((sum, size) => sum + size, 0), endless, folder}
      }),
    )
    const large = sizes.filter(({bytes}) => bytes > MOST_BYTES)
    if (large.length === 0) return pass(`below ${gb(MOST_BYTES)} each`)
    return warn(
      large.map(({bytes, folder}) => `${folder} holds ${gb(bytes)}`).join(', '),
      large.some(({endless}) => endless.length > 0)
        ? `This release does not rotate the log (1.34 and newer do). Stop the service, delete ${large.flatMap(({endless}) => endless).join(' and ')}, and start the service again.`
        : `Delete the oldest files: ${config.watch === true ? 'the service k8s-win deletes them once a day' : 'nothing else deletes them'}. The newest file is in use.`,
    )
  },
)

/** By the time in klog's names: by the names themselves, hundreds of small WARNING files come after all INFO files. */
function newest(names: readonly string[]): readonly string[] {
  const stamp = (name: string): string => klogName(name)?.stamp ?? LATEST
  const byTime = (one: string, other: string): number =>
    stamp(one) < stamp(other) ? -1 : Number(stamp(one) > stamp(other))
  return names.toSorted(byTime).slice(-MOST_FILES)
}

const WS2025 = 26_100
/** The first is the name in csi-proxy's README, the second that of AKS. */
const CSI_PROXY_SERVICES = ['csiproxy', 'csi-proxy']
const WMIC = String.raw`System32\wbem\WMIC.exe`

/** csi-proxy before kubernetes-csi/csi-proxy#408 (September 2025) runs wmic, which this Windows has only on demand (sig-windows-tools#358). */
export const csiProxy = check(
  'csi-proxy',
  {on: 'node', only: 'doctor', title: 'Storage drivers'},
  async ({host, version}) => {
    const {build = 0} = (await version()) ?? {}
    if (build < WS2025) return pass('Windows has wmic, which csi-proxy may use')
    const found = await Promise.all(CSI_PROXY_SERVICES.map((name) => host.services.status(name)))
    if (found.every((status) => status === undefined)) return pass('csi-proxy is not installed as a service')
    const root = (await host.environment.get('SystemRoot')) ?? String.raw`C:\Windows`
    if (await host.files.status(win32.join(root, WMIC))) return pass('wmic is installed, which csi-proxy may use')
    return warn(
      'csi-proxy is installed, and wmic is not: storage drivers cannot register with an older csi-proxy ("exec: wmic: executable file not found")',
      'Use a csi-proxy newer than September 2025, which does not need it; or install it: "dism /online /add-capability /capabilityname:WMIC~~~~".',
    )
  },
)

/**
 * 1.3.0 aborts in its handler of console events when Windows is shut down (mtkennerly/shawl#74). Its daemon gets the same event,
 * and a node must survive a power loss anyway: so only doctor reports this, and not as a warning.
 */
export const serviceWrapper = check(
  'service-wrapper',
  {on: 'node', only: 'doctor', title: 'Service wrapper'},
  async ({config, journal}) => {
    const version = verifiedProgram(journal, SHAWL_STEP[config.runtime], layoutOf(config.baseDir).shawl)?.version
    if (version === undefined) return notChecked('the journal does not say which shawl is installed')
    if (version !== '1.3.0') return pass(`shawl ${version} ends in order when Windows is shut down`)
    return pass(
      'shawl 1.3.0 crashes when Windows is shut down: an event "Application Error" with 0xc0000409, a slower shutdown, and nothing lost. Setup with k8s-win.exe or the zip package installs 1.9.0',
    )
  },
)
