// What only the cluster and HNS decide, told as such wherever the twin had to make something up.
import {isInside} from '../../config/cidr.js'
import type {World} from '../../simulator/world.js'

export const DECIDED_BY_CLUSTER = 'decided by the cluster'

const ADDRESS = /\b\d{1,3}(?:\.\d{1,3}){3}(?:\/\d{1,2})?\b/g
const IDENTIFIER = /\b[\dA-F]{8}(?:-[\dA-F]{4}){3}-[\dA-F]{12}\b/gi

export interface DecidedLater {
  /** Undefined until the node has one. */
  podCIDR(): string | undefined
  readonly replace: (text: string) => string
}

/** To be called before anything is done on the twin: what it has now is the host's and the cluster's. */
export function decidedLater(world: World, nodeName: string): DecidedLater {
  const current = (): string => world.cluster.nodes.find(({name}) => name === nodeName)?.podCIDR ?? ''
  const given = current()
  const {endpoints, networks, policyLists} = world.hns
  const known = new Set([...endpoints, ...networks, ...policyLists].map(({ID}) => String(ID).toUpperCase()))

  const replaceAddress = (address: string): string => {
    const podCIDR = current()
    if (given !== '' || podCIDR === '') return address
    if (address === podCIDR) return `<pod CIDR, ${DECIDED_BY_CLUSTER}>`
    // Of the node's own network nothing else is ever written down.
    return isInside(podCIDR, address) ? `<source VIP, ${DECIDED_BY_CLUSTER}>` : address
  }

  return {
    podCIDR: () => given || (current() === '' ? undefined : DECIDED_BY_CLUSTER),
    replace: (text) =>
      text
        .replaceAll(ADDRESS, replaceAddress)
        .replaceAll(IDENTIFIER, (id) => (known.has(id.toUpperCase()) ? id : '<id, decided by HNS>')),
  }
}
