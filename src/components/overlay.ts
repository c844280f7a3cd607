// The overlay network, as flanneld makes it on this node.
import {VXLAN_ID} from '../config/model.js'
import type {HnsNetwork} from '../host/hns-objects.js'

/** 8: not persistent. HNS tells it of a network (Azure/azure-container-networking#4355). */
const NON_PERSISTENT = 8

/** What of it is not as flanneld would make it, in words. */
export function overlayDifferences(network: HnsNetwork, podCIDR: string): string[] {
  const subnet = network.Subnets?.[0]
  const vsid = subnet?.Policies?.find((policy) => policy.Type === 'VSID')?.VSID
  return [
    ...(network.Type.toLowerCase() === 'overlay' ? [] : [`type ${network.Type}`]),
    ...(subnet?.AddressPrefix === podCIDR ? [] : [`subnet ${subnet?.AddressPrefix ?? 'none'}`]),
    ...(vsid === undefined || vsid === VXLAN_ID ? [] : [`VSID ${vsid}`]),
  ]
}

/** One that flannel 0.11 made stays over a restart and has no host route; a newer flanneld would take it as it is. */
export function isOfOldFlannel(network: HnsNetwork): boolean {
  return ((network.Flags ?? 0) & NON_PERSISTENT) === 0
}

/** As flanneld makes it, whatever its subnet: an overlay of our network's number that does not outlive a restart. */
export function isMadeByFlanneld(network: HnsNetwork): boolean {
  const subnet = network.Subnets?.[0]?.AddressPrefix ?? ''
  return overlayDifferences(network, subnet).length === 0 && !isOfOldFlannel(network)
}
