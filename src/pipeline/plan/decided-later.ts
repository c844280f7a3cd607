// What the twin shows beside the steps: what daemons create once they run, and what only the cluster and HNS decide.
import {isInside} from '../../config/cidr.js'
import type {World} from '../../simulator/index.js'

export const DECIDED_BY_CLUSTER = 'decided by the cluster'

const ADDRESS = /\b\d{1,3}(?:\.\d{1,3}){3}(?:\/\d{1,2})?\b/g
const IDENTIFIER = /\b[\dA-F]{8}(?:-[\dA-F]{4}){3}-[\dA-F]{12}\b/gi

export interface DecidedLater {
  /** Undefined until the node has one. */
  podCIDR(): string | undefined
  readonly replace: (text: string) => string
}

/** Call it before anything is done on the twin: what that has now is the host's and the cluster's. */
export function decidedLater(world: World, nodeName: string): DecidedLater {
  const current = (): string => world.cluster.nodes.find(({name}) => name === nodeName)?.podCIDR ?? ''
  const given = current()
  const {endpoints, networks, policyLists} = world.hns
  const known = new Set([...endpoints, ...networks, ...policyLists].map(({ID}) => String(ID).toUpperCase()))

  const replaceAddress = (address: string): string => {
    const podCIDR = current()
    if (given !== '' || podCIDR === '') return address
    if (address === podCIDR) return `<pod CIDR, ${DECIDED_BY_CLUSTER}>`
    // Nothing else of the node's own network is ever written.
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

interface Overlay {
  readonly ID: string
  readonly Name: string
  readonly NetworkAdapterName?: string
  readonly Subnets?: readonly {
    readonly AddressPrefix?: string
    readonly Policies?: readonly {readonly Type: string; readonly VSID?: number}[]
  }[]
  readonly Type: string
}

/** Each call returns what is new since the last one. */
export function watchDaemons({cluster, hns}: World): () => string[] {
  const known = new Set([...hns.networks.map(({ID}) => String(ID)), ...cluster.nodes.map(({name}) => name)])
  const isNews = (id: string): boolean => !known.has(id) && known.add(id).has(id)
  return () => [
    ...cluster.nodes.filter(({name}) => isNews(name)).map(({name}) => `the kubelet registers the node ${name}`),
    ...(hns.networks as unknown as Overlay[]).filter(({ID}) => isNews(ID)).map(networkLine),
  ]
}

function networkLine({Name, NetworkAdapterName, Subnets, Type}: Overlay): string {
  const [subnet] = Subnets ?? []
  const vsid = subnet?.Policies?.find((policy) => policy.Type === 'VSID')?.VSID
  const parts = [
    Type,
    ...(subnet?.AddressPrefix ? [`subnet ${subnet.AddressPrefix}`] : []),
    ...(vsid === undefined ? [] : [`VSID ${vsid}`]),
    ...(NetworkAdapterName === undefined ? [] : [`over "${NetworkAdapterName}"`]),
  ]
  return `the HNS network ${Name} comes up: ${parts.join(', ')}`
}
