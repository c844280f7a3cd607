// What the options leave open, decided from what the host and the cluster report. Pure: who asks them is another matter.
import {containerdDowngrade} from '../errors/host.js'
import {badValue, dockerUnsupported, overlappingCIDRs} from '../errors/input.js'
import {type K8sWinError, ProblemsError} from '../errors/k8s-win-error.js'
import {chooseRelease, type ReleaseAnswers, runtimeOf, serverMinor, usedRuntime} from './choose-release.js'
import {cidrsOf, overlaps, parseAddress, parseCidr} from './cidr.js'
import {settingsProblems} from './settings/daemon-settings.js'
import {type Origins, withOrigins} from './options/layers.js'
import {CONTAINERD_ROOT, ownContainerd} from './layout.js'
import type {Asked, CloudName, ContainerdPlace, Decided, Registries} from './model.js'
import {type OptionFlag, optionOf} from './options/options.js'
import {DOCKER_MINOR, isOlder, parseVersion, type Version} from './version.js'

/** A value, and the object of the cluster that holds it. */
export interface Reported {
  readonly value: string
  readonly where: string
}

/** What the host and the cluster report; what they do not report is absent. */
export interface Answers extends ReleaseAnswers {
  readonly clusterCIDR?: Reported
  /** Of the first setup: later ones have it stored. Absent where the firmware names no cloud. */
  readonly cloud?: {readonly value: CloudName; readonly where: string}
  /** Where the identity may not ask for the Service. */
  readonly clusterDNS?: Reported
  readonly clusterDomain?: Reported
  /** Those that the cluster sets for its kubelets and kube-proxies. */
  readonly featureGates?: {readonly value: Readonly<Record<string, boolean>>; readonly where: string}
  /** One that k8s-win did not install, and that can be used. */
  readonly containerd?: {readonly place: ContainerdPlace; readonly version: Version}
  /** No options are stored: an unfinished setup, a node that lost them, or what a reset left. */
  readonly isUnstored?: boolean
  /** The newest containerd that may have opened its root on this host. */
  readonly rootOpenedBy?: Version
  /** What --registry-config names. */
  readonly registries?: Registries
  readonly serviceCIDR?: Reported
  /** This program can be a service that watches the node. */
  readonly watch?: {readonly value: 'true'; readonly where: string}
}

type WhereOf = (flag: OptionFlag) => string

export const DEFAULT_CONTAINERD = versionOf(defaultOf('containerd-version'))

/** Throws a ProblemsError where what was decided does not fit what was asked for. */
export function decide({isStored: _, storedJoin: _join, ...asked}: Asked, answers: Answers = {}): Decided {
  const origins: {-readonly [Flag in keyof Origins]: Origins[Flag]} = {}
  const reported = (flag: OptionFlag, given: string | undefined, found: Reported | undefined): string => {
    if (given === undefined && found) origins[flag] = {source: 'cluster', ...found}
    return given ?? found?.value ?? defaultOf(flag)
  }

  const {origin: chosen, release} = asked.release ? {release: asked.release} : chooseRelease(asked.runtime, answers)
  if (chosen) origins.release = chosen
  const runtime = usedRuntime(asked.runtime, runtimeOf(release))
  const isContainerd = runtime === 'containerd'
  const present = isContainerd ? answers.containerd : undefined
  const kept = isContainerd && !present ? keptContainerd(asked.versions.containerd, answers) : undefined
  if (kept) origins['containerd-version'] = {source: 'host', value: kept.text, where: KEPT}
  const versions = Object.freeze({
    crictl: versionOf(defaultOf('crictl-version')),
    ...asked.versions,
    containerd: present?.version ?? kept ?? asked.versions.containerd ?? DEFAULT_CONTAINERD,
  })
  const gates = gatesFor(asked, release, answers)
  if (gates) origins['feature-gate'] = {source: 'cluster', value: gatesText(gates.value), where: gates.where}
  const {clusterDNS: dns} = answers
  if (asked.clusterDNS === undefined && dns) origins['cluster-dns'] = {source: 'cluster', ...dns}
  if (answers.watch) origins.watch = {source: 'host', ...answers.watch}
  if (answers.cloud) origins.cloud = {source: 'host', ...answers.cloud}
  const config = {
    ...asked,
    cloud: answers.cloud?.value ?? (asked.cloud === undefined || asked.cloud === 'auto' ? 'none' : asked.cloud),
    ...(dns && {clusterDNS: asked.clusterDNS ?? dns.value}),
    clusterCIDR: reported('cluster-cidr', asked.clusterCIDR, answers.clusterCIDR),
    clusterDomain: reported('cluster-domain', asked.clusterDomain, answers.clusterDomain),
    containerd: present?.place ?? ownContainerd(asked.baseDir),
    featureGates: gates?.value ?? asked.featureGates,
    ...(answers.registries && {registries: answers.registries}),
    release,
    runtime,
    serviceCIDR: reported('service-cidr', asked.serviceCIDR, answers.serviceCIDR),
    versions,
    ...(answers.watch && {watch: true}),
  }
  const origin = withOrigins(asked.origin, origins)
  const whereOf = (flag: OptionFlag): string => String(origin.where[flag] ?? `--${flag}`)
  const problems = [
    ...networkProblems(config, whereOf),
    // Who does not read it does not know its runtime either: without answers that is the default.
    ...runtimeProblems({...config, registryConfig: answers.registries && asked.registryConfig}, whereOf),
    ...downgradeProblems(asked, config),
    ...(answers.registries?.problems ?? []),
    ...settingsProblems(config, origin),
  ]
  if (problems.length > 0) throw new ProblemsError(problems)
  return Object.freeze({...config, origin})
}

