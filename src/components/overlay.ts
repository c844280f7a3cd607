// The overlay network, as flanneld makes it on this node.
import {NETWORK_NAME, VXLAN_ID} from '../config/model.js'
import type {ClusterNode} from '../host/cluster/objects.js'
import type {HnsNetwork} from '../host/hns/objects.js'

/** 8: not persistent, in what HNS returns for a network (Azure/azure-container-networking#4355). */
const NON_PERSISTENT = 8

/** What of it is not as flanneld would make it, in words. */
export function overlayDifferences(network: HnsNetwork, podCIDR: string): string[] {
  const subnet = network.Subnets?.[0]?.AddressPrefix
  return [...wrongType(network), ...(subnet === podCIDR ? [] : [`subnet ${subnet ?? 'none'}`]), ...wrongNumber(network)]
}

/**
 * Why flanneld of this node did not create a network of this name, in words, whatever its subnet: a node gets another pod
 * network, but neither k8s-win nor flanneld creates a network of another type. The number of External says nothing.
 */
export function foreignTraits(network: HnsNetwork): string[] {
  return [...wrongType(network), ...(network.Name === NETWORK_NAME ? wrongNumber(network) : [])]
}

const wrongType = ({Type: type}: HnsNetwork): string[] => (type.toLowerCase() === 'overlay' ? [] : [`type ${type}`])

function wrongNumber({Subnets: subnets}: HnsNetwork): string[] {
  const vsid = subnets?.[0]?.Policies?.find((policy) => policy.Type === 'VSID')?.VSID
  return vsid === undefined || vsid === VXLAN_ID ? [] : [`VSID ${vsid}`]
}

/**
 * Other nodes drop the route to a node without it. flanneld publishes its lease twice, first without the MAC address, and on
 * a network that was there already the second time may be lost (vxlan_windows.go, RegisterNetwork; kube.go, AcquireLease);
 * a node that was deleted and registered again has no annotation at all. A restart of flanneld publishes it.
 */
export const hasNoVtepMac = ({vtepMac}: Pick<ClusterNode, 'vtepMac'>): boolean => vtepMac === ''

/** One that flannel 0.11 made stays over a restart and has no host route; a newer flanneld would take it as it is. */
export function isOfOldFlannel(network: HnsNetwork): boolean {
  return ((network.Flags ?? 0) & NON_PERSISTENT) === 0
}

/** As flanneld creates it, whatever its subnet: an overlay with the VNI of the network that does not survive a restart. */
export function isMadeByFlanneld(network: HnsNetwork): boolean {
  const subnet = network.Subnets?.[0]?.AddressPrefix ?? ''
  return overlayDifferences(network, subnet).length === 0 && !isOfOldFlannel(network)
}
