// curl.exe in a pod of this node: the exit code that it has in the present state of the network (the section EXIT CODES of its
// manual). It is in nanoserver and servercore since 1803 (StefanScherer/dockerfiles-windows, curl).
import {readyAddresses} from '../../cluster/objects.js'
import type {Stage} from '../../model.js'
import {parseAddress, parseCidr, sameName} from '../../windows/names.js'
import {endpointsOf, isHnsRunning, isOverlay, networksOf, policyListsOf} from '../../windows/hns-objects.js'
import type {World} from '../../world.js'

const OK = 0
const NO_URL = 2
const NOT_RESOLVED = 6
const REFUSED = 7
const TIMED_OUT = 28
const [TCP, UDP] = [6, 17]
const DNS_PORT = 53
/** Of CoreDNS: DNS, and its metrics (kubernetes, cmd/kubeadm/app/phases/addons/dns/manifests.go). */
const DNS_PORTS = [DNS_PORT, 9153]

export const isCurl = (program: string): boolean => /^(?:c:\\windows\\system32\\)?curl(?:\.exe)?$/i.test(program)

/** `dnsServer`: the first address of the kubelet's clusterDNS. */
export function curlExitCode({now, world}: Stage, args: readonly string[], dnsServer: string): number {
  const target = args.find((one) => /^https?:/.test(one) && URL.canParse(one))
  if (target === undefined) return NO_URL
  const {hostname, port, protocol} = new URL(target)
  const isName = parseAddress(hostname) === undefined
  if (now() < world.os.offlineUntil) return isName ? NOT_RESOLVED : TIMED_OUT
  const address = isName ? resolve(world, dnsServer, hostname) : hostname
  if (address === undefined) return NOT_RESOLVED
  return connect(world, address, Number(port) || (protocol === 'https:' ? 443 : 80))
}

function resolve(world: World, server: string, name: string): string | undefined {
  if (!isBehind(world, server, DNS_PORT, UDP)) return undefined
  const {configMaps, services} = world.cluster
  const kubeadm = configMaps.find((one) => one.name === 'kubeadm-config')?.data['ClusterConfiguration'] ?? ''
  const domain = /dnsDomain: (\S+)/.exec(kubeadm)?.[1] ?? 'cluster.local'
  const found = services.find((one) => sameName(name, `${one.name}.${one.namespace}.svc.${domain}`))
  return found?.clusterIP
}

/** To an address of a Service, a pod, or anything else: what nothing answers is not refused but dropped. */
function connect(world: World, address: string, port: number): number {
  if (isBehind(world, address, port, TCP)) return OK
  const {cluster} = world
  const isDnsPod = cluster.services.some(
    (service) => /dns/.test(service.name) && readyAddresses(cluster, service).includes(address),
  )
  if (!isDnsPod || !isOnOverlay(world, address)) return TIMED_OUT
  return DNS_PORTS.includes(port) ? OK : REFUSED
}

/**
 * Whether HNS has a load balancer for this address, and its first backend is there. Without one, or with a backend that is gone,
 * the packets are lost. It outlives kube-proxy.
 */
function isBehind(world: World, address: string, port: number, protocol: number): boolean {
  if (!isHnsRunning(world)) return false
  const list = policyListsOf(world).find(({Policies = []}) =>
    Policies.some(
      (policy) =>
        (policy['VIPs'] as string[] | undefined)?.includes(address) &&
        policy['ExternalPort'] === port &&
        policy['Protocol'] === protocol,
    ),
  )
  const [reference = ''] = list?.References ?? []
  const backend = endpointsOf(world).find(({ID}) => sameName(reference, `/endpoints/${ID}`))?.IPAddress
  const service = world.cluster.services.find(({clusterIP}) => clusterIP === address)
  if (backend === undefined || !service || !readyAddresses(world.cluster, service).includes(backend)) return false
  return isOnOverlay(world, backend) || isServer(world, backend)
}

const isServer = ({cluster}: World, address: string): boolean =>
  cluster.reachable && new URL(cluster.serverURL).hostname === address

/** A pod of another node, whose flanneld has the same network identifier as this node's. */
function isOnOverlay(world: World, address: string): boolean {
  const value = parseAddress(address) ?? 0
  const remote = world.cluster.nodes.find(({podCIDR}) => {
    const cidr = parseCidr(podCIDR)
    return cidr !== undefined && value >= cidr.base && value <= cidr.last
  })
  const data = remote?.annotations['flannel.alpha.coreos.com/backend-data'] ?? '{}'
  const {VNI} = JSON.parse(data) as {VNI?: number}
  const policies = networksOf(world)
    .filter(isOverlay)
    .flatMap(({Subnets = []}) => Subnets.flatMap(({Policies = []}) => Policies))
  return VNI !== undefined && policies.some((policy) => policy['VSID'] === VNI)
}
