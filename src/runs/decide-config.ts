// What the options leave open, asked of the host and the cluster. Reads only; a node that was set up asks nothing, because
// what was decided is stored.
import {newestRelease} from '../artifacts/digests.js'
import {kubeconfigOf} from '../components/identity.js'
import {parseCidr} from '../config/cidr.js'
import {decide, type Learned, type Reported, serverMinor} from '../config/decide.js'
import {clusterCIDR, domain, type OptionParser, serviceCIDR} from '../config/parse-option.js'
import {NEWEST_MINOR} from '../config/version.js'
import {clusterBusy, serverUnreachable} from '../errors/cluster.js'
import {K8sWinError} from '../errors/k8s-win-error.js'
import type {Cluster} from '../host/cluster/cluster.js'
import {KUBEADM_CONFIG, readKubeadmNetworking} from '../host/cluster/kubeadm-config.js'
import {kubeconfigAt} from '../host/cluster/kubeconfig-file.js'
import {isMisfit} from '../host/containerd/present.js'
import type {Host} from '../host/host.js'
import {orAborted, orGivenUp, within} from '../host/wait.js'
import {rootOpenedBy} from '../pipeline/desired/containerd-root.js'
import {FLANNEL_CONFIG, flannelNetwork} from '../preflight/flannel-checks.js'
import {type AskedConfiguration, type Configuration, decided} from './configuration.js'

/** A cluster that does not answer is reported by the checks, which have more time. */
export const ASKING_MS = 10_000

export interface DecidedConfiguration extends Configuration {
  /** Why the cluster could not be asked, where that may pass: then the rest are defaults. */
  readonly unlearned?: unknown
}

/** Throws a ProblemsError where what was decided does not fit what was asked for. */
export async function decideConfig(
  asked: AskedConfiguration,
  host: Host,
  signal: AbortSignal,
): Promise<DecidedConfiguration> {
  const isReleaseOpen = asked.asked.release === undefined && !asked.isStored
  const asking = Promise.all([
    isReleaseOpen ? askHost(host) : {},
    !isReleaseOpen && decide(asked.asked).config.runtime === 'docker' ? {} : askContainerd(host),
    within(host.clock, ASKING_MS, askCluster(asked, host, isReleaseOpen)).catch((error: unknown) =>
      isPassing(error) ? {unlearned: error} : {},
    ),
    rootOpenedBy(host, asked.asked.baseDir),
  ])
  const [ofHost, ofContainerd, {unlearned, ...ofCluster}, opened] = await orAborted(asking, signal)
  const learned = {...ofHost, ...ofContainerd, ...ofCluster, ...(opened && {rootOpenedBy: opened})}
  const decision = decided(asked, learned)
  return {...decision, ...(unlearned !== undefined && {unlearned})}
}

/** A kubeconfig that cannot be used, or an identity that is rejected, stays so: the checks report it. */
export const isPassing = (error: unknown): boolean =>
  !(error instanceof K8sWinError) || serverUnreachable.is(error) || clusterBusy.is(error)

async function askHost({clock, docker}: Host): Promise<Learned> {
  const [version, newestPatch] = await Promise.all([
    orGivenUp(clock, ASKING_MS, docker.version()),
    newestRelease(NEWEST_MINOR),
  ])
  return {isDockerRunning: version !== undefined, ...(newestPatch !== undefined && {newestPatch})}
}

/** Why one cannot be used is reported by the check of containerd. */
async function askContainerd(host: Host): Promise<Pick<Learned, 'containerd'>> {
  const found = await host.presentContainerd().catch(() => undefined)
  return found && !isMisfit(found) ? {containerd: {place: found.place, version: found.version}} : {}
}

