// What the options leave open, asked of the host and the cluster. Reads only; a node that was set up asks nothing, because
// what was decided is stored.
import {newestRelease} from '../artifacts/digests.js'
import {openBootstrap} from '../components/bootstrap-kubeconfig.js'
import {kubeconfigOf} from '../components/identity.js'
import {parseCidr} from '../config/cidr.js'
import {decide, type Learned, type Reported, serverMinor} from '../config/decide.js'
import {layoutOf} from '../config/layout.js'
import type {JoinOptions, SetupConfig} from '../config/model.js'
import {address, clusterCIDR, domain, featureGate, type OptionParser, serviceCIDR} from '../config/parse-option.js'
import {addressOf} from '../config/parse-join.js'
import {NEWEST_MINOR} from '../config/version.js'
import {clusterBusy, serverUnreachable} from '../errors/cluster.js'
import {joinOtherCluster, joinTokenMissing} from '../errors/join.js'
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
import {discoverCluster} from '../host/cluster/discovery.js'
import {readToken, type TokenSource} from '../host/cluster/join-token.js'
import {kubeconfigAt} from '../host/cluster/kubeconfig-file.js'
import {isMisfit} from '../host/containerd/present.js'
import type {Host} from '../host/host.js'
import {orAborted, orGivenUp, within} from '../host/wait.js'
import {isToBeJoined, joinStateOf, RESET_FIRST, resumedJoin} from '../pipeline/desired/join-state.js'
import {nodeNameOf} from '../pipeline/desired/node-cluster.js'
import {rootOpenedBy} from '../pipeline/desired/containerd-root.js'
import {FLANNEL_CONFIG, flannelNetwork} from '../preflight/flannel-checks.js'
import {type AskedConfiguration, type Configuration, decided} from './configuration.js'

/** Where a token is read from, and who must hide it. */
export type TokenFrom = Omit<TokenSource, 'host'>

type Joined = Pick<SetupConfig, 'bootstrap' | 'joinProblem'>

/** A cluster that does not answer is reported by the checks, which have more time. */
export const ASKING_MS = 10_000

export interface DecidedConfiguration extends Configuration {
  /** Why the cluster could not be asked, where that may pass: then the rest are defaults. */
  readonly unlearned?: unknown
}

/** Throws a ProblemsError where what was decided does not fit what was asked for. */
export async function decideConfig(
  requested: AskedConfiguration,
  host: Host,
  signal: AbortSignal,
  from: TokenFrom = {register() {}, warn() {}},
): Promise<DecidedConfiguration> {
  const resumed = await orAborted(withResumedJoin(requested, host), signal)
  const {server, ...joined} = await orAborted(joinCluster(resumed, host, signal, from), signal)
  const asked = server === undefined ? resumed : withServer(resumed, server)
  const isReleaseOpen = asked.asked.release === undefined && !asked.isStored
  const asking = Promise.all([
    isReleaseOpen ? askHost(host) : {},
    !isReleaseOpen && decide(asked.asked).config.runtime === 'docker' ? {} : askContainerd(host),
    within(host.clock, ASKING_MS, askCluster(asked, joined, host, isReleaseOpen)).catch((error: unknown) =>
      isPassing(error) ? {unlearned: error} : {},
    ),
    rootOpenedBy(host, asked.asked.baseDir),
  ])
  const [ofHost, ofContainerd, {unlearned, ...ofCluster}, opened] = await orAborted(asking, signal)
  const learned = {...ofHost, ...ofContainerd, ...ofCluster, ...(opened && {rootOpenedBy: opened})}
  const decision = decided(asked, learned)
  return {...decision, config: {...decision.config, ...joined}, ...(unlearned !== undefined && {unlearned})}
}

