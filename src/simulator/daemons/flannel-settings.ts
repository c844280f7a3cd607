// What flanneld learns before it makes its network: interface, kubeconfig, node name, net-conf.json, and the node's lease.
import {adapterWithAddress} from '../windows/adapters.js'
import {cidrContains, windowsPath} from '../windows/names.js'
import type {DaemonProcess} from './daemon.js'
import {isAtLeast} from './daemon.js'
import type {FlannelConfig} from './flannel-config.js'
import {parseNetConf} from './flannel-config.js'
import {flannelClientGo} from './exec-plugin.js'
import {parseFlannelFlags} from './flannel-flags.js'
import type {ClusterClient} from './kubeconfig.js'
import {openKubeconfig} from './kubeconfig.js'

export interface Settings {
  readonly address: string
  readonly client: ClusterClient
  readonly config: FlannelConfig
  readonly interfaceName: string
  readonly nodeName: string
  readonly subnetFile: string
}

/** The settings, or the line it ends with; lines before it are no errors yet. */
export async function readSettings(process: DaemonProcess): Promise<Settings | string> {
  const {env, stage} = process
  const parsed = parseFlannelFlags(process)
  if (parsed.error !== undefined) return parsed.error
  const {flags} = parsed
  const iface = flags.get('iface') ?? ''
  const named = stage.world.adapters.find(({gateways, name}) => (iface ? name === iface : gateways.length > 0))
  const adapter = adapterWithAddress(stage.world, iface) ?? named
  const address = adapterWithAddress(stage.world, iface) ? iface : named?.addresses[0]?.address
  if (!adapter || !address)
    return `Could not find valid interface matching ${iface}: error looking up interface ${iface}: no interface with given IP found\nFailed to find interface to use that matches the interfaces and/or regexes provided`
  const failed = (cause: string): string => `Failed to create SubnetManager: ${cause}`
  if (flags.get('kube-subnet-mgr') !== 'true' && flags.get('kube-subnet-mgr') !== '1')
    return failed(
      'client: etcd cluster is unavailable or misconfigured; error #0: dial tcp 127.0.0.1:4001: connectex: No connection could be made',
    )
  const opened = await openKubeconfig(process, flags.get('kubeconfig-file') ?? '', {
    clientGo: flannelClientGo(process.version),
  })
  if (opened.error !== undefined) {
    const isPlugin = opened.error.startsWith('exec plugin')
    return failed(`${isPlugin ? 'unable to initialize client' : 'fail to create kubernetes config'}: ${opened.error}`)
  }

  const nodeName = env('NODE_NAME')
  if (!nodeName) return failed('env variables POD_NAME and POD_NAMESPACE must be set')
  const path = flags.get('net-config-path') ?? '/etc/kube-flannel/net-conf.json'
  const bytes = await stage.files.read(windowsPath(path))
  if (!bytes) return failed(`failed to read net conf: open ${path}: The system cannot find the file specified.`)
  const conf = parseNetConf(bytes)
  if (conf.error !== undefined) return failed(`error parsing subnet config: ${conf.error}`)
  return {
    address,
    client: opened.client,
    config: conf.config,
    interfaceName: adapter.name,
    nodeName,
    subnetFile: flags.get('subnet-file') ?? '/run/flannel/subnet.env',
  }
}

/** pkg/subnet/kube/kube.go, AcquireLease. */
export function leaseProblem(
  {stage, version}: DaemonProcess,
  {client, config, nodeName}: Settings,
): string | undefined {
  const node = stage.world.cluster.nodes.find(({name}) => name === nodeName)
  const failed = (cause: string): string => `failed to acquire lease: ${cause}`
  if (!node) return failed(`node "${nodeName}" not found`)
  if (!node.podCIDR) return failed(`node "${nodeName}" pod cidr not assigned`)
  const forbidden = client.problem('patch', 'nodes/status', nodeName)
  if (forbidden !== undefined) return failed(forbidden)
  if (isAtLeast(version, '0.18.0') && !cidrContains(config.network, node.podCIDR)) {
    return failed(
      `subnet "${config.network}" specified in the flannel net config doesn't contain "${node.podCIDR}" PodCIDR of the "${nodeName}" node`,
    )
  }

  return undefined
}
