// The controller manager gives each new node the next /24 of the pod network.
import {formatAddress, parseCidr} from '../windows/names.js'
import type {World} from '../world.js'

/** Undefined if the cluster assigns none, or has none left. */
export function nextPodCIDR({cluster}: World): string | undefined {
  const network = cluster.allocateNodeCIDRs ? parseCidr(cluster.clusterCIDR) : undefined
  if (!network) return undefined
  const taken = new Set(cluster.nodes.map(({podCIDR}) => podCIDR))
  if (cluster.podCIDRHint !== undefined && !taken.has(cluster.podCIDRHint)) return cluster.podCIDRHint
  for (let base = network.base; base + 255 <= network.last; base += 256) {
    const candidate = `${formatAddress(base)}/24`
    if (!taken.has(candidate)) return candidate
  }

  return undefined
}
