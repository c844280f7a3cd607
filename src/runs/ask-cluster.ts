// What the cluster reports about itself where the options leave it open: its networks, its DNS and its version. Reads only.
import {openBootstrap} from '../components/bootstrap-kubeconfig.js'
import {kubeconfigOf} from '../components/identity.js'
import {parseCidr} from '../config/cidr.js'
import {serverMinor} from '../config/choose-release.js'
import type {Answers, Reported} from '../config/decide.js'
import type {Asked, Decided} from '../config/model.js'
import {
  address,
  clusterCIDR,
  domain,
  featureGate,
  type OptionParser,
  serviceCIDR,
} from '../config/options/parse-option.js'
import {NEWEST_MINOR} from '../config/version.js'
import {clusterBusy, serverUnreachable} from '../errors/cluster.js'
import {K8sWinError} from '../errors/k8s-win-error.js'
import type {Cluster} from '../host/cluster/cluster.js'
import {
  KUBE_PROXY_CONFIG,
  KUBEADM_CONFIG,
  kubeletConfigs,
  readKubeadmNetworking,
  readKubeletConfig,
  readKubeProxyGates,
} from '../host/cluster/kubeadm-config.js'
import {kubeconfigAt} from '../host/cluster/kubeconfig-file.js'
import type {Host} from '../host/host.js'
import {unlessForbidden} from '../preflight/facts.js'
import {FLANNEL_CONFIG, flannelNetwork} from '../preflight/checks/flannel-checks.js'

/** The token's way to the cluster, or why there is none. */
export type Joined = Pick<Decided, 'bootstrap' | 'joinProblem'>

/** A cluster that does not answer is reported by the checks, which have more time. */
export const ASKING_MS = 10_000

/** A kubeconfig that cannot be used, or an identity that is rejected, stays so: the checks report it. */
export const isPassing = (error: unknown): boolean =>
  !(error instanceof K8sWinError) || serverUnreachable.is(error) || clusterBusy.is(error)

export async function askCluster(
  asked: Asked,
  {bootstrap, joinProblem}: Joined,
  host: Host,
  isReleaseOpen: boolean,
): Promise<Answers> {
  const isOpen = [asked.clusterCIDR, asked.clusterDomain, asked.serviceCIDR].includes(undefined)
  // Also where the certificate was issued before: a setup that did not finish has stored nothing of what it learned.
  const isJoining = bootstrap !== undefined || (asked.join !== undefined && !asked.isStored)
  const isDNSOpen = isJoining && asked.clusterDNS === undefined
  if (joinProblem || !(isOpen || isReleaseOpen || isDNSOpen) || (asked.isStored && !isDNSOpen)) return {}
  const path = asked.identityFiles.kubelet ?? asked.kubeconfig ?? kubeconfigOf(asked, 'kubelet')
  const opened = host.cluster(await (bootstrap ? openBootstrap(bootstrap) : kubeconfigAt(host, path)))
  const cluster = bootstrap ? {...opened, may: mayToken(opened)} : opened
  // A node that was set up with a kubeconfig asked for the Service, which a token may not.
  if (asked.isStored) return pickDNS(await askConfigurations(cluster))
  const [networks, dns, chosen] = await Promise.all([
    isOpen ? askNetworks(cluster) : {},
    isJoining ? askConfigurations(cluster) : {},
    isReleaseOpen ? askVersion(cluster) : {},
  ])
  return {...dns, ...networks, ...chosen}
}

/** kubeadm lets its tokens read the ConfigMaps that are asked for here. */
const mayToken =
  ({may}: Cluster): Cluster['may'] =>
  async (access) =>
    access.resource === 'configmaps' || may(access)

const pickDNS = ({clusterDNS}: Answers): Answers => (clusterDNS ? {clusterDNS} : {})

/** A bootstrap token may not list Services, but it may read how the cluster's kubelets and kube-proxies are configured. */
async function askConfigurations(cluster: Cluster): Promise<Answers> {
  const {version} = await cluster.about()
  const proxy = await askConfigMap(cluster, KUBE_PROXY_CONFIG)
  const kubelets = await askKubeletConfig(cluster, version)
  const isMeant = (one: string): boolean => !OF_LOGGING.test(one)
  const ofProxies = readKubeProxyGates(proxy['config.conf'] ?? '').filter(isMeant)
  const ofKubelets = (kubelets?.featureGates ?? []).filter(isMeant)
  // The later ones win: those of the kubelets.
  const gates = Object.fromEntries(
    [...ofProxies, ...ofKubelets].map((one) => featureGate(one)).flatMap((one) => ('value' in one ? [one.value] : [])),
  )
  const where = [
    ...(ofProxies.length > 0 ? [whereOf(KUBE_PROXY_CONFIG)] : []),
    ...(kubelets && ofKubelets.length > 0 ? [kubelets.where] : []),
  ].join(', ')
  return {
    ...kubelets?.answers,
    ...(Object.keys(gates).length > 0 && {featureGates: {value: gates, where}}),
    serverVersion: version,
  }
}

