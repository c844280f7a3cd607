// What flanneld reads before it creates its network: its flags, net-conf.json, interface, kubeconfig and node.
import {remembered} from '../../machine/remembered.js'
import {isAtLeast} from '../versions.js'
import {adapterWithAddress} from '../windows/adapters.js'
import {cidrContains, parseCidr, windowsPath} from '../windows/names.js'
import type {DaemonProcess} from './daemon.js'
import {flagSet, type FlagType, parseBool, type ParsedFlags, parseGoFlags} from './flags.js'
import {type ClusterClient, flannelClientGo, openKubeconfig} from './kubeconfig.js'

/** main.go of 0.11; of klog's flags only three are copied (copyFlag), under their own names. */
const FLAGS = {
  bool: 'ip-masq iptables-forward-rules kube-subnet-mgr version',
  int: 'healthz-port iptables-resync subnet-lease-renew-margin v',
  string: `etcd-cafile etcd-certfile etcd-endpoints etcd-keyfile etcd-password etcd-prefix etcd-username healthz-ip iface
    iface-regex kube-annotation-prefix kube-api-url kubeconfig-file log_backtrace_at public-ip subnet-file vmodule`,
}
/** By the version that added them, to 0.28.9. */
const ADDED: readonly (readonly [since: string, flags: Partial<Record<FlagType, string>>])[] = [
  ['0.12.0', {string: 'net-config-path'}],
  ['0.15.0', {bool: 'set-node-network-unavailable', string: 'public-ipv6'}],
  ['0.18.0', {string: 'iface-can-reach'}],
  ['0.27.1', {bool: 'ip-blackhole-route'}],
  ['0.27.4', {bool: 'ip-masq-fully-random-disable'}],
]

export const flannelFlags = remembered((version: string) =>
  flagSet(FLAGS, ...ADDED.filter(([since]) => isAtLeast(version, since)).map(([, flags]) => flags)),
)

/** The flag package has these itself, for all programs that do not. */
const HELP = /^--?h(?:elp)?$/

/** Those of flag.Value have no better word for their type. */
const VALUES = ['iface', 'iface-regex', 'log_backtrace_at', 'v', 'vmodule']

/** main.go, usage, and PrintDefaults of the flag package: two lines for each flag, but what they say of it is not simulated. */
export function flannelUsage(program: string, version: string): string {
  const flags = [...flannelFlags(version)].sort(([one], [other]) => (one < other ? -1 : 1))
  const lines = flags.map(([name, type]) => {
    const word = VALUES.includes(name) ? ' value' : type === 'bool' ? '' : ` ${type}`
    return `  -${name}${word}${name.length === 1 && word === '' ? '\t' : '\n    \t'}(not simulated)`
  })
  return [`Usage: ${program} [OPTION]...`, ...lines, ''].join('\n')
}

/** Each flag may also be given as FLANNELD_<NAME> in the environment. */
export function parseFlannelFlags({args, env, program, version}: DaemonProcess): ParsedFlags {
  const known = flannelFlags(version.text)
  const usage = flannelUsage(program, version.text).trimEnd()
  const asked = args.find((arg) => HELP.test(arg) || !arg.startsWith('-'))
  if (asked?.startsWith('-')) return {error: usage}
  const parsed = parseGoFlags(args, known)
  if (parsed.error !== undefined) return {error: `${parsed.error}\n${usage}`}
  const flags = new Map(parsed.flags)
  for (const name of known.keys()) {
    const value = env(`FLANNELD_${name.toUpperCase().replaceAll('-', '_')}`)
    if (value && !flags.has(name)) flags.set(name, value)
  }

  return {flags, rest: parsed.rest}
}

/** net-conf.json; Go's JSON reads keys without case. */
export interface FlannelConfig {
  readonly backendType: string
  readonly directRouting: boolean
  readonly gbp: boolean
  readonly macPrefix: string
  readonly name: string
  readonly network: string
  readonly port: number
  readonly vni: number
}

const DEFAULT_VNI = 4096
const VXLAN_PORT = 4789

function parseNetConf(bytes: Buffer): {error?: undefined; config: FlannelConfig} | {error: string} {
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch {
    return {error: `invalid character '${bytes.toString('latin1')[0] ?? ''}' looking for beginning of value`}
  }

  const top = fields(value)
  const network = top.get('network')
  if (typeof network !== 'string' || !parseCidr(network)) {
    return {error: 'please define a correct Network parameter in the flannel config'}
  }

  const backend = fields(top.get('backend'))
  const number = (key: string, otherwise: number): number => (backend.has(key) ? Number(backend.get(key)) : otherwise)
  const text = (key: string, otherwise: string): string => {
    const one = backend.get(key)
    return typeof one === 'string' && one !== '' ? one : otherwise
  }

  const vni = number('vni', DEFAULT_VNI)
  return {
    config: {
      backendType: text('type', 'udp'),
      directRouting: backend.get('directrouting') === true,
      gbp: backend.get('gbp') === true,
      macPrefix: text('macprefix', '0E-2A'),
      name: text('name', `flannel.${vni}`),
      network,
      port: number('port', VXLAN_PORT),
      vni,
    },
  }
}

