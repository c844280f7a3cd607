// From what was given, as text, to a valid configuration: pure, and with all problems at once.
import {badValue, releaseUnsupported} from '../../errors/input.js'
import type {K8sWinError} from '../../errors/k8s-win-error.js'
import {contradictingFlags} from '../../errors/usage.js'
import {normalizeBaseDir} from '../base-dir.js'
import {IGNORABLE_CHECK_IDS} from '../check-ids.js'
import {daemonArgument, settingsProblems} from '../settings/daemon-settings.js'
import {networkProblems, runtimeProblems} from '../decide.js'
import {resolveJoin} from './join-options.js'
import {label, taint} from '../labels-and-taints.js'
import type {Layered} from './layers.js'
import {type Arguments, type Asked, BASE_IMAGES, type Fields, type Identity} from '../model.js'
import {ALL_OPTIONS, entriesOf, type OptionFlag, optionOf} from './options.js'
import * as parse from './parse-option.js'
import {resolveDockerPipe} from './parse-option.js'
import {type GivenText, Resolver} from './option-resolver.js'
import {secretEndpoint, secretForm, secretHost, secretSource} from './secret-source.js'
import {isSecretHost} from '../secret-hosts.js'
import {STEP_IDS} from '../step-ids.js'
import {isBelow, OLDEST_MINOR, PREVIEW_MINOR, type Version} from '../version.js'

export interface ResolveInput extends GivenText<OptionFlag>, Partial<Pick<Asked, 'isStored'>> {
  /** DOCKER_HOST of the environment. */
  readonly dockerHost?: string | undefined
  readonly madeOn?: Asked['madeOn'] | undefined
  readonly sources?: Layered['sources']
  readonly storedJoin?: Asked['storedJoin'] | undefined
}

/** Throws a ProblemsError that lists everything that is wrong. */
export function resolveConfig({
  dockerHost,
  given,
  isStored = false,
  madeOn,
  sources = {},
  storedJoin,
  where = {},
}: ResolveInput): Asked {
  const options = new Resolver(ALL_OPTIONS, {given, where})
  const {problems} = options
  const versionOf = (flag: OptionFlag) => options.value(flag, parse.version(String(optionOf(flag).default)))
  const flannel = versionOf('flannel-version')
  const images = new Set(options.entries('base-images', parse.baseImage))
  if (entriesOf(given['base-images'] ?? parse.NO_IMAGES).length === 0) {
    options.refuse('base-images', '', {reason: 'It is empty.', wanted: 'nanoserver, servercore or none'})
  }
  if (images.size > 1 && images.delete(parse.NO_IMAGES)) {
    const reason = 'It names both no image and an image.'
    options.refuse('base-images', parse.NO_IMAGES, {reason, wanted: 'none, or the images to pull'})
  }

  const argumentsOf = (program: Identity): Arguments =>
    sorted(options.distinct(`${program}-arg`, daemonArgument(program), ([name]) => name))

  const config = {
    args: {flanneld: argumentsOf('flanneld'), 'kube-proxy': argumentsOf('kube-proxy'), kubelet: argumentsOf('kubelet')},
    adopt: options.value('adopt', parse.truth),
    allowRestart: options.value('allow-restart', parse.truth),
    baseDir: options.value('base-dir', baseDir),
    baseImages: BASE_IMAGES.filter((name) => images.has(name)),
    clientCAFile: options.value('client-ca-file', parse.file),
    cloud: options.given('cloud', parse.cloud),
    clusterCIDR: options.given('cluster-cidr', parse.clusterCIDR),
    clusterDNS: options.value('cluster-dns', parse.address),
    clusterDomain: options.given('cluster-domain', parse.domain),
    digests: Object.fromEntries(options.distinct('digest', parse.digest, ([artifact]) => artifact)),
    dockerPipe: resolveDockerPipe(
      options.text('docker-endpoint'),
      dockerHost,
      (problem) => problems.push(problem),
      options.whereOf('docker-endpoint'),
    ),
    enableDSR: options.value('enable-dsr', parse.truth),
    enableFeatures: options.value('enable-features', parse.truth),
    featureGates: Object.fromEntries(options.distinct('feature-gate', parse.featureGate, ([name]) => name)),
    identityFiles: defined<Partial<Record<Identity, string>>>({
      flanneld: options.value('flanneld-kubeconfig', parse.file),
      'kube-proxy': options.value('kube-proxy-kubeconfig', parse.file),
      kubelet: options.value('kubelet-kubeconfig', parse.file),
    }),
    ignoreChecks: [...new Set(options.entries('ignore-check', parse.oneOf(IGNORABLE_CHECK_IDS)))],
    imageRegistry: options.value('image-registry', parse.registry),
    interfaceName: options.given('interface-name', parse.interfaceName),
    isStored,
    join: resolveJoin(options, given),
    kubeconfig: options.value('kubeconfig', parse.file),
    kubeconfigFrom: options.value('kubeconfig-from', secretSource),
    kubeletConfig: JSON.parse(options.text('kubelet-config') ?? '{}') as Fields,
    madeOn,
    metricsFile: options.value('metrics-file', parse.metricsFile),
    nanoserverTag: options.value('nanoserver-tag', parse.tag),
    nodeIP: options.value('node-ip', parse.address),
    nodeLabels: sorted(options.distinct('node-label', label, ([key]) => key)),
    nodeName: options.value('node-name', parse.nodeName),
    origin: {given, sources, where},
    publish: options.value('publish', parse.truth),
    registryConfig: options.value('registry-config', parse.file),
    release: options.given('release', parse.version('1.36.4')),
    runtime: options.value('runtime', parse.runtime),
    secretEndpoint: options.value('secret-endpoint', secretEndpoint),
    secretHosts: options.entries('trust-secret-endpoint', secretHost),
    servercoreTag: options.value('servercore-tag', parse.tag),
    serviceCIDR: options.given('service-cidr', parse.serviceCIDR),
    skip: [...new Set(options.entries('skip', parse.oneOf(STEP_IDS)))],
    storedJoin,
    taints: options.distinct('taint', taint, ({effect, key}) => `${key}:${effect}`),
    timeoutMs: options.value('timeout', parse.timeout),
    versions: defined({
      cni: versionOf('cni-version'),
      containerd: options.given('containerd-version', parse.version('2.3.4')),
      crictl: options.given('crictl-version', parse.version('1.36.0')),
      flannel,
      flannelCNI: versionOf('flannel-cni-version'),
    }),
    watch: options.given('watch', parse.truth),
  }

  // They are the command's to act on, and still must be valid.
  for (const flag of ['dry-run', 'reset', 'yes'] as const) options.value(flag, parse.truth)
  options.value('launcher', parse.launcher)

  const reason = config.release && releaseProblem(config.release)
  if (config.release && reason !== undefined) {
    const supported = `1.${OLDEST_MINOR} to 1.${PREVIEW_MINOR}`
    problems.push(
      releaseUnsupported({reason, release: config.release.text, supported, where: options.whereOf('release')}),
    )
  }

  const {join, kubeconfigFrom, secretEndpoint: endpoint, secretHosts} = config
  const source = join?.tokenFrom ?? kubeconfigFrom
  if (endpoint !== undefined && source && !isSecretHost(source.service, endpoint, secretHosts)) {
    const reason = `The credentials of this virtual machine would be sent to it, and it is not a host of ${secretForm(source.service)}.`
    const wanted = `the address of that secret store, or also --trust-secret-endpoint ${new URL(endpoint).hostname}`
    problems.push(
      badValue({flag: 'secret-endpoint', reason, value: endpoint, wanted, where: options.whereOf('secret-endpoint')}),
    )
  }

  const whereOf = (flag: OptionFlag): string => options.whereOf(flag)
  // What is stored, or in a file, is kept for the next --watch.
  const isTyped = (flag: OptionFlag): boolean => sources[flag] === 'flag'
  const needWatch: OptionFlag[] = [...(config.publish ? ['publish' as const] : []), 'metrics-file']
  if (config.watch === false && isTyped('watch'))
    for (const flag of needWatch.filter((one) => isTyped(one) && given[one] !== 'none'))
      problems.push(contradictingFlags({one: `--${flag}`, other: '--no-watch'}))
  const {baseImages, imageRegistry, registryConfig, release, runtime} = config
  // An image that is not one was reported already.
  const named = images.size === 0 ? undefined : baseImages
  const ofRuntime = {baseImages: named, imageRegistry, registryConfig, release, runtime}
  problems.push(
    ...networkProblems(config, whereOf),
    ...runtimeProblems(ofRuntime, whereOf),
    ...settingsProblems({...config, versions: defined({flannel})}, {given, where}),
    ...flannelProblems(config, flannel, whereOf('flannel-version')),
  )
  options.demandNoProblem()
  for (const part of Object.values(config)) Object.freeze(part)
  return Object.freeze(defined<Asked>(config))
}