/** The options of a setup that did not finish are not stored; without them the node would not know that it joined. */
async function withResumedJoin(requested: AskedConfiguration, host: Host): Promise<AskedConfiguration> {
  const {asked, given, isStored, sources, where} = requested
  if (asked.join || asked.kubeconfig !== undefined || asked.identityFiles.kubelet !== undefined) return requested
  // A node that was set up with a kubeconfig, and is about to join with a token instead.
  const isBegun = isStored && (await host.files.status(layoutOf(asked.baseDir).bootstrapKubeconfig)) !== undefined
  if (isStored && !isBegun) return requested
  const join = await resumedJoin(host, asked.baseDir)
  if (!join) return requested
  const origin = `${layoutOf(asked.baseDir).kubeconfig}, which the kubelet wrote`
  return {
    ...requested,
    asked: {...asked, join},
    given: {...given, 'ca-cert-hash': join.caCertHashes, server: join.server},
    sources: {...sources, 'ca-cert-hash': 'host', server: 'host'},
    where: {...where, 'ca-cert-hash': origin, server: origin},
  }
}

/** A node that has joined is not asked where the cluster is: another address, which is not tried, is not stored. */
function keptServer(
  {server}: JoinOptions,
  used: string,
  stored: string | undefined,
  {warn}: TokenFrom,
): {readonly server?: string} {
  const own = addressOf(used)
  if ([own, stored].includes(server)) return {}
  warn(`--server ${server} is not used: the node has joined already, and its API server is ${own}`)
  return {server: stored ?? own}
}

function withServer(asked: AskedConfiguration, server: string): AskedConfiguration {
  const {join} = asked.asked
  return {
    ...asked,
    asked: {...asked.asked, ...(join && {join: {...join, server}})},
    given: {...asked.given, server},
    sources: {...asked.sources, server: 'host'},
    where: {...asked.where, server: 'the node has joined already'},
  }
}

/** For another decision in the same run. */
export function withToken(asked: AskedConfiguration, bootstrap: SetupConfig['bootstrap']): AskedConfiguration {
  const {join} = asked.asked
  if (!join || !bootstrap) return asked
  return {...asked, asked: {...asked.asked, join: {...join, token: bootstrap.token}}}
}

/** A kubeconfig that cannot be used, or an identity that is rejected, stays so: the checks report it. */
export const isPassing = (error: unknown): boolean =>
  !(error instanceof K8sWinError) || serverUnreachable.is(error) || clusterBusy.is(error)

/** Neither where the node has its certificate already: then its token may have expired long ago. */
async function joinCluster(
  {asked, isStored, storedJoin}: AskedConfiguration,
  host: Host,
  signal: AbortSignal,
  from: TokenFrom,
): Promise<Joined & {readonly server?: string}> {
  const {baseDir, join} = asked
  if (!join) return {}
  try {
    const nodeName = await nodeNameOf(host, asked)
    const {caCertHashes, server} = join
    const isCluster = isToBeJoined(join, storedJoin?.server)
    const state = await joinStateOf(host, {baseDir, isCluster, isSetUp: isStored, nodeName, server})
    if (state.state === 'given' && (join.token !== undefined || join.tokenFile !== undefined)) {
      const path = layoutOf(baseDir).kubeconfig
      from.warn(`${path} is there already and is used: the token is not. To join with the token, remove the file first`)
    }
    if (state.state === 'joined') return keptServer(join, state.kubeconfig.server, storedJoin?.server, from)
    if (state.state !== 'unjoined') return {}
    // Its networks and its release are those of the cluster that it was set up in.
    const before = storedJoin?.caCertHashes ?? []
    if (before.length > 0 && caCertHashes.length > 0 && !caCertHashes.some((hash) => before.includes(hash))) {
      const path = layoutOf(baseDir).nodeConfig
      throw joinOtherCluster({fix: RESET_FIRST, found: storedJoin?.server ?? '', path, server})
    }
    if (join.token === undefined && join.tokenFile === undefined) {
      const hashes = caCertHashes.map((hash) => ` --ca-cert-hash ${hash}`).join('')
      // Of a setup that did not finish nothing is stored.
      throw joinTokenMissing({options: isStored ? '' : `--server ${server}${hashes}`, reason: state.why, server})
    }
    const token = await readToken({host, ...from}, join, signal)
    return {bootstrap: await discoverCluster(host, {...join, token}, signal)}
  } catch (error) {
    if (error instanceof K8sWinError) return {joinProblem: error}
    throw error
  }
}

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
  {bootstrap, joinProblem}: Joined,
  host: Host,
  isReleaseOpen: boolean,
): Promise<Learned & {readonly unlearned?: unknown}> {
  const isOpen = [asked.clusterCIDR, asked.clusterDomain, asked.serviceCIDR].includes(undefined)
  // Also where the certificate was issued before: a setup that did not finish has stored nothing of what it learned.
  const isJoining = bootstrap !== undefined || (asked.join !== undefined && !isStored)
  const isDNSOpen = isJoining && asked.clusterDNS === undefined
  if (joinProblem || !(isOpen || isReleaseOpen || isDNSOpen) || (isStored && !isDNSOpen)) return {}
  const path = asked.identityFiles.kubelet ?? asked.kubeconfig ?? kubeconfigOf(asked, 'kubelet')
  const cluster = host.cluster(await (bootstrap ? openBootstrap(bootstrap) : kubeconfigAt(host, path)))
  // A node that was set up with a kubeconfig asked for the Service, which a token may not.
  if (isStored) return pickDNS(await askConfigurations(cluster))
  const [networks, dns, chosen] = await Promise.all([
    isOpen ? askNetworks(cluster) : {},
    isJoining ? askConfigurations(cluster) : {},
    isReleaseOpen ? askVersion(cluster) : {},
  ])
  return {...dns, ...networks, ...chosen}
}