/** A release of another minor may not know a gate of the cluster, and then its daemons do not start. */
function gatesFor(
  asked: Pick<Asked, 'featureGates'>,
  release: Version,
  {featureGates, serverVersion = ''}: Answers,
): Answers['featureGates'] {
  const isSameMinor = serverMinor(serverVersion) === release.minor
  return isSameMinor && Object.keys(asked.featureGates).length === 0 ? featureGates : undefined
}

/** As --feature-gates takes them. */
export const gatesText = (gates: Readonly<Record<string, unknown>>): string =>
  Object.entries(gates)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(',')

const KEPT = 'it has opened the data of this node'

/** A newer one stays, and an older one until it is upgraded; what is asked for may be older within its major. */
function keptContainerd(asked: Version | undefined, {isUnstored, rootOpenedBy: opened}: Answers): Version | undefined {
  const isKept = opened && (asked ? asked.major < opened.major : isUnstored || isOlder(DEFAULT_CONTAINERD, opened))
  return isKept ? opened : undefined
}

/** What the last setup stored gives way to a newer containerd; what was asked for now does not. */
function downgradeProblems(
  {origin: {sources, where}, versions: {containerd: older}}: Pick<Asked, 'origin' | 'versions'>,
  {containerd, versions: {containerd: newer}}: Pick<Decided, 'containerd' | 'versions'>,
): K8sWinError[] {
  const isDowngrade = containerd.isOurs && older && older.major < newer.major
  if (!isDowngrade || sources['containerd-version'] === 'stored') return []
  const given = String(where['containerd-version'] ?? '--containerd-version')
  return [containerdDowngrade({newer: newer.text, older: older.text, root: CONTAINERD_ROOT, where: given})]
}

/** A network that overlaps the other one, or a DNS server at the address of the network itself. */
export function networkProblems(
  {clusterCIDR, clusterDNS, serviceCIDR}: {[Key in 'clusterCIDR' | 'clusterDNS' | 'serviceCIDR']?: string | undefined},
  whereOf: WhereOf,
): K8sWinError[] {
  const problems: K8sWinError[] = []
  const cluster = parseCidr(clusterCIDR ?? '')
  const services = cidrsOf(serviceCIDR ?? '').flatMap((one) => parseCidr(one) ?? [])
  if (clusterDNS !== undefined && services.some(({address}) => address === parseAddress(clusterDNS))) {
    const reason = `It is the service network ${serviceCIDR} itself, and no service has that address.`
    const wanted = "the address of the cluster's DNS service"
    problems.push(badValue({flag: 'cluster-dns', reason, value: clusterDNS, wanted, where: whereOf('cluster-dns')}))
  }

  if (cluster && services.some((service) => overlaps(cluster, service))) {
    const [clusterWhere, serviceWhere] = [whereOf('cluster-cidr'), whereOf('service-cidr')]
    problems.push(
      overlappingCIDRs({cluster: String(clusterCIDR), clusterWhere, service: String(serviceCIDR), serviceWhere}),
    )
  }

  return problems
}

interface AskedRuntime {
  readonly baseImages: Asked['baseImages'] | undefined
  readonly imageRegistry?: string | undefined
  readonly registryConfig?: string | undefined
  readonly release?: Version | undefined
  readonly runtime?: Asked['runtime'] | undefined
}

/** A runtime that does not fit the release, and images that do not fit the runtime. */
export function runtimeProblems(
  {baseImages, imageRegistry = '', registryConfig, release, runtime = 'auto'}: AskedRuntime,
  whereOf: WhereOf,
): K8sWinError[] {
  const problems: K8sWinError[] = []
  const fitting = release && runtimeOf(release)
  const used = usedRuntime(runtime, fitting)
  if (release && used !== fitting) {
    const reason = `Kubernetes ${release.text} is set up with Docker.`
    const wanted = `docker or auto; containerd is for releases from 1.${DOCKER_MINOR + 1}.0 on`
    const where = whereOf('runtime')
    problems.push(
      used === 'docker'
        ? dockerUnsupported({release: release.text, where})
        : badValue({flag: 'runtime', reason, value: runtime, wanted, where}),
    )
  }

  // distribution/reference, splitDockerDomain: containerd completes such a name, and ctr does not.
  const [registry = ''] = imageRegistry.split('/')
  if (used === 'containerd' && registry !== '' && registry !== 'localhost' && !/[.:]/.test(registry)) {
    const reason = `Without a dot or a port, "${registry}" is a repository of docker.io, not a host.`
    const wanted = 'a host with the same paths, such as registry.example.com:5000'
    const [value, where] = [imageRegistry, whereOf('image-registry')]
    problems.push(badValue({flag: 'image-registry', reason, value, wanted, where}))
  }

  if (used === 'docker' && registryConfig !== undefined) {
    const reason = 'Docker does not read the files of containerd.'
    const [wanted, where] = ['together with containerd: Kubernetes 1.24 or newer', whereOf('registry-config')]
    problems.push(badValue({flag: 'registry-config', reason, value: registryConfig, wanted, where}))
  }

  if (used === 'docker' && baseImages && !baseImages.includes('nanoserver')) {
    const reason = 'With Docker, the image of the pod sandbox is built from nanoserver.'
    const value = baseImages.join(',') || 'none'
    const wanted = 'nanoserver, or nanoserver and servercore'
    problems.push(badValue({flag: 'base-images', reason, value, wanted, where: whereOf('base-images')}))
  }

  return problems
}

function defaultOf(flag: OptionFlag): string {
  return String(optionOf(flag).default)
}

function versionOf(text: string): Version {
  const version = parseVersion(text)
  if (!version) throw new Error(`${text} is not a version`)
  return version
}
