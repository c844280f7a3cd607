// A cordoned node: it may be on purpose, so it is reported and not changed.
import {pasted} from '../errors/define.js'
import type {ClusterNode} from '../host/cluster/objects.js'

/** By its specification: the taint comes a moment later, from a controller, and is not the scheduler's only reason. */
export const isCordoned = (node: Pick<ClusterNode, 'isUnschedulable'> | undefined): boolean =>
  node?.isUnschedulable ?? false

export const cordoned = (name: string): string =>
  `${name} is cordoned: no new pods are scheduled on it until "kubectl uncordon ${pasted(name)}"`

export const cordonedByUpgrade = (name: string): string =>
  `${name} is cordoned: no new pods are scheduled on it until the unfinished upgrade is resumed or undone`

export const uncordon = (name: string): string =>
  `Run "kubectl uncordon ${pasted(name)}", unless it was cordoned on purpose.`
