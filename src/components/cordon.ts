// A node that somebody cordoned: it may be on purpose, so it is told and left as it is.
import type {ClusterNode} from '../host/cluster-objects.js'

/** What the API server puts on such a node. */
const CORDONED = 'node.kubernetes.io/unschedulable:NoSchedule'

export const isCordoned = (node: Pick<ClusterNode, 'taints'> | undefined): boolean =>
  node?.taints.includes(CORDONED) ?? false

export const cordoned = (name: string): string =>
  `${name} is cordoned: no new pods land on it until "kubectl uncordon ${name}"`
