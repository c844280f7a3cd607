// The stable names of the checks, in the groups that doctor shows: for --ignore-check, JSON and docs.

export const GROUPS = {
  windows: 'Windows',
  folders: 'Folders',
  docker: 'Docker',
  containerd: 'containerd',
  network: 'Network',
  identity: 'Identity',
  cluster: 'Cluster',
  node: 'Node',
  reach: 'Ports and peers',
} as const

export type GroupId = keyof typeof GROUPS

/** Checks of the host and the cluster, which setup runs first. */
const CHECKS_OF_SETUP = {
  windows: [
    'administrator',
    'antivirus',
    'architecture',
    'disk',
    'memory',
    'newer-patch',
    'pending-restart',
    'processors',
    'release-windows',
    'virtual-machine',
    'windows-patch',
    'windows-version',
  ],
  folders: [
    'base-dir',
    'cni-folder',
    'credential-provider',
    'drive',
    'long-paths',
    'metrics-file',
    'program-folder',
    'safe-folders',
  ],
  docker: ['docker', 'docker-api', 'docker-disk', 'docker-logs', 'docker-mode', 'docker-proxy', 'docker-service'],
  containerd: [
    'containerd',
    'containerd-disk',
    'containerd-folder',
    'containerd-proxy',
    'containerd-versions',
    'registries',
  ],
  network: [
    'containers-feature',
    'firewall-policy',
    'firewall-rules',
    'hns-service',
    'hns-version',
    'host-networks',
    'interface',
    'interface-address',
    'networks',
    'other-networks',
    'ports',
  ],
  identity: [
    'client-ca',
    'cluster-administrator',
    'credentials',
    'kubeconfig',
    'kubelet-access',
    'node-copy',
    'node-identity',
    'permissions',
  ],
  cluster: [
    'cluster-dns',
    'flannel-config',
    'flannel-daemonset',
    'host-process-daemonsets',
    'linux-daemonsets',
    'node-name',
    'node-object',
    'pod-network',
    'server-clock',
    'service-network',
    'version-skew',
  ],
  node: ['services'],
  reach: ['api-server'],
} as const

/** Checks of a node that is set up: those with a report for status, and the others. */
const CHECKS_OF_NODE = {
  folders: ['log-folders'],
  network: ['metadata-routes', 'node-address', 'reserved-ports'],
  identity: ['node-identities'],
  node: [
    'cni-duplicates',
    'csi-proxy',
    'dns-backends',
    'drift',
    'image-build',
    'node-condition',
    'node-programs',
    'node-records',
    'node-runtime',
    'node-services',
    'overlay-network',
    'pod-addresses',
    'service-backends',
    'service-wrapper',
    'services-proof',
    'stale-endpoints',
  ],
  reach: ['kubelet-port', 'node-firewall', 'peer-addresses', 'peers', 'vxlan-port'],
} as const

export type CheckId = (typeof CHECKS_OF_SETUP)[keyof typeof CHECKS_OF_SETUP][number]
export type NodeCheckId = (typeof CHECKS_OF_NODE)[keyof typeof CHECKS_OF_NODE][number]

export const CHECK_IDS: readonly CheckId[] = Object.values(CHECKS_OF_SETUP).flat().sort()
export const NODE_CHECK_IDS: readonly NodeCheckId[] = Object.values(CHECKS_OF_NODE).flat().sort()

/** Checks from a pod on a node that is set up: `verify`, and the end of setup. */
export const SMOKE_CHECK_IDS = ['smoke-dns', 'smoke-service', 'smoke-pods'] as const
export type SmokeCheckId = (typeof SMOKE_CHECK_IDS)[number]

/** What --ignore-check can name. */
export const IGNORABLE_CHECK_IDS: readonly string[] = [...CHECK_IDS, ...SMOKE_CHECK_IDS]

export const GROUP_OF = Object.fromEntries(
  [CHECKS_OF_SETUP, CHECKS_OF_NODE].flatMap((groups) =>
    Object.entries<readonly string[]>(groups).flatMap(([group, ids]) => ids.map((id) => [id, group])),
  ),
) as Readonly<Record<CheckId | NodeCheckId, GroupId>>
