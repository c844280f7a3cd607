// The network of the host: whether its address stays, whether the ranges of the cluster are free, whether frames may pass.
import {FLANNELD} from '../components/flanneld.js'
import {type Cidr, contains, formatCidr, networkOf, overlaps, parseAddress, parseCidr} from '../config/cidr.js'
import {cidrInUse} from '../errors/condition.js'
import {ProblemsError} from '../errors/k8s-win-error.js'
import type {Hardware} from '../host/condition.js'
import type {Adapter, Route} from '../machine/win32.js'
import {type Check, pass, warn} from './check.js'
import type {HostFacts} from './facts.js'

export const interfaceAddress: Check = {
  id: 'interface-address',
  async run(facts) {
    const {address, name} = await facts.interface()
    const adapter = (await facts.adapters()).find((one) => one.name === name)
    if (!adapter?.dhcp) return pass(`${address} is static`)
    return warn(
      `"${name}" has ${address} from DHCP`,
      'Reserve the address on the DHCP server, or make it static: the daemons and the other nodes use it.',
    )
  },
  title: 'Node address',
}

export const hostNetworks: Check = {
  id: 'host-networks',
  async run(facts) {
    const [adapters, routes, ours] = await Promise.all([
      facts.adapters(),
      facts.host.network.routes(),
      isOverlayOurs(facts),
    ])
    const {clusterCIDR, serviceCIDR} = facts.config
    // Once the overlay is up, the host has addresses and routes of its own pods.
    const cluster = ours ? [] : usesOf(clusterCIDR, adapters, routes)
    const service = usesOf(serviceCIDR, adapters, routes)
    const problems = [
      ...(cluster.length > 0 ? [cidrInUse({cidr: clusterCIDR, flag: 'cluster-cidr', seen: cluster.join(', ')})] : []),
      ...(service.length > 0 ? [cidrInUse({cidr: serviceCIDR, flag: 'service-cidr', seen: service.join(', ')})] : []),
    ]
    if (problems.length > 0) throw new ProblemsError(problems)
    return pass(`this host uses no addresses of ${clusterCIDR} or ${serviceCIDR}`)
  },
  title: 'Host networks',
}

/**
 * What of the host is in a range, in words. A route over a gateway that is wider than the range is none: the narrower
 * ones of the cluster come first. A network that an adapter is in counts however wide: its neighbours could not be told from pods.
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

/** Where the frames of pods may be dropped outside of the machine, and who lets them through (facts d.12.9). */
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

export const virtualMachine: Check = {
  id: 'virtual-machine',
  async run(facts) {
    const hardware = await facts.host.condition.hardware()
    const found = HYPERVISORS.find(({is}) => is(hardware))
    if (!found) return pass('no hypervisor that is known to drop pod traffic')
    // On a node that is set up people have seen by now whether pods reach each other.
    if (await isOverlayOurs(facts)) return pass(`a virtual machine of ${found.name}`)
    return warn(`this is a virtual machine of ${found.name}, which may drop pod traffic`, found.fix)
  },
  title: 'Virtual machine',
}

async function isOverlayOurs({config, host, journal}: HostFacts): Promise<boolean> {
  if (config.adopt && (await host.services.status(FLANNELD))) return true
  return journal.entries('overlay-network', 'network').length > 0 || host.services.isOurs(FLANNELD)
}
