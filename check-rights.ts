// What each check asks of the API server, who may ask it, and what is reported where this identity may not: the table in
// docs/checks.md. A test compares it with the requests that the checks make, and with the authorizers.
import {NODE_ACCESS_COMMAND} from './src/components/node-access.js'
import type {CheckId, NodeCheckId, SmokeCheckId} from './src/config/check-ids.js'

/** The least that allows it. */
export type Holder =
  /** Every credential that the cluster accepts (ClusterRoles system:public-info-viewer, system:basic-user). */
  | 'everyone'
  /** A node, by the Node authorizer alone. */
  | 'node'
  /** The same; from 1.32 on, with AuthorizeNodeWithSelectors, only together with `k8s-win manifest node-access`. */
  | 'node before 1.32'
  /** A node, where the objects of `k8s-win manifest node-access` are in the cluster. */
  | 'node-access'
  /** Not a node. */
  | 'administrator'

export interface AskedRight {
  /** '' for the core group. */
  readonly group: string
  readonly holder: Holder
  /** Of one object; "this node" stands for the node's own. */
  readonly name?: string
  readonly namespace?: string
  readonly resource: string
  readonly verb: string
}

export interface CheckRights {
  readonly asks: readonly AskedRight[]
  /** The daemon whose identity is used; the kubelet's where none is named. */
  readonly by?: 'kube-proxy' | 'the kubeconfig of verify'
  readonly ids: readonly (CheckId | NodeCheckId | SmokeCheckId)[]
  /** What is reported where the identity may not. */
  readonly without: string
}

const OWN = 'this node'
type Rest = Omit<AskedRight, 'group' | 'resource' | 'verb'>
const core = (verb: string, resource: string, rest: Rest): AskedRight => ({group: '', resource, verb, ...rest})
const slices = (verb: string, rest: Rest): AskedRight => ({
  group: 'discovery.k8s.io',
  resource: 'endpointslices',
  verb,
  ...rest,
})

const REVIEW: AskedRight = {
  group: 'authorization.k8s.io',
  holder: 'everyone',
  resource: 'selfsubjectaccessreviews',
  verb: 'create',
}
const OWN_NODE = core('get', 'nodes', {holder: 'node', name: OWN})
const ALL_NODES = core('list', 'nodes', {holder: 'node before 1.32'})
const API_SERVICE = core('get', 'services', {holder: 'node', name: 'kubernetes', namespace: 'default'})
const SYSTEM_SERVICES = core('list', 'services', {holder: 'node', namespace: 'kube-system'})
const SYSTEM_SLICES = slices('list', {holder: 'node-access', namespace: 'kube-system'})
const FLANNEL = 'kube-flannel-cfg'
const LET_NODES = `not checked; the command is shown: \`${NODE_ACCESS_COMMAND}\``
const OF_KUBE_PROXY = 'not checked; `permissions` fails, because kube-proxy cannot work without it'