async function askCluster(
  {asked, isStored}: AskedConfiguration,
  host: Host,
  isReleaseOpen: boolean,
): Promise<Learned & {readonly unlearned?: unknown}> {
  const isOpen = [asked.clusterCIDR, asked.clusterDomain, asked.serviceCIDR].includes(undefined)
  if (isStored || !(isOpen || isReleaseOpen)) return {}
  const path = asked.identityFiles.kubelet ?? asked.kubeconfig ?? kubeconfigOf(asked, 'kubelet')
  const cluster = host.cluster(await kubeconfigAt(host, path))
  const [networks, chosen] = await Promise.all([
    isOpen ? askNetworks(cluster) : {},
    isReleaseOpen ? askVersion(cluster) : {},
  ])
  return {...networks, ...chosen}
}

export async function askVersion(cluster: Cluster): Promise<Learned> {
  const {version} = await cluster.about()
  // A cluster that is newer than the catalogue accepts a kubelet that is older by up to three minors.
  const newestPatch = await newestRelease(Math.min(serverMinor(version) ?? NEWEST_MINOR, NEWEST_MINOR))
  return {...(newestPatch !== undefined && {newestPatch}), serverVersion: version}
}

/** Objects of the API server itself come before kubeadm's record of how it was started. */
async function askNetworks(cluster: Cluster): Promise<Pick<Learned, 'clusterCIDR' | 'clusterDomain' | 'serviceCIDR'>> {
  const [serviceCIDRs, kubeadm] = await Promise.all([askServiceCIDRs(cluster), askKubeadm(cluster)])
  return {
    ...kubeadm,
    ...(kubeadm.clusterCIDR ? {} : await askFlannel(cluster)),
    ...serviceCIDRs,
  }
}

/** The object of the API server's own network; others add to it. */
async function askServiceCIDRs(cluster: Cluster): Promise<Pick<Learned, 'serviceCIDR'>> {
  const access = {group: 'networking.k8s.io', resource: 'servicecidrs', verb: 'list'}
  if (!(await cluster.may(access))) return {}
  const all = await cluster.serviceCIDRs()
  const own = all.find(({name}) => name === 'kubernetes')
  const found = own && reported(serviceCIDR, ipv4Of(own.cidrs), 'ServiceCIDR kubernetes')
  return found ? {serviceCIDR: found} : {}
}

async function askKubeadm(cluster: Cluster): Promise<Pick<Learned, 'clusterCIDR' | 'clusterDomain' | 'serviceCIDR'>> {
  const data = await askConfigMap(cluster, KUBEADM_CONFIG)
  const {dnsDomain, podSubnet, serviceSubnet} = readKubeadmNetworking(data['ClusterConfiguration'] ?? '')
  const where = whereOf(KUBEADM_CONFIG)
  const pods = reported(clusterCIDR, ipv4Of(podSubnet.split(',')), where)
  const dns = reported(domain, dnsDomain, where)
  const services = reported(serviceCIDR, ipv4Of(serviceSubnet.split(',')), where)
  return {
    ...(pods && {clusterCIDR: pods}),
    ...(dns && {clusterDomain: dns}),
    ...(services && {serviceCIDR: services}),
  }
}

async function askFlannel(cluster: Cluster): Promise<Pick<Learned, 'clusterCIDR'>> {
  for (const place of FLANNEL_CONFIG) {
    const data = await askConfigMap(cluster, place)
    const network = flannelNetwork(data['net-conf.json'] ?? '')
    const found = network === undefined ? undefined : reported(clusterCIDR, network, whereOf(place))
    if (found) return {clusterCIDR: found}
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
  return (isAllowed && (await cluster.configMap(namespace, name))) || {}
}

const whereOf = ({name, namespace}: Place): string => `ConfigMap ${namespace}/${name}`

/** Windows nodes have IPv4 only. */
const ipv4Of = (cidrs: readonly string[]): string =>
  cidrs.map((cidr) => cidr.trim()).find((cidr) => parseCidr(cidr) !== undefined) ?? ''

/** A value that setup would not accept as an option is none. */
function reported(parser: OptionParser<string>, text: string, where: string): Reported | undefined {
  const outcome = parser(text)
  return 'value' in outcome ? {value: outcome.value, where} : undefined
}