const pickDNS = ({clusterDNS}: Learned): Learned => (clusterDNS ? {clusterDNS} : {})

/** A bootstrap token may not list Services, but it may read how the cluster's kubelets and kube-proxies are configured. */
async function askConfigurations(
  cluster: Cluster,
): Promise<Pick<Learned, 'clusterDNS' | 'clusterDomain' | 'featureGates' | 'serverVersion'>> {
  const [{version}, proxy] = await Promise.all([cluster.about(), askConfigMap(cluster, KUBE_PROXY_CONFIG)])
  const {featureGates, gatesWhere, ...kubelets} = await askKubeletConfig(cluster, version)
  const isMeant = (one: string): boolean => !OF_LOGGING.test(one)
  const ofProxies = readKubeProxyGates(proxy['config.conf'] ?? '').filter(isMeant)
  const ofKubelets = featureGates.filter(isMeant)
  // The later ones win: those of the kubelets.
  const gates = Object.fromEntries(
    [...ofProxies, ...ofKubelets].map((one) => featureGate(one)).flatMap((one) => ('value' in one ? [one.value] : [])),
  )
  const where = [
    ...(ofProxies.length > 0 ? [whereOf(KUBE_PROXY_CONFIG)] : []),
    ...(ofKubelets.length > 0 ? [gatesWhere] : []),
  ].join(', ')
  return {
    ...kubelets,
    ...(Object.keys(gates).length > 0 && {featureGates: {value: gates, where}}),
    serverVersion: version,
  }
}

/** Not known to every daemon: kube-proxy before 1.26 does not start with them (logsapi.AddFeatureGates). */
const OF_LOGGING = /^(?:ContextualLogging|Logging\w+Options)=/

async function askKubeletConfig(
  cluster: Cluster,
  version: string,
): Promise<
  Pick<Learned, 'clusterDNS' | 'clusterDomain'> & {
    readonly featureGates: readonly string[]
    readonly gatesWhere: string
  }
> {
  const minor = serverMinor(version) ?? NEWEST_MINOR
  for (const place of kubeletConfigs(minor)) {
    const data = await askConfigMap(cluster, place)
    const {clusterDNS, clusterDomain, featureGates} = readKubeletConfig(data['kubelet'] ?? '')
    // The address of a cache on Linux nodes (169.254.20.10) is not one: nothing listens there on Windows.
    const dns = clusterDNS.map((one) => reported(address, one, whereOf(place))).find((one) => one !== undefined)
    const name = reported(domain, clusterDomain, whereOf(place))
    if (dns || name || featureGates.length > 0)
      return {
        ...(dns && {clusterDNS: dns}),
        ...(name && {clusterDomain: name}),
        featureGates,
        gatesWhere: whereOf(place),
      }
  }

  return {featureGates: [], gatesWhere: ''}
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