/** Checks that are not here ask nothing of the API server but its version, which needs no permission. */
export const CHECK_RIGHTS: readonly CheckRights[] = [
  {asks: [REVIEW], ids: ['permissions', 'node-identities'], without: 'cannot happen'},
  {asks: [OWN_NODE], ids: ['node-object', 'node-condition'], without: 'not checked; `permissions` fails'},
  {asks: [SYSTEM_SERVICES], ids: ['cluster-dns'], without: 'fails, unless `--cluster-dns` is given'},
  {asks: [API_SERVICE, SYSTEM_SERVICES], ids: ['service-network'], without: 'not checked'},
  {
    asks: [{...OWN_NODE}],
    ids: ['pod-network'],
    without: `the nodes are listed, as before this node is registered; if that is forbidden, too: ${LET_NODES}`,
  },
  {asks: [ALL_NODES, OWN_NODE], ids: ['peers', 'peer-addresses', 'vxlan-port'], without: LET_NODES},
  {
    asks: [
      core('get', 'configmaps', {holder: 'node-access', name: FLANNEL, namespace: 'kube-flannel'}),
      // Of flannel up to 0.18; asked where the first has none.
      core('get', 'configmaps', {holder: 'administrator', name: FLANNEL, namespace: 'kube-system'}),
      {...ALL_NODES},
      {...OWN_NODE},
    ],
    ids: ['flannel-config'],
    without: `warning, with the commands that allow it and that show it; where it may list nodes, their VNI is checked`,
  },
  {
    asks: [{group: 'apps', holder: 'administrator', resource: 'daemonsets', verb: 'list'}],
    ids: ['flannel-daemonset'],
    without: 'warning, with the command: `kubectl get daemonsets -A`',
  },
  {
    asks: [{group: 'apps', holder: 'administrator', resource: 'daemonsets', verb: 'list'}],
    ids: ['linux-daemonsets', 'host-process-daemonsets'],
    without: 'not checked; the command is shown: `kubectl get daemonsets -A`',
  },
  {
    asks: [{...API_SERVICE, verb: 'list'}, SYSTEM_SERVICES, SYSTEM_SLICES],
    by: 'kube-proxy',
    ids: ['services-proof'],
    without: OF_KUBE_PROXY,
  },
  {asks: [SYSTEM_SERVICES, SYSTEM_SLICES], by: 'kube-proxy', ids: ['dns-backends'], without: OF_KUBE_PROXY},
  {
    asks: [core('list', 'services', {holder: 'node'}), slices('list', {holder: 'node-access'})],
    by: 'kube-proxy',
    ids: ['service-backends'],
    without: OF_KUBE_PROXY,
  },
  {
    asks: [slices('list', {holder: 'node-access'})],
    by: 'kube-proxy',
    ids: ['pod-addresses'],
    without: 'checked in HNS only',
  },
  {
    asks: [OWN_NODE, SYSTEM_SERVICES, {...API_SERVICE, verb: 'list'}, SYSTEM_SLICES],
    ids: ['drift'],
    without: 'the steps that need it are not checked',
  },
  {
    asks: [
      {...REVIEW},
      ...['create', 'get', 'delete'].map((verb) => core(verb, 'pods', {holder: 'administrator', namespace: 'default'})),
      OWN_NODE,
      API_SERVICE,
      SYSTEM_SERVICES,
      SYSTEM_SLICES,
    ],
    by: 'the kubeconfig of verify',
    ids: ['smoke-dns', 'smoke-service', 'smoke-pods'],
    without: 'not checked; the command is shown: `k8s-win verify --kubeconfig <file>`',
  },
]

const HOLDERS: Readonly<Record<Holder, string>> = {
  administrator: 'no; an administrator may',
  everyone: 'yes, as every identity',
  node: 'yes',
  'node before 1.32': 'yes up to 1.31; from 1.32 on with node-access',
  'node-access': 'with node-access',
}

/** "list services in kube-system", "get nodes (this node)", "get services/kubernetes in default" */
export function rightText({group, name, namespace, resource, verb}: AskedRight): string {
  const full = group === '' ? resource : `${resource}.${group}`
  const object = name === undefined ? full : name === OWN ? `${full} (${OWN})` : `${full}/${name}`
  return `${verb} ${object}${namespace === undefined ? '' : ` in ${namespace}`}`
}

/** The rows of the table: checks; what they ask, one line each; whether a node may, on the same lines; what is reported otherwise. */
export function rightsTable(): string[][] {
  return CHECK_RIGHTS.map(({asks, by, ids, without}) => [
    `${ids.map((id) => `\`${id}\``).join(', ')}${by === undefined ? '' : ` (${by})`}`,
    asks.map((right) => rightText(right)).join(LINE),
    asks.map(({holder}) => HOLDERS[holder]).join(LINE),
    without.replaceAll('|', String.raw`\|`).replaceAll('<', '&lt;'),
  ])
}

/** In a cell of a table. */
const LINE = '<br>'