/** Why no catalogue of this k8s-win has it, and no rule is known for it. */
function releaseProblem(release: Version): string | undefined {
  if (isBelow(release, 1, OLDEST_MINOR)) return 'this one is older'
  if (!isBelow(release, 1, PREVIEW_MINOR + 1)) return 'this one is newer than this version of k8s-win'
  return release.text.includes('-') ? 'this one is a pre-release' : undefined
}

/**
 * client-go reads a renewed certificate again since 0.18 (transport/cert_rotation.go); flanneld has 0.20 since 0.14.0, and
 * much older ones before.
 */
function flannelProblems(
  {
    identityFiles,
    join,
  }: {
    readonly identityFiles: Asked['identityFiles']
    readonly join?: Asked['join'] | undefined
  },
  flannel: Version | undefined,
  where: string,
): K8sWinError[] {
  if (!join || !flannel || identityFiles.flanneld !== undefined || !isBelow(flannel, 0, 14)) return []
  const reason = 'An older flanneld does not follow the certificate that the kubelet of a joined node renews.'
  const wanted = '0.14.0 or newer, or pass --flanneld-kubeconfig'
  return [badValue({flag: 'flannel-version', reason, value: flannel.text, wanted, where})]
}

/** In one order, so that the same labels and flags make the same command line. */
function sorted(pairs: readonly (readonly [key: string, value: string])[]): Record<string, string> {
  return Object.fromEntries([...pairs].sort(([a], [b]) => (a < b ? -1 : 1)))
}

const baseDir: parse.OptionParser<string> = (given) => {
  const normal = normalizeBaseDir(given)
  return 'path' in normal
    ? {value: normal.path}
    : {reason: normal.problem, wanted: String.raw`an absolute folder on a local drive, such as c:\k`}
}

/** Without the keys whose value is undefined: exactOptionalPropertyTypes distinguishes them from absent ones. */
function defined<T>(object: object): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T
}
