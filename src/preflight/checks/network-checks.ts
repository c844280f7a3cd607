// Checks of the host's network: its address, conflicts with the ranges of the cluster, and hypervisors that drop frames.
import {
  type Cidr,
  cidrsOf,
  contains,
  formatCidr,
  networkOf,
  overlaps,
  parseAddress,
  parseCidr,
} from '../../config/cidr.js'
import {FLANNELD} from '../../config/model.js'
import {cidrInUse} from '../../errors/condition.js'
import {ProblemsError} from '../../errors/k8s-win-error.js'
import type {Hardware} from '../../host/condition.js'
import type {Adapter, Route} from '../../machine/win32.js'
import {check, type Check, pass, warn} from '../check.js'
import type {Facts} from '../facts.js'

const interfaceAddress = check(
  'interface-address',
  {area: 'host', on: 'host', title: 'Node address'},
  async (facts) => {
    const {address, name} = await facts.interface()
    const adapter = (await facts.adapters()).find((one) => one.name === name)
    if (!adapter?.dhcp) return pass(`${address} is static`)
    return warn(
      `"${name}" has ${address} from DHCP`,
      'Reserve the address on the DHCP server, or make it static: the daemons and the other nodes use it.',
    )
  },
)

const hostNetworks = check('host-networks', 'Host networks', async (facts) => {
  const [adapters, routes, isOwnOverlay] = await Promise.all([
    facts.adapters(),
    facts.host.network.routes(),
    isOverlayOurs(facts),
  ])
  const {clusterCIDR, serviceCIDR} = facts.config
  // With the overlay network the host has addresses and routes of its own pods.
  const cluster = isOwnOverlay ? [] : usesOf(clusterCIDR, adapters, routes)
  const service = cidrsOf(serviceCIDR).flatMap((one) => usesOf(one, adapters, routes))
  const problems = [
    ...(cluster.length > 0 ? [cidrInUse({cidr: clusterCIDR, flag: 'cluster-cidr', seen: cluster.join(', ')})] : []),
    ...(service.length > 0 ? [cidrInUse({cidr: serviceCIDR, flag: 'service-cidr', seen: service.join(', ')})] : []),
  ]
  if (problems.length > 0) throw new ProblemsError(problems)
  return pass(`this host uses no addresses of ${clusterCIDR} or ${serviceCIDR}`)
})

/**
 * Describes the addresses and routes of the host in a range. A route over a gateway that is wider than the range does not
 * count, because the narrower routes of the cluster take precedence. The network of an adapter always counts, because its
 * neighbours could not be distinguished from pods.
 */
export function usesOf(range: string, adapters: readonly Adapter[], routes: readonly Route[]): string[] {
  const wanted = parseCidr(range)
  if (!wanted) return []
  const isIn = (address: string): boolean => contains(wanted, parseAddress(address) ?? -1)
  const uses = adapters.flatMap(({addresses, dnsServers, gateways, name}) => [
    ...addresses
      .map(({address, prefixLength}) => parseCidr(`${address}/${prefixLength}`))
      .filter((own): own is Cidr => own !== undefined && overlaps(own, wanted))
      .map((own) => `network ${formatCidr(networkOf(own))} of "${name}"`),
    ...gateways.filter(isIn).map((gateway) => `gateway ${gateway} of "${name}"`),
    ...dnsServers.filter(isIn).map((server) => `DNS server ${server} of "${name}"`),
  ])
  const own = new Set(adapters.map(({index}) => index))
  const beyond = routes
    .filter(({interfaceIndex, nextHop}) => nextHop !== '0.0.0.0' && own.has(interfaceIndex))
    .filter(({destination}) => {
      const route = parseCidr(destination)
      return route !== undefined && route.prefix >= wanted.prefix && overlaps(route, wanted)
    })
    .map(({destination, nextHop}) => `route ${destination} via ${nextHop}`)
  return [...new Set([...uses, ...beyond])]
}

/** Hypervisors that can drop the frames of pods, and the setting that allows them (docs/facts.md#virtual-switch). */
const HYPERVISORS: readonly {fix: string; is: (seen: Hardware) => boolean; name: string}[] = [
  {
    fix: 'If pods cannot reach other nodes, run "Set-VMNetworkAdapter -VMName <vm> -MacAddressSpoofing On" on its host.',
    is: ({azure, manufacturer, product}) =>
      !azure && /^microsoft/i.test(manufacturer) && /^virtual machine/i.test(product),
    name: 'Hyper-V',
  },
  {
    fix: 'Allow forged transmits and MAC address changes in its port group; NSX must allow UDP 4789.',
    is: ({manufacturer}) => /^vmware/i.test(manufacturer),
    name: 'VMware',
  },
  {
    fix: 'Set the promiscuous mode of its network adapter to "Allow All".',
    is: ({manufacturer, product}) => /^innotek/i.test(manufacturer) || /^virtualbox/i.test(product),
    name: 'VirtualBox',
  },
  {
    fix: 'Disable port security on its port, or allow the addresses of the cluster.',
    is: ({manufacturer, product}) => /openstack/i.test(`${manufacturer} ${product}`),
    name: 'OpenStack',
  },
]

const virtualMachine = check('virtual-machine', {on: 'host', title: 'Virtual machine'}, async (facts) => {
  const hardware = await facts.host.condition.hardware()
  const found = HYPERVISORS.find(({is}) => is(hardware))
  if (!found) return pass('no hypervisor that is known to drop pod traffic')
  // On a node that is set up its users know whether pods reach each other.
  if (await isOverlayOurs(facts)) return pass(`a virtual machine of ${found.name}`)
  return warn(`this is a virtual machine of ${found.name}, which may drop pod traffic`, found.fix)
})

async function isOverlayOurs({config, host, journal}: Facts): Promise<boolean> {
  if (config.adopt && (await host.services.status(FLANNELD))) return true
  return journal.entries('overlay-network', 'network').length > 0 || host.services.isOurs(FLANNELD)
}

export const NETWORK_CHECKS: readonly Check[] = [interfaceAddress, hostNetworks, virtualMachine]
