// Which labels a kubelet may give its own node: cmd/kubelet/app/options/options.go, ValidateKubeletFlags.

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

/** What the kubelet says of --node-labels it refuses, or undefined. */
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

/** Those a kubelet sets anew on a node that is known already: pkg/kubelet/kubelet_node_status.go, updateDefaultLabels. */
export const isDefaultLabel = (key: string): boolean =>
  NAMES.includes(key) || key === 'node.kubernetes.io/windows-build'
