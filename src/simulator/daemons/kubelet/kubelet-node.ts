// The node object of a kubelet: its registration, labels, pod network and status.
import type {Stage} from '../../model.js'
import type {ClusterNode, World} from '../../world.js'
import {adapterWithAddress} from '../../windows/adapters.js'
import type {DaemonProcess} from '../daemon.js'
import {formatAddress, parseCidr} from '../../windows/names.js'

/** The control plane's --node-monitor-grace-period. */
const GRACE_MS = 40_000
const HEARTBEAT_MS = 10_000

/** pkg/util/node GetHostname: the override or the machine's name, trimmed and in lower case. */
export const nodeNameOf = (override: string | undefined, computerName: string): string =>
  (override?.trim() || computerName).toLowerCase()

export function registerNode(
  {stage, version}: DaemonProcess,
  name: string,
  flags: ReadonlyMap<string, string>,
): ClusterNode {
  const {cluster, os} = stage.world
  const known = cluster.nodes.find((node) => node.name === name)
  const node: ClusterNode = known ?? {
    addresses: [],
    annotations: {},
    labels: {},
    name,
    podCIDR: '',
    ready: false,
    readyReason: 'KubeletNotReady',
    taints: taintsOf(flags.get('register-with-taints') ?? ''),
  }
  const labels: Record<string, string> = {
    'beta.kubernetes.io/arch': 'amd64',
    'beta.kubernetes.io/os': 'windows',
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': 'windows',
    'node.kubernetes.io/windows-build': `10.0.${os.build}`,
  }
  for (const pair of (flags.get('node-labels') ?? '').split(',').filter(Boolean)) {
    const [key = '', value = ''] = pair.split('=')
    if (!known || isDefaultLabel(key)) labels[key] = value
  }

  node.labels = {...node.labels, ...labels}
  node.addresses = addressesOf(stage, name, flags.get('node-ip'))
  node.kubeletVersion = version.text
  node.machineID = os.computerName
  if (!known) cluster.nodes.push(node)
  node.podCIDR ||= nextPodCIDR(stage.world) ?? ''
  return node
}

/** Posts the status if it has changed or a heartbeat is due. True if it was posted. */
export function postStatus(stage: Stage, name: string, ready: boolean, readyReason: string): boolean {
  const node = stage.world.cluster.nodes.find((one) => one.name === name)
  const isSame = node?.ready === ready && node.readyReason === readyReason
  if (!node || (isSame && stage.now() - (node.heartbeatAt ?? 0) < HEARTBEAT_MS)) return false
  node.ready = ready
  node.readyReason = readyReason
  node.heartbeatAt = stage.now()
  return true
}

/** The node controller marks nodes whose kubelet no longer reports. */
export function markLostNodes(stage: Stage): boolean {
  const lost = stage.world.cluster.nodes.filter(
    ({heartbeatAt, readyReason}) =>
      heartbeatAt !== undefined && stage.now() - heartbeatAt > GRACE_MS && !readyReason.startsWith('NodeStatusUnknown'),
  )
  for (const node of lost) {
    node.ready = false
    node.readyReason = 'NodeStatusUnknown: Kubelet stopped posting node status.'
  }

  return lost.length > 0
}

/** pkg/kubelet/kubelet_node_status.go, nodestatus.NodeAddress: without the address on the host the node has none. */
function addressesOf({world}: Stage, name: string, nodeIP: string | undefined): ClusterNode['addresses'] {
  const own = world.adapters.find(({gateways}) => gateways.length > 0)?.addresses[0]?.address
  const address = nodeIP ? adapterWithAddress(world, nodeIP) && nodeIP : own
  return address
    ? [
        {address, type: 'InternalIP'},
        {address: name, type: 'Hostname'},
      ]
    : []
}

function taintsOf(text: string): ClusterNode['taints'] {
  return text
    .split(',')
    .filter(Boolean)
    .map((taint) => {
      const [left = '', effect = ''] = taint.split(':')
      const [key = '', value] = left.split('=')
      return {effect, key, ...(value && {value})}
    })
}

/** A second copy of src/config/labels-and-taints.ts on purpose: the simulated kubelet judges without k8s-win's own list. */
const PREFIXES = ['kubelet.kubernetes.io', 'node.kubernetes.io']
const NAMES = [
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/instance-type',
  'beta.kubernetes.io/os',
  'failure-domain.beta.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'kubernetes.io/arch',
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'node.kubernetes.io/instance-type',
  'topology.kubernetes.io/region',
  'topology.kubernetes.io/zone',
]

/** Why the kubelet refuses --node-labels (cmd/kubelet/app/options/options.go, ValidateKubeletFlags), or undefined. */
export function labelsProblem(flag: string): string | undefined {
  const keys = flag
    .split(',')
    .filter(Boolean)
    .map((pair) => pair.split('=')[0] ?? '')
  const refused = keys.filter((key) => isReserved(key) && !isAllowed(key)).sort()
  if (refused.length === 0) return undefined
  return [
    `unknown 'kubernetes.io' or 'k8s.io' labels specified with --node-labels: [${refused.join(' ')}]`,
    `--node-labels in the 'kubernetes.io' namespace must begin with an allowed prefix (${PREFIXES.join(', ')}) or be in the specifically allowed set (${NAMES.join(', ')})`,
  ].join('\n')
}

const namespaceOf = (key: string): string => (key.includes('/') ? key.slice(0, key.indexOf('/')) : '')
const isIn = (namespace: string, domain: string): boolean => namespace === domain || namespace.endsWith(`.${domain}`)
const isReserved = (key: string): boolean =>
  ['k8s.io', 'kubernetes.io'].some((domain) => isIn(namespaceOf(key), domain))
const isAllowed = (key: string): boolean =>
  NAMES.includes(key) || PREFIXES.some((prefix) => isIn(namespaceOf(key), prefix))

/** Labels that a kubelet updates on an existing node: pkg/kubelet/kubelet_node_status.go, updateDefaultLabels. */
const isDefaultLabel = (key: string): boolean => NAMES.includes(key) || key === 'node.kubernetes.io/windows-build'

/** The controller manager gives each new node the next /24 of the pod network: undefined if it assigns none, or has none left. */
export function nextPodCIDR({cluster}: World): string | undefined {
  const network = cluster.allocateNodeCIDRs ? parseCidr(cluster.clusterCIDR) : undefined
  if (!network) return undefined
  const taken = new Set(cluster.nodes.map(({podCIDR}) => podCIDR))
  if (cluster.podCIDRHint !== undefined && !taken.has(cluster.podCIDRHint)) return cluster.podCIDRHint
  for (let base = network.base; base + 255 <= network.last; base += 256) {
    const candidate = `${formatAddress(base)}/24`
    if (!taken.has(candidate)) return candidate
  }

  return undefined
}
