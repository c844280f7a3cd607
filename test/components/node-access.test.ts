// The permissions of node-access: valid by Kubernetes' schemas, enough for both daemons in every release, and no more.
import {describe, expect, it} from 'vitest'
import type {ClusterObject} from '../../src/components/flannel-manifest.js'
import {NODE_ACCESS_NAMES, nodeAccessObjects} from '../../src/components/node-access.js'
import {NEEDS, type Permission} from '../../src/components/permissions.js'
import type {Identity as CallerIdentity} from '../../src/simulator/cluster/identity.js'
import {authorize} from '../../src/simulator/cluster/permissions.js'
import type {Access} from '../../src/simulator/cluster/rbac.js'
import type {ClusterState, PolicyRule, RoleBinding} from '../../src/simulator/cluster/state.js'
import {makeCluster} from '../../src/simulator/profiles/cluster.js'
import {problemsOf} from './kubernetes-schema.js'

const objects = nodeAccessObjects()
const NODE: CallerIdentity = {groups: ['system:nodes', 'system:authenticated'], user: 'system:node:win-1'}
const BOOTSTRAPPER: CallerIdentity = {
  groups: ['system:bootstrappers', 'system:bootstrappers:kubeadm:default-node-token', 'system:authenticated'],
  user: 'system:bootstrap:abcdef',
}
const MINORS = Array.from({length: 13}, (_, index) => 24 + index)

interface Binding extends ClusterObject {
  readonly roleRef: {readonly kind: string; readonly name: string}
  readonly subjects: readonly {readonly name: string}[]
}

const ofKind = (kind: RegExp): readonly ClusterObject[] => objects.filter((object) => kind.test(object.kind))
const nameOf = ({metadata}: ClusterObject): string => metadata.name

/** What the objects are in a simulated cluster. */
const clusterRoles = Object.fromEntries(
  ofKind(/Role$/).map((role) => [nameOf(role), role['rules'] as PolicyRule[]] as const),
)
const roleBindings = (ofKind(/Binding$/) as readonly Binding[]).flatMap(({metadata, roleRef, subjects}) =>
  subjects.map(({name: group}): RoleBinding => ({
    group,
    name: metadata.name,
    ...(metadata.namespace !== undefined && {namespace: metadata.namespace}),
    role: roleRef.name,
  })),
)

const clusterWith = (minor: number, bindings: readonly RoleBinding[]): ClusterState => ({
  ...makeCluster(`v1.${minor}.0`),
  clusterRoles,
  roleBindings: [...bindings],
})

const accessFor = ({group, namespace = '', own = false, resource, subresource, verb}: Permission): Access => ({
  group,
  name: own ? 'win-1' : '',
  namespace,
  resource: subresource === undefined ? resource : `${resource}/${subresource}`,
  verb,
})

describe('the objects', () => {
  it('are in an order that can be applied', () => {
    expect(objects.map(({kind, metadata}) => [kind, metadata.name])).toEqual([
      ['ClusterRoleBinding', NODE_ACCESS_NAMES.kubeProxy],
      ['ClusterRole', NODE_ACCESS_NAMES.flannel],
      ['ClusterRoleBinding', NODE_ACCESS_NAMES.flannel],
      ['Role', NODE_ACCESS_NAMES.flannelConfig],
      ['RoleBinding', NODE_ACCESS_NAMES.flannelConfig],
      ['Role', NODE_ACCESS_NAMES.kubeProxyConfig],
      ['RoleBinding', NODE_ACCESS_NAMES.kubeProxyConfig],
    ])
  })

  it.each(objects.map((object) => [`${object.kind} ${nameOf(object)}`, object] as const))(
    '%s is valid by the schemas of Kubernetes',
    (_, object) => {
      expect(problemsOf(object)).toEqual([])
    },
  )

  it('name each other: every role is there, or of every cluster', () => {
    const roles = ofKind(/Role$/).map((role) => `${role.kind} ${nameOf(role)}`)
    for (const {roleRef} of ofKind(/Binding$/) as readonly Binding[])
      expect([...roles, 'ClusterRole system:node-proxier']).toContain(`${roleRef.kind} ${roleRef.name}`)
  })

  it('have other names than the bindings that k8s-win advises for users and service accounts', () => {
    for (const object of objects) expect(['k8s-win-kube-proxy', 'k8s-win-flanneld']).not.toContain(nameOf(object))
  })

  it('are those of a fresh simulated cluster', () => {
    const fresh = makeCluster('v1.36.4')
    const names = Object.values<string>(NODE_ACCESS_NAMES)
    const sorted = (list: readonly RoleBinding[]): string[] => list.map((one) => JSON.stringify(sortedKeys(one))).sort()
    const held = fresh.roleBindings?.filter(({name}) => names.includes(name)) ?? []
    expect(sorted(held)).toEqual(sorted(roleBindings))
    for (const [name, rules] of Object.entries(clusterRoles)) {
      expect(fresh.clusterRoles?.[name]).toEqual(rules.map(({apiGroups: _, ...rule}) => rule))
    }
  })
})

const sortedKeys = (object: object): object =>
  Object.fromEntries(Object.entries(object).sort(([one], [other]) => (one < other ? -1 : 1)))

