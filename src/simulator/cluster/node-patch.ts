// PATCH of a node: a merge patch of labels, annotations, taints and unschedulable. null removes a key.
import type {ModelRequest} from '../model.js'
import type {ClusterNode} from '../world.js'
import {readBody} from './status.js'

interface NodePatch {
  readonly metadata?: {
    readonly annotations?: Readonly<Record<string, string | null>>
    readonly labels?: Readonly<Record<string, string | null>>
  }
  readonly spec?: {readonly taints?: ClusterNode['taints'] | null; readonly unschedulable?: boolean | null}
}

/** Returns what is wrong with the patch, or undefined. */
export function patchNode(node: ClusterNode, request: ModelRequest): string | undefined {
  const patch = readBody<NodePatch>(request)
  if (!patch) return 'unexpected EOF'
  merge(node.labels, patch.metadata?.labels)
  merge(node.annotations, patch.metadata?.annotations)
  if (patch.spec?.taints !== undefined) node.taints = patch.spec.taints ?? []
  if (patch.spec?.unschedulable) node.unschedulable = true
  else if (patch.spec?.unschedulable !== undefined) delete node.unschedulable
  return undefined
}

function merge(target: Record<string, string>, changes: Readonly<Record<string, string | null>> = {}): void {
  for (const [key, value] of Object.entries(changes)) {
    if (value === null) delete target[key]
    else target[key] = value
  }
}
