// Nodes that are changed and deleted through the API of the simulated cluster.
import {json, type ModelRequest, type ModelResponse, type Stage} from '../model.js'
import type {ClusterNode} from '../world.js'
import type {Identity} from './identity.js'
import {nodeObject} from './objects.js'
import {admissionProblem} from './permissions.js'
import {patchedConditions} from './node-conditions.js'
import type {Access} from './rbac.js'
import {badRequest, deleted, notAdmitted, notFound, readBody, unsupportedType} from './status.js'

const STRATEGIC = 'application/strategic-merge-patch+json'
const MERGE = 'application/merge-patch+json'

interface NodePatch {
  readonly metadata?: {
    readonly annotations?: Readonly<Record<string, string | null>>
    readonly labels?: Readonly<Record<string, string | null>>
  }
  readonly spec?: {readonly taints?: ClusterNode['taints'] | null; readonly unschedulable?: boolean | null}
  readonly status?: {readonly conditions?: readonly unknown[] | null}
}

export function changeNode({world}: Stage, request: ModelRequest, access: Access, identity: Identity): ModelResponse {
  const {cluster} = world
  const node = cluster.nodes.find(({name}) => name === access.name)
  if (!node) return notFound(access)
  const refused = admissionProblem(cluster, identity, access)
  if (refused !== undefined) return notAdmitted(access, refused)
  if (access.verb === 'delete') {
    cluster.nodes.splice(cluster.nodes.indexOf(node), 1)
    return deleted(access, nodeObject(world, node).metadata.uid)
  }

  const type = request.headers['content-type'] ?? ''
  // A merge patch of nodes/status would replace the list of conditions, which is not simulated.
  if (type !== STRATEGIC && (type !== MERGE || access.resource !== 'nodes')) return unsupportedType()
  const patch = readBody<NodePatch>(request)
  if (!patch) return badRequest('unexpected EOF')
  const after = patched(node, patch)
  const taints = {after: after.taints, before: node.taints}
  const forbids = admissionProblem(cluster, identity, access, {taints})
  if (forbids !== undefined) return notAdmitted(access, forbids)
  // Of nodes/status only the status counts, and of nodes all but that (registry/core/node/strategy.go, PrepareForUpdate).
  if (access.resource === 'nodes/status') {
    const conditions = patchedConditions(node.conditions ?? [], patch.status?.conditions ?? [], access)
    if (!Array.isArray(conditions)) return conditions
    Object.assign(after, {taints: node.taints, unschedulable: node.unschedulable})
    if (patch.status?.conditions !== undefined) after.conditions = conditions
  }

  cluster.nodes[cluster.nodes.indexOf(node)] = after
  return json(200, nodeObject(world, after))
}

/** A merge patch of labels, annotations, taints and unschedulable. null removes a key. */
function patched(before: ClusterNode, {metadata, spec}: NodePatch): ClusterNode {
  const node = structuredClone(before)
  merge(node.labels, metadata?.labels)
  merge(node.annotations, metadata?.annotations)
  if (spec?.taints !== undefined) node.taints = spec.taints ?? []
  if (spec?.unschedulable) node.unschedulable = true
  else if (spec?.unschedulable !== undefined) delete node.unschedulable
  return node
}

function merge(target: Record<string, string>, changes: Readonly<Record<string, string | null>> = {}): void {
  for (const [key, value] of Object.entries(changes)) {
    if (value === null) delete target[key]
    else target[key] = value
  }
}