describe.each(MINORS)('on Kubernetes 1.%i a node', (minor) => {
  it.each(['kube-proxy', 'flanneld'] as const)('has what %s needs', (identity) => {
    const {optional, renewal, required} = NEEDS[identity]
    const needed = [...optional, ...renewal, ...required].filter(({since = 0}) => since <= minor)
    const refused = needed.filter(
      (permission) => !authorize(clusterWith(minor, roleBindings), NODE, accessFor(permission)).allowed,
    )
    expect(refused).toEqual([])
  })

  it('lacks something without them', () => {
    const {required} = NEEDS['kube-proxy']
    const cluster = clusterWith(minor, [])
    expect(required.every((permission) => authorize(cluster, NODE, accessFor(permission)).allowed)).toBe(false)
  })
})

const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection']
/** The resources that matter to a cluster's safety, and those that are granted. */
const RESOURCES: readonly [group: string, resource: string, name: string, namespace: string][] = [
  ['', 'configmaps', 'kube-flannel-cfg', 'kube-flannel'],
  ['', 'configmaps', 'other', 'kube-flannel'],
  ['', 'configmaps', 'kube-flannel-cfg', 'kube-system'],
  ['', 'configmaps', '', 'kube-flannel'],
  ['', 'configmaps', 'kube-proxy', 'kube-system'],
  ['', 'endpoints', '', ''],
  ['', 'events', '', 'default'],
  ['', 'namespaces', '', ''],
  ['', 'nodes', '', ''],
  ['', 'nodes', 'win-1', ''],
  ['', 'nodes', 'linux-1', ''],
  ['', 'nodes/proxy', 'linux-1', ''],
  ['', 'nodes/status', 'linux-1', ''],
  ['', 'pods', '', ''],
  ['', 'pods', 'other', 'default'],
  ['', 'pods/exec', 'other', 'default'],
  ['', 'secrets', '', 'kube-system'],
  ['', 'secrets', 'other', 'kube-flannel'],
  ['', 'serviceaccounts', '', 'kube-system'],
  ['', 'serviceaccounts/token', 'default', 'default'],
  ['', 'services', '', ''],
  ['apps', 'daemonsets', '', 'kube-flannel'],
  ['certificates.k8s.io', 'certificatesigningrequests', '', ''],
  ['certificates.k8s.io', 'certificatesigningrequests/approval', 'csr', ''],
  ['discovery.k8s.io', 'endpointslices', '', ''],
  ['events.k8s.io', 'events', '', 'default'],
  ['networking.k8s.io', 'servicecidrs', '', ''],
  ['rbac.authorization.k8s.io', 'clusterroles', '', ''],
  ['rbac.authorization.k8s.io', 'clusterrolebindings', '', ''],
  ['storage.k8s.io', 'csinodes', 'linux-1', ''],
]

/** "verb resource name namespace" of what only the objects allow. */
function granted(minor: number, identity: CallerIdentity): string[] {
  const [bare, withAccess] = [clusterWith(minor, []), clusterWith(minor, roleBindings)]
  return RESOURCES.flatMap(([group, resource, name, namespace]) =>
    VERBS.flatMap((verb) => {
      const access: Access = {group, name, namespace, resource, verb}
      const isAdded = authorize(withAccess, identity, access).allowed && !authorize(bare, identity, access).allowed
      return isAdded
        ? [[verb, group ? `${resource}.${group}` : resource, name, namespace].filter(Boolean).join(' ')]
        : []
    }),
  )
}

describe('nothing more is granted', () => {
  const EVERYWHERE = [
    'get configmaps kube-flannel-cfg kube-flannel',
    'get configmaps kube-proxy kube-system',
    'list endpoints',
    'watch endpoints',
    'list endpointslices.discovery.k8s.io',
    'watch endpointslices.discovery.k8s.io',
  ]
  const EVENTS = ['create', 'update', 'patch'].map((verb) => `${verb} events.events.k8s.io default`)
  const NODES = [
    'get nodes',
    'list nodes',
    'watch nodes',
    'get nodes linux-1',
    'list nodes linux-1',
    'watch nodes linux-1',
  ]
  const SERVICE_CIDRS = ['list servicecidrs.networking.k8s.io', 'watch servicecidrs.networking.k8s.io']

  it.each([
    // Before 1.32 every node reads every Node.
    [24, [...EVERYWHERE, ...EVENTS]],
    [31, [...EVERYWHERE, ...EVENTS, ...SERVICE_CIDRS]],
    [32, [...EVERYWHERE, ...EVENTS, ...NODES, ...SERVICE_CIDRS]],
    // From 1.35 on every node writes events of both groups.
    [36, [...EVERYWHERE, ...NODES, ...SERVICE_CIDRS]],
  ])('to nodes on 1.%i', (minor, expected) => {
    expect(granted(minor, NODE).sort()).toEqual([...expected].sort())
  })

  it.each(MINORS)('to bootstrap tokens on 1.%i than the configuration of flannel', (minor) => {
    expect(granted(minor, BOOTSTRAPPER)).toEqual(['get configmaps kube-flannel-cfg kube-flannel'])
  })
})
