// What each daemon asks of the API server, as its sources have it.
import type {Identity} from '../config/model.js'
import type {Access} from '../host/cluster/cluster.js'

export interface Permission {
  /** '' for the core group. */
  readonly group: string
  readonly namespace?: string
  /** Asked for this host's own object: the node authorizer allows no other. */
  readonly own?: boolean
  /** Asked for the pods of this host's node: from 1.32 on the node authorizer allows no other (AuthorizeNodeWithSelectors). */
  readonly onNode?: boolean
  readonly resource: string
  /** The first minor of Kubernetes 1.x whose daemon needs it; all where none is named. */
  readonly since?: number
  readonly subresource?: string
  readonly verb: string
}

export interface Needs {
  /** Without these, something is lost that nothing on the node depends on. */
  readonly optional: readonly Permission[]
  /** Needed where the identity is a certificate, which is renewed. */
  readonly renewal: readonly Permission[]
  readonly required: readonly Permission[]
}

const core = (resource: string, ...verbs: readonly string[]): Permission[] => of('', resource, ...verbs)
const of = (group: string, resource: string, ...verbs: readonly string[]): Permission[] =>
  verbs.map((verb) => ({group, resource, verb}))
const own = (permissions: readonly Permission[]): Permission[] =>
  permissions.map((permission) => ({...permission, own: true}))
const status = (resource: string, verb: string): Permission => ({group: '', resource, subresource: 'status', verb})
const LEASES = {group: 'coordination.k8s.io', namespace: 'kube-node-lease', resource: 'leases'}

export const NEEDS: Readonly<Record<Identity, Needs>> = {
  // The ClusterRole flannel of kube-flannel.yml. It reads a pod only without NODE_NAME, which k8s-win sets.
  flanneld: {
    optional: [],
    renewal: [],
    required: [...own(core('nodes', 'get')), ...core('nodes', 'list', 'watch'), ...own([status('nodes', 'patch')])],
  },
  // From 1.21 on it watches EndpointSlices on Windows too (WindowsEndpointSliceProxying).
  'kube-proxy': {
    // 1.21 writes events of the core group, later ones those of events.k8s.io.
    optional: [...core('events', 'create'), ...of('events.k8s.io', 'events', 'create')],
    renewal: [],
    required: [
      ...core('services', 'list', 'watch'),
      ...of('discovery.k8s.io', 'endpointslices', 'list', 'watch'),
      ...own(core('nodes', 'get')),
      // From 1.34 on it lists its Node before it does anything, and waits for the answer without end; for the Node itself,
      // where the list lacks it, 30 s (pkg/proxy/node.go, NewNodeManager).
      ...own(core('nodes', 'list', 'watch')).map((permission) => ({...permission, since: 34})),
    ],
  },
  // The Node authorizer's rules, those aside that only a pod's own objects decide (secrets, configmaps, volumes).
  kubelet: {
    optional: core('events', 'create'),
    // It asks for its next certificate by a request that it lists and watches (client-go/util/certificate/csr).
    renewal: of('certificates.k8s.io', 'certificatesigningrequests', 'create', 'list', 'watch'),
    required: [
      ...core('nodes', 'create'),
      ...own(core('nodes', 'get', 'list', 'watch')),
      ...own([status('nodes', 'patch')]),
      ...core('pods', 'list', 'watch').map((permission) => ({...permission, onNode: true})),
      ...core('pods', 'delete'),
      status('pods', 'patch'),
      ...core('services', 'list', 'watch'),
      {...LEASES, verb: 'create'},
      {...LEASES, own: true, verb: 'get'},
      {...LEASES, own: true, verb: 'update'},
      // Without its CSINode the node is never Ready, and the kubelet gives up.
      ...of('storage.k8s.io', 'csinodes', 'create'),
      ...own(of('storage.k8s.io', 'csinodes', 'get')),
      // Who calls it, and may they (authentication and authorization by webhook): without these logs and exec fail.
      ...of('authentication.k8s.io', 'tokenreviews', 'create'),
      ...of('authorization.k8s.io', 'subjectaccessreviews', 'create'),
    ],
  },
}

/**
 * Whether the Node authorizer judges this identity, by two questions: it allows a node its own CSINode and no other
 * (node_authorizer.go, authorizeCSINode). Its rules are in its program, so the kubelet may do all that it needs.
 */
export async function isJudgedAsNode(node: string, may: (access: Access) => Promise<boolean>): Promise<boolean> {
  const csiNode = {group: 'storage.k8s.io', resource: 'csinodes', verb: 'get'}
  const answers = await Promise.all([node, `not-${node}`].map((name) => may({...csiNode, name})))
  return answers[0] === true && answers[1] === false
}

/** Who may list or watch all objects may do so with each of them: daemons that share an identity need one answer. */
const isOfAll = ({verb}: Access): boolean => verb === 'list' || verb === 'watch'

/** What `may` denies of these, to this node and with this minor of Kubernetes. */
export async function missingOf(
  all: readonly Permission[],
  {minor, node}: {readonly minor: number; readonly node: string},
  may: (access: Access) => Promise<boolean>,
): Promise<readonly Permission[]> {
  const list = all.filter(({since = 0}) => since <= minor)
  const fieldSelector = {requirements: [{key: 'spec.nodeName', operator: 'In', values: [node]}]} as const
  const answers = await Promise.all(
    list.map(async ({onNode, own: isOwn, since: _, ...access}) =>
      isOwn
        ? (isOfAll(access) && (await may(access))) || may({...access, name: node})
        : may({...access, ...(onNode && {fieldSelector})}),
    ),
  )
  return list.filter((_, index) => answers[index] === false)
}

/** "get, list nodes; patch nodes/status; list endpointslices.discovery.k8s.io" */
export function permissionsText(permissions: readonly Permission[]): string {
  const verbs = new Map<string, string[]>()
  for (const {group, resource, subresource, verb} of permissions) {
    const full = subresource === undefined ? resource : `${resource}/${subresource}`
    const name = group === '' ? full : `${full}.${group}`
    verbs.set(name, [...(verbs.get(name) ?? []), verb])
  }

  return [...verbs].map(([name, some]) => `${some.join(', ')} ${name}`).join('; ')
}