/**
 * pkg/backend/vxlan/vxlan_windows.go, RegisterNetwork. host-gw runs on Windows too (flannel-io/flannel#1858), but k8s-win
 * sets up vxlan only, and this model refuses all others.
 */
export function backendProblem(config: FlannelConfig): string | undefined {
  const {backendType, directRouting, gbp, macPrefix, port, vni} = config
  if (backendType !== 'vxlan') return `unknown backend type: ${backendType}`
  const invalid = 'invalid VXLAN backend config.'
  if (vni < DEFAULT_VNI) return `${invalid} VNI [${vni}] must be greater than or equal to ${DEFAULT_VNI} on Windows`
  if (port !== VXLAN_PORT) {
    return `${invalid} Port [${port}] is not supported on Windows. Omit the setting to default to port ${VXLAN_PORT}`
  }

  if (directRouting) return `${invalid} DirectRouting is not supported on Windows`
  if (gbp) return `${invalid} GBP is not supported on Windows`
  if (!/^..-..$/.test(macPrefix)) {
    return `${invalid}MacPrefix [${macPrefix}] is invalid, prefix must be of the format xx-xx e.g. 0E-2A`
  }

  return undefined
}

function fields(value: unknown): Map<string, unknown> {
  const isObject = typeof value === 'object' && value !== null
  return new Map(isObject ? Object.entries(value).map(([key, one]) => [key.toLowerCase(), one]) : [])
}

export interface Settings {
  readonly address: string
  readonly client: ClusterClient
  readonly config: FlannelConfig
  readonly interfaceName: string
  readonly masquerades: boolean
  readonly nodeName: string
  readonly subnetFile: string
}

/** The settings, or the lines with which it ends, of which the last one is an error. */
export async function readSettings(process: DaemonProcess): Promise<Settings | string> {
  const {env, stage} = process
  const parsed = parseFlannelFlags(process)
  if (parsed.error !== undefined) return parsed.error
  const {flags} = parsed
  const iface = flags.get('iface') ?? ''
  const named = stage.world.adapters.find(({gateways, name}) => (iface ? name === iface : gateways.length > 0))
  const adapter = adapterWithAddress(stage.world, iface) ?? named
  const address = adapterWithAddress(stage.world, iface) ? iface : named?.addresses[0]?.address
  // pkg/ipmatch/match.go: with it, no interface matches.
  const publicIP = flags.get('public-ip') ?? ''
  const isPublic = publicIP === '' || parseCidr(`${publicIP}/32`) !== undefined
  if (!adapter || !address || !isPublic) {
    const lookup = isPublic
      ? `error looking up interface ${iface}: no interface with given IP found`
      : `invalid public IP address: ${publicIP}`
    const failure = 'Failed to find interface to use that matches the interfaces and/or regexes provided'
    return `Could not find valid interface matching ${iface}: ${lookup}\n${failure}`
  }

  const failed = (cause: string): string => `Failed to create SubnetManager: ${cause}`
  if (flags.get('kube-subnet-mgr') !== 'true' && flags.get('kube-subnet-mgr') !== '1') {
    const refused = 'error #0: dial tcp 127.0.0.1:4001: connectex: No connection could be made'
    return failed(`client: etcd cluster is unavailable or misconfigured; ${refused}`)
  }

  const clientGo = flannelClientGo(process.version)
  const client = await openKubeconfig(process, flags.get('kubeconfig-file') ?? '', {
    clientGo,
    // pkg/subnet/kube/kube.go, NewSubnetManager.
    master: flags.get('kube-api-url'),
  })
  if (client.error !== undefined) {
    const isPlugin = client.error.startsWith('exec plugin')
    return failed(`${isPlugin ? 'unable to initialize client' : 'fail to create kubernetes config'}: ${client.error}`)
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
    client,
    config: conf.config,
    interfaceName: adapter.name,
    masquerades: parseBool(flags.get('ip-masq') ?? 'false') ?? false,
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
  // From 0.25.3 on it tries both for 30 s, which is not simulated, and says the same of both.
  const timeout = isAtLeast(version.text, '0.25.3')
    ? `timeout contacting kube-api, failed to patch node "${nodeName}". Error: context deadline exceeded`
    : undefined
  if (!node) return failed(timeout ?? `node "${nodeName}" not found`)
  if (!node.podCIDR) return failed(`node "${nodeName}" pod cidr not assigned`)
  const forbidden = client.problem('patch', 'nodes/status', nodeName)
  if (forbidden !== undefined) return failed(timeout ?? forbidden)
  if (isAtLeast(version.text, '0.18.0') && !cidrContains(config.network, node.podCIDR)) {
    return failed(
      `subnet "${config.network}" specified in the flannel net config doesn't contain "${node.podCIDR}" PodCIDR of the "${nodeName}" node`,
    )
  }

  return undefined
}
