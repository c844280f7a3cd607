// The overlay network, as flanneld makes it on this node.
import {isInside} from '../config/cidr.js'
import {NETWORK_NAME, VXLAN_ID} from '../config/model.js'
import type {ClusterNode} from '../host/cluster/objects.js'
import type {HnsNetwork} from '../host/hns/objects.js'

/** 8: not persistent, in what HNS returns for a network (Azure/azure-container-networking#4355). */
const NON_PERSISTENT = 8

/** What of it is not as flanneld would make it, in words. A subnet that HNS or the cluster does not report does not differ. */
export function overlayDifferences(network: HnsNetwork, podCIDR: string | undefined): string[] {
  const subnet = subnetOf(network)
  const isOther = subnet !== undefined && podCIDR !== undefined && subnet !== podCIDR
  return [...wrongType(network), ...(isOther ? [`subnet ${subnet}`] : []), ...wrongNumber(network)]
}

/** Undefined where HNS does not report it: that says neither that it has another one nor that it has none. */
export const subnetOf = ({Subnets: subnets}: HnsNetwork): string | undefined => subnets?.[0]?.AddressPrefix || undefined

export const NO_SUBNET = `HNS does not report the subnet of ${NETWORK_NAME}`

/** Of an address and a subnet that HNS may not report: no address is outside of an unknown one, and none is inside. */
export const isOutside = (subnet: string | undefined, address: string): boolean =>
  subnet !== undefined && !isInside(subnet, address)

/** Undefined where HNS does not report it. */
export const vsidOf = ({Subnets: subnets}: HnsNetwork): number | undefined =>
  subnets?.[0]?.Policies?.find(({Type}) => Type === 'VSID')?.VSID

/** Undefined where the cluster has no such node, or has assigned it no pod network. */
export const podCIDROf = (node: Pick<ClusterNode, 'podCIDR'> | undefined): string | undefined =>
  node?.podCIDR || undefined

/**
 * Why flanneld of this node did not create a network of this name, in words, whatever its subnet: a node gets another pod
 * network, but neither k8s-win nor flanneld creates a network of another type. The number of External says nothing.
 */
export function foreignTraits(network: HnsNetwork): string[] {
  return [...wrongType(network), ...(network.Name === NETWORK_NAME ? wrongNumber(network) : [])]
}

const wrongType = ({Type: type}: HnsNetwork): string[] => (type.toLowerCase() === 'overlay' ? [] : [`type ${type}`])

function wrongNumber(network: HnsNetwork): string[] {
  const vsid = vsidOf(network)
  return vsid === undefined || vsid === VXLAN_ID ? [] : [`VSID ${vsid}`]
}

/**
 * Other nodes drop the route to a node without it. flanneld publishes its lease twice, first without the MAC address, and on
 * a network that was there already the second time may be lost (vxlan_windows.go, RegisterNetwork; kube.go, AcquireLease);
 * a node that was deleted and registered again has no annotation at all. A restart of flanneld publishes it.
 */
export const hasNoVtepMac = ({vtepMac}: Pick<ClusterNode, 'vtepMac'>): boolean => vtepMac === ''

/**
 * Of a flanneld that was started with another net-conf.json: it keeps the network that is there, with its VSID, and publishes the
 * VNI of the file, in which other nodes send what HNS then drops (device_windows.go, ensureNetwork). Undefined where it fits.
 */
export const otherVni = ({vni}: Pick<ClusterNode, 'vni'>): number | undefined => (vni === VXLAN_ID ? undefined : vni)

/** One that flannel 0.11 made stays over a restart and has no host route; a newer flanneld would take it as it is. */
export const isOfOldFlannel = (network: HnsNetwork): boolean => isPersistent(network) === true

/** Undefined where HNS does not report it: it does not leave out a zero (projectcalico/calico#8465, "Flags=0"). */
const isPersistent = ({Flags: flags}: HnsNetwork): boolean | undefined =>
  typeof flags === 'number' ? (flags & NON_PERSISTENT) === 0 : undefined

/** As flanneld creates it, whatever its subnet: an overlay with the VNI of the network that does not survive a restart. */
export function isMadeByFlanneld(network: HnsNetwork): boolean {
  return subnetOf(network) !== undefined && foreignTraits(network).length === 0 && isPersistent(network) === false
}
