// The Node authorizer and its admission plugin: what a node may do, and to which objects.
import {isAtLeast} from '../versions.js'
import type {ClusterNode, ClusterState} from './state.js'
import {nodeRules} from './bootstrap-policy.js'
import type {Identity} from './identity.js'
import {type Access, rulesAllow} from './rbac.js'

export interface Opinion {
  readonly allowed: boolean
  readonly reason: string
}

const NONE: Opinion = {allowed: false, reason: ''}
const YES: Opinion = {allowed: true, reason: ''}
const PREFIX = 'system:node:'

/** pkg/auth/nodeidentifier/default.go: a node has both the name and the group. */
function nodeOf({groups, user}: Identity): string | undefined {
  return groups.includes('system:nodes') && user.startsWith(PREFIX) ? user.slice(PREFIX.length) : undefined
}

/** plugin/pkg/auth/authorizer/node/node_authorizer.go, Authorize. */
export function authorizeNode(cluster: ClusterState, identity: Identity, access: Access): Opinion {
  const node = nodeOf(identity)
  if (node === undefined) return NONE
  const {group, name, namespace, resource, verb} = access
  const denied = (reason: string): Opinion => ({allowed: false, reason})
  const [main, subresource] = resource.split('/')
  // AuthorizeNodeWithSelectors: beta and on in 1.32, locked in 1.34 (pkg/features/kube_features.go).
  const isSelective = subresource === undefined && isAtLeast(cluster.version, '1.32')
  switch (group === '' ? main : `${main}.${group}`) {
    case 'secrets':
    case 'configmaps': {
      if (!READS.includes(verb)) return denied('can only read resources of this type')
      if (subresource !== undefined) return denied('cannot read subresource')
      if (namespace === '') return denied('can only read namespaced object of this type')
      // Pods of the simulated cluster have no volumes, so no object is related to this node.
      return denied(name === '' ? 'No Object name found' : unrelated(node))
    }
    case 'nodes': {
      if (!isSelective || !READS.includes(verb) || name === node) break
      const which = name === '' ? 'read all nodes' : `read '${name}'`
      return denied(`node '${node}' cannot ${which}, only its own Node object`)
    }
    case 'pods': {
      if (!isSelective || !READS.includes(verb) || (verb !== 'get' && access.onNode === node)) break
      if (name === '') return denied('can only list/watch pods with spec.nodeName field selector')
      const pod = cluster.pods?.find((one) => one.name === name && one.namespace === namespace)
      return pod?.node === node ? YES : denied(unrelated(node))
    }
    case 'leases.coordination.k8s.io': {
      if (!OWN_VERBS.includes(verb)) return denied('can only get, create, update, patch, or delete a node lease')
      if (namespace !== LEASES) return denied(`can only access leases in the "${LEASES}" system namespace`)
      return verb === 'create' || name === node
        ? YES
        : denied('can only access node lease with the same name as the requesting node')
    }
    case 'csinodes.storage.k8s.io': {
      if (!OWN_VERBS.includes(verb)) return denied('can only get, create, update, patch, or delete a CSINode')
      return verb === 'create' || name === node
        ? YES
        : denied('can only access CSINode with the same name as the requesting node')
    }
    default:
  }

  return rulesAllow(nodeRules(cluster), access) ? YES : NONE
}

const LEASES = 'kube-node-lease'
const READS = ['get', 'list', 'watch']
const OWN_VERBS = ['get', 'create', 'update', 'patch', 'delete']
const unrelated = (node: string): string => `no relationship found between node '${node}' and this object`

/** What a request changes, as far as NodeRestriction judges it. */
interface NodeChange {
  /** Of a pod that is created. */
  readonly annotations?: Readonly<Record<string, string>>
  /** Where a pod runs that is deleted or evicted. */
  readonly podNode?: string
  /** A node's taints, where the request changes them. */
  readonly taints?: {after: ClusterNode['taints']; before: ClusterNode['taints']}
}

/**
 * plugin/pkg/admission/noderestriction/admission.go, admitNode, admitPod and admitPodEviction: why a change is refused that
 * the authorizers allow. The owner of a mirror pod is not checked.
 */
export function nodeRestriction(
  identity: Identity,
  {name, resource, verb}: Pick<Access, 'name' | 'resource' | 'verb'>,
  {annotations = {}, podNode, taints}: NodeChange = {},
): string | undefined {
  const node = nodeOf(identity)
  if (node === undefined) return undefined
  if (resource === 'pods/eviction' && podNode !== undefined && podNode !== node) {
    return `node ${node} can only evict pods with spec.nodeName set to itself`
  }

  if (resource === 'pods' && verb === 'create' && !(MIRROR in annotations)) {
    return `pod does not have "${MIRROR}" annotation, node "${node}" can only create mirror pods`
  }

  if (resource === 'pods' && podNode !== undefined && podNode !== node) {
    return `node "${node}" can only ${verb} pods with spec.nodeName set to itself`
  }

  if (resource !== 'nodes' && resource !== 'nodes/status') return undefined
  if (name !== node) return `node "${node}" is not allowed to modify node "${name}"`
  if (taints && JSON.stringify(taints.before) !== JSON.stringify(taints.after)) {
    return `node "${node}" is not allowed to modify taints`
  }

  return undefined
}

const MIRROR = 'kubernetes.io/config.mirror'