/** Not known to every daemon: kube-proxy before 1.26 does not start with them (logsapi.AddFeatureGates). */
const OF_LOGGING = /^(?:ContextualLogging|Logging\w+Options)=/

interface KubeletConfig {
  readonly answers: Answers
  readonly featureGates: readonly string[]
  readonly where: string
}

/** Undefined where the cluster has none that says anything of use. */
async function askKubeletConfig(cluster: Cluster, version: string): Promise<KubeletConfig | undefined> {
  const minor = serverMinor(version) ?? NEWEST_MINOR
  for (const place of kubeletConfigs(minor)) {
    const data = await askConfigMap(cluster, place)
    const {clusterDNS, clusterDomain, featureGates} = readKubeletConfig(data['kubelet'] ?? '')
    const where = whereOf(place)
    // The address of a cache on Linux nodes (169.254.20.10) is not one: nothing listens there on Windows.
    const [dns] = clusterDNS.flatMap((one) => reported('clusterDNS', address, one, where) ?? [])
    const answers = {...dns, ...reported('clusterDomain', domain, clusterDomain, where)}
    if (Object.keys(answers).length + featureGates.length > 0) return {answers, featureGates, where}
  }
  return undefined
}

export const askVersion = async (cluster: Cluster): Promise<Pick<Answers, 'serverVersion'>> => ({
  serverVersion: (await cluster.about()).version,
})

/** Objects of the API server itself come before kubeadm's record of how it was started. */
async function askNetworks(cluster: Cluster): Promise<Answers> {
  const serviceCIDRs = await askServiceCIDRs(cluster)
  const kubeadm = await askKubeadm(cluster)
  return {...kubeadm, ...(kubeadm.clusterCIDR ? {} : await askFlannel(cluster)), ...serviceCIDRs}
}

/** The API server's own network is first; other ServiceCIDRs add to it. */
async function askServiceCIDRs(cluster: Cluster): Promise<Answers> {
  const access = {group: 'networking.k8s.io', resource: 'servicecidrs', verb: 'list'}
  if (!(await cluster.may(access))) return {}
  const all = await cluster.serviceCIDRs()
  const own = all.find(({name}) => name === 'kubernetes')
  const found = [...(own ? [own] : []), ...all.filter((one) => one !== own)].flatMap(
    ({cidrs, name}) => reported('serviceCIDR', serviceCIDR, ipv4Of(cidrs), name)?.serviceCIDR ?? [],
  )
  if (!own || found[0]?.where !== own.name) return {}
  const value = [...new Set(found.map((one) => one.value))].join(',')
  return {serviceCIDR: {value, where: `ServiceCIDR ${found.map(({where}) => where).join(', ')}`}}
}

async function askKubeadm(cluster: Cluster): Promise<Answers> {
  const data = await askConfigMap(cluster, KUBEADM_CONFIG)
  const {dnsDomain, podSubnet, serviceSubnet} = readKubeadmNetworking(data['ClusterConfiguration'] ?? '')
  const where = whereOf(KUBEADM_CONFIG)
  return {
    ...reported('clusterCIDR', clusterCIDR, ipv4Of(podSubnet.split(',')), where),
    ...reported('clusterDomain', domain, dnsDomain, where),
    ...reported('serviceCIDR', serviceCIDR, ipv4Of(serviceSubnet.split(',')), where),
  }
}

async function askFlannel(cluster: Cluster): Promise<Answers> {
  for (const place of FLANNEL_CONFIG) {
    const data = await askConfigMap(cluster, place)
    const network = flannelNetwork(data['net-conf.json'] ?? '')
    const found = reported('clusterCIDR', clusterCIDR, network ?? '', whereOf(place))
    if (found) return found
  }
  return {}
}

interface Place {
  readonly name: string
  readonly namespace: string
}

/** Empty where there is none, or where it must not be read: a 403 would be asked a second time, seconds later. */
async function askConfigMap(cluster: Cluster, {name, namespace}: Place): Promise<Readonly<Record<string, string>>> {
  const isAllowed = await cluster.may({group: '', name, namespace, resource: 'configmaps', verb: 'get'})
  return (isAllowed && (await unlessForbidden(cluster.configMap(namespace, name)))) || {}
}

const whereOf = ({name, namespace}: Place): string => `ConfigMap ${namespace}/${name}`

/** Windows nodes have IPv4 only. */
const ipv4Of = (cidrs: readonly string[]): string =>
  cidrs.map((cidr) => cidr.trim()).find((cidr) => parseCidr(cidr) !== undefined) ?? ''

/** A value that setup would not accept as an option is none. */
function reported<Key extends 'clusterCIDR' | 'clusterDNS' | 'clusterDomain' | 'serviceCIDR'>(
  key: Key,
  parser: OptionParser<string>,
  text: string,
  where: string,
): Record<Key, Reported> | undefined {
  const outcome = parser(text)
  return 'value' in outcome ? ({[key]: {value: outcome.value, where}} as Record<Key, Reported>) : undefined
}
