// What kube-proxy needs to proxy in an overlay (pkg/proxy/winkernel/proxier.go, NewProxier): the texts are its own.
import {adapterWithAddress} from '../windows/adapters.js'
import {networkNamed} from '../windows/hns-objects.js'
import type {DaemonProcess} from './daemon.js'
import {parseFeatureGates} from './feature-gates.js'
import {parseBool} from './flags.js'
import {nodeNameOf} from './kubelet-node.js'
import {openKubeconfig} from './kubeconfig.js'

type Flags = ReadonlyMap<string, string>

/** HNS versions that know direct server return: 9.3 to 9.x, and from 10.2 on (facts d.9). */
const knowsDsr = ({Major, Minor}: {Major: number; Minor: number}): boolean =>
  (Major === 9 && Minor >= 3) || (Major === 10 && Minor >= 2) || Major > 10

export async function overlayProblem(
  process: DaemonProcess,
  flags: Flags,
  networkName: string,
): Promise<string | undefined> {
  const {stage, version} = process
  const gates = parseFeatureGates(flags.get('feature-gates') ?? '', version.minor)
  if (gates.error !== undefined) return gates.error
  if (!networkNamed(stage.world, networkName)) return `could not find HNS network ${networkName}`
  if (parseBool(flags.get('enable-dsr') ?? 'false')) {
    if (!gates.enabled('WinDSR')) return 'WinDSR feature gate not enabled'
    if (!knowsDsr(stage.world.hns.version)) return 'platform does not support feature DSR'
  }

  if (!gates.enabled('WinOverlay')) return 'WinOverlay feature gate not enabled'
  if (!flags.get('source-vip')) return 'source-vip flag not set'
  const address = await nodeAddress(process, flags)
  return adapterWithAddress(stage.world, address) ? undefined : `could not find host mac address for ${address}`
}

/**
 * server_windows.go: 1.21 asks the cluster for the address of the node it takes itself for, and has none where there is
 * no such node; since 1.22 (detectNodeIP) --bind-address comes first, so that a wrong name goes unnoticed.
 */
async function nodeAddress(process: DaemonProcess, flags: Flags): Promise<string> {
  const {stage, version} = process
  const bind = flags.get('bind-address') ?? '0.0.0.0'
  if (version.minor >= 22 && bind !== '0.0.0.0') return bind
  const opened = await openKubeconfig(process, flags.get('kubeconfig') ?? '')
  const isHeard = opened.error === undefined && opened.client.problem('get', 'nodes') === undefined
  const name = nodeNameOf(flags.get('hostname-override'), stage.world.os.computerName)
  const node = isHeard ? stage.world.cluster.nodes.find((one) => one.name === name) : undefined
  return (
    node?.addresses.find(({type}) => type === 'InternalIP')?.address ?? (version.minor >= 22 ? '127.0.0.1' : '<nil>')
  )
}
