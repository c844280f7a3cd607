// The RBAC authorizer (plugin/pkg/auth/authorizer/rbac/rbac.go).
import type {ClusterState, PolicyRule, RoleBinding} from './state.js'
import {BOOTSTRAP_BINDINGS, bootstrapRoles} from './bootstrap-policy.js'
import type {Identity} from './identity.js'

export interface Access {
  readonly group: string
  readonly name: string
  readonly namespace: string
  /** The value of spec.nodeName that a list of pods selects by. */
  readonly onNode?: string | undefined
  /** With its subresource, e.g. "nodes/status". */
  readonly resource: string
  readonly verb: string
}

/** A binding of the identity itself or of one of its groups. */
export function allowingBinding(
  cluster: ClusterState,
  {groups, user}: Identity,
  access: Access,
): RoleBinding | undefined {
  const roles: Readonly<Record<string, readonly PolicyRule[]>> = {...cluster.clusterRoles, ...bootstrapRoles(cluster)}
  return [...BOOTSTRAP_BINDINGS, ...(cluster.roleBindings ?? [])].find(
    ({group, namespace, role, user: bound}) =>
      (bound === user || (group !== undefined && groups.includes(group))) &&
      (namespace === undefined || namespace === access.namespace) &&
      rulesAllow(roles[role] ?? [], access),
  )
}

// RulesAllow, and ResourceMatches of pkg/apis/rbac/v1/evaluation_helpers.go: a subresource is a resource of its own,
// "nodes/status", and "*/status" is that of every resource.
export function rulesAllow(rules: readonly PolicyRule[], {group, name, resource, verb}: Access): boolean {
  const [, subresource] = resource.split('/')
  const covers = (list: readonly string[], value: string): boolean => list.includes('*') || list.includes(value)
  return rules.some(
    ({apiGroups = [''], resourceNames = [], resources, verbs}) =>
      covers(verbs, verb) &&
      covers(apiGroups, group) &&
      (covers(resources, resource) || (subresource !== undefined && resources.includes(`*/${subresource}`))) &&
      (resourceNames.length === 0 || resourceNames.includes(name)),
  )
}
