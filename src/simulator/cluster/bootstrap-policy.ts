// Default roles and bindings of every API server (plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go),
// as far as they concern a node; from 1.21 on, with what later ones add.
import {isAtLeast} from '../versions.js'
import {serviceCIDRVersion} from './objects.js'
import type {ClusterState, PolicyRule, RoleBinding} from './state.js'

const READ = ['get', 'list', 'watch']
const OWN_OBJECTS = ['get', 'create', 'update', 'patch', 'delete']
const rule = (verbs: readonly string[], apiGroup: string, ...resources: readonly string[]): PolicyRule => ({
  apiGroups: [apiGroup],
  resources,
  verbs,
})

/** func eventsRule() */
const EVENTS: PolicyRule = {
  apiGroups: ['', 'events.k8s.io'],
  resources: ['events'],
  verbs: ['create', 'update', 'patch'],
}

/** func NodeRules(): what the Node authorizer grants every node; from 1.35 on its events may be of both groups. */
export const nodeRules = ({version}: Pick<ClusterState, 'version'>): readonly PolicyRule[] =>
  isAtLeast(version, '1.35') ? [...NODE_RULES, EVENTS] : NODE_RULES

/** Of 1.21, without those for volumes and for tokens of service accounts. A node may not delete a node, not even its own. */
const NODE_RULES: readonly PolicyRule[] = [
  rule(['create'], 'authentication.k8s.io', 'tokenreviews'),
  rule(['create'], 'authorization.k8s.io', 'subjectaccessreviews', 'localsubjectaccessreviews'),
  rule(READ, '', 'services'),
  rule(['create', ...READ], '', 'nodes'),
  rule(['update', 'patch'], '', 'nodes/status'),
  rule(['update', 'patch'], '', 'nodes'),
  rule(['create', 'update', 'patch'], '', 'events'),
  rule(READ, '', 'pods'),
  rule(['create', 'delete'], '', 'pods'),
  rule(['update', 'patch'], '', 'pods/status'),
  rule(['create'], '', 'pods/eviction'),
  rule(READ, '', 'secrets', 'configmaps'),
  rule(['get'], '', 'endpoints'),
  rule(['create', ...READ], 'certificates.k8s.io', 'certificatesigningrequests'),
  rule(OWN_OBJECTS, 'coordination.k8s.io', 'leases'),
  rule(OWN_OBJECTS, 'storage.k8s.io', 'csinodes'),
]

/** func NodeProxierRules: with the feature gate MultiCIDRServiceAllocator kube-proxy lists ServiceCIDRs, too. */
export function bootstrapRoles(cluster: ClusterState): Readonly<Record<string, readonly PolicyRule[]>> {
  const roles = {...BOOTSTRAP_ROLES, 'system:node': nodeRules(cluster)}
  if (serviceCIDRVersion(cluster) === undefined) return roles
  const {'system:node-proxier': proxier = []} = BOOTSTRAP_ROLES
  const listed = rule(['list', 'watch'], 'networking.k8s.io', 'servicecidrs')
  return {...roles, 'system:node-proxier': [...proxier, listed]}
}

const BOOTSTRAP_ROLES: Readonly<Record<string, readonly PolicyRule[]>> = {
  'cluster-admin': [{apiGroups: ['*'], resources: ['*'], verbs: ['*']}],
  'system:basic-user': [rule(['create'], 'authorization.k8s.io', 'selfsubjectaccessreviews')],
  'system:certificates.k8s.io:certificatesigningrequests:nodeclient': [
    rule(['create'], 'certificates.k8s.io', 'certificatesigningrequests/nodeclient'),
  ],
  'system:certificates.k8s.io:certificatesigningrequests:selfnodeclient': [
    rule(['create'], 'certificates.k8s.io', 'certificatesigningrequests/selfnodeclient'),
  ],
  'system:node-bootstrapper': [rule(['create', ...READ], 'certificates.k8s.io', 'certificatesigningrequests')],
  'system:node-proxier': [
    rule(['list', 'watch'], '', 'services', 'endpoints'),
    rule(READ, '', 'nodes'),
    EVENTS,
    rule(['list', 'watch'], 'discovery.k8s.io', 'endpointslices'),
  ],
}

/** system:node has no subjects: the Node authorizer replaces it since 1.8. */
export const BOOTSTRAP_BINDINGS: readonly RoleBinding[] = [
  {group: 'system:masters', name: 'cluster-admin', role: 'cluster-admin'},
  {group: 'system:authenticated', name: 'system:basic-user', role: 'system:basic-user'},
  {name: 'system:node-proxier', role: 'system:node-proxier', user: 'system:kube-proxy'},
]
