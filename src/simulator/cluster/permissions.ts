// What an identity may do on the simulated cluster.
import type {ClusterState} from '../world.js'
import type {Identity} from './identity.js'
import {authorizeNode, nodeRestriction, type Opinion} from './node-authorizer.js'
import {type Access, allowingBinding} from './rbac.js'

/**
 * The entries are asked in their order, as --authorization-mode has it: "Node", "RBAC"; or "*", "get nodes", "* nodes",
 * "get *", which stand for an authorizer that allows just that.
 */
export function authorize(cluster: ClusterState, identity: Identity, access: Access): Opinion {
  const {groups, user} = identity
  // Before all authorizers (authorizerfactory.NewPrivilegedGroups), without a reason.
  if (groups.includes('system:masters')) return {allowed: true, reason: ''}
  const reasons: string[] = []
  const entries = entriesFor(cluster, user)
  // A pattern is for those who have proven who they are; a role may be bound to system:anonymous, too.
  const isAnonymous = groups.includes('system:unauthenticated')
  for (const entry of isAnonymous ? entries.filter((one) => one === 'RBAC') : entries) {
    const {allowed, reason} = opinionOf(entry, cluster, identity, access)
    if (allowed) return {allowed, reason}
    if (reason) reasons.push(reason)
  }

  return {allowed: false, reason: reasons.join('\n')}
}

/** Why NodeRestriction refuses a change, or undefined. It is on with the Node authorizer, as in kubeadm's clusters. */
export function admissionProblem(
  cluster: ClusterState,
  identity: Identity,
  ...[access, change]: [Parameters<typeof nodeRestriction>[1], Parameters<typeof nodeRestriction>[2]?]
): string | undefined {
  if (cluster.elsewhere || !entriesFor(cluster, identity.user).includes('Node')) return undefined
  return nodeRestriction(identity, access, change)
}

const entriesFor = ({permissions, permissionsOf}: ClusterState, user: string): readonly string[] =>
  permissionsOf?.[user] ?? permissions

function opinionOf(entry: string, cluster: ClusterState, identity: Identity, access: Access): Opinion {
  if (entry === 'Node') return authorizeNode(cluster, identity, access)
  if (entry === 'RBAC') {
    const binding = allowingBinding(cluster, identity, access)
    if (!binding) return {allowed: false, reason: ''}
    const {group, name, namespace, role, user} = binding
    const kind = namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding'
    const called = namespace === undefined ? name : `${name}/${namespace}`
    const subject = user === undefined ? `Group "${group}"` : `User "${user}"`
    return {allowed: true, reason: `RBAC: allowed by ${kind} "${called}" of ClusterRole "${role}" to ${subject}`}
  }

  const covers = (pattern: string | undefined, value: string): boolean => pattern === '*' || pattern === value
  const [verb, resource] = entry.split(' ')
  const allowed = entry === '*' || (covers(verb, access.verb) && covers(resource, access.resource))
  const reason = `RBAC: allowed by ClusterRoleBinding "simulated" of ClusterRole "simulated" to User "${identity.user}"`
  return {allowed, reason: allowed ? reason : ''}
}
