// From what was given, as text, to a valid configuration: pure, and with all problems at once.
import {overlappingCIDRs, releaseUnsupported} from '../errors/input.js'
import {normalizeBaseDir} from './base-dir.js'
import {CHECK_IDS} from './check-ids.js'
import {overlaps, parseAddress, parseCidr} from './cidr.js'
import {label, taint} from './labels-and-taints.js'
import type {Identity, SetupConfig} from './model.js'
import {type OptionFlag, optionOf, OPTIONS} from './options.js'
import * as parse from './parse-option.js'
import {resolveDockerPipe} from './parse-option.js'
import {type Asked, Resolver} from './resolver.js'
import {STEP_IDS} from './step-ids.js'
import {isBelow, NEWEST_MINOR, OLDEST_MINOR} from './version.js'

export interface ResolveInput extends Asked<OptionFlag> {
  /** DOCKER_HOST of the environment. */
  readonly dockerHost?: string | undefined
}

/** Throws a ProblemsError that lists everything that is wrong. */
export function resolveConfig({dockerHost, ...asked}: ResolveInput): SetupConfig {
  const options = new Resolver(OPTIONS, asked)
  const {problems} = options
  const versionOf = (flag: OptionFlag) => options.value(flag, parse.version(String(optionOf(flag).default)))

  const config = {
    adopt: options.value('adopt', parse.truth),
    baseDir: options.value('base-dir', baseDir),
    clientCAFile: options.value('client-ca-file', parse.file),
    clusterCIDR: options.value('cluster-cidr', parse.clusterCIDR),
    clusterDNS: options.value('cluster-dns', parse.address),
    clusterDomain: options.value('cluster-domain', parse.domain),
    digests: Object.fromEntries(options.distinct('digest', parse.digest, ([artifact]) => artifact)),
    dockerPipe: resolveDockerPipe(
      options.text('docker-endpoint'),
      dockerHost,
      (problem) => problems.push(problem),
      options.whereOf('docker-endpoint'),
    ),
    enableDSR: false,
    identityFiles: defined<Partial<Record<Identity, string>>>({
      flanneld: options.value('flanneld-kubeconfig', parse.file),
      'kube-proxy': options.value('kube-proxy-kubeconfig', parse.file),
      kubelet: options.value('kubelet-kubeconfig', parse.file),
    }),
    ignoreChecks: [...new Set(options.entries('ignore-check', parse.oneOf(CHECK_IDS)))],
    imageRegistry: options.value('image-registry', parse.registry),
    interfaceName:
      options.text('interface-name') === undefined ? undefined : options.value('interface-name', parse.interfaceName),
    kubeconfig: options.value('kubeconfig', parse.file),
    nanoserverTag: options.value('nanoserver-tag', parse.tag),
    nodeIP: options.value('node-ip', parse.address),
    nodeLabels: sortedLabels(options.distinct('node-label', label, ([key]) => key)),
    nodeName: options.value('node-name', parse.nodeName),
    release: versionOf('release'),
    servercoreTag: options.value('servercore-tag', parse.tag),
    serviceCIDR: options.value('service-cidr', parse.serviceCIDR),
    skip: [...new Set(options.entries('skip', parse.oneOf(STEP_IDS)))],
    taints: options.distinct('taint', taint, ({effect, key}) => `${key}:${effect}`),
    timeoutMs: options.value('timeout', parse.timeout),
    versions: {
      cni: versionOf('cni-version'),
      flannel: versionOf('flannel-version'),
      flannelCNI: versionOf('flannel-cni-version'),
    },
  }

  // They are the command's to act on, and still must be true or false.
  for (const flag of ['dry-run', 'reset', 'yes'] as const) options.value(flag, parse.truth)

  const isOld = config.release && isBelow(config.release, 1, OLDEST_MINOR)
  if (config.release && (isOld || !isBelow(config.release, 1, NEWEST_MINOR + 1))) {
    const reason = isOld ? 'this one is older' : 'later kubelets no longer speak to Docker'
    problems.push(releaseUnsupported({reason, release: config.release.text, where: options.whereOf('release')}))
  }

  const {clusterCIDR = '', serviceCIDR = ''} = config
  const [cluster, service] = [parseCidr(clusterCIDR), parseCidr(serviceCIDR)]
  if (config.clusterDNS !== undefined && parseAddress(config.clusterDNS) === service?.address) {
    const reason = `It is the service network ${serviceCIDR} itself, and no service has that address.`
    options.refuse('cluster-dns', config.clusterDNS, {reason, wanted: "the address of the cluster's DNS service"})
  }
  if (cluster && service && overlaps(cluster, service)) {
    const [clusterWhere, serviceWhere] = [options.whereOf('cluster-cidr'), options.whereOf('service-cidr')]
    problems.push(overlappingCIDRs({cluster: clusterCIDR, clusterWhere, service: serviceCIDR, serviceWhere}))
  }

  options.demandNoProblem()
  for (const part of Object.values(config)) Object.freeze(part)
  return Object.freeze(defined<SetupConfig>(config))
}

/** In one order, so that the same labels make the same command line. */
function sortedLabels(labels: readonly (readonly [key: string, value: string])[]): Record<string, string> {
  return Object.fromEntries([...labels].sort(([a], [b]) => (a < b ? -1 : 1)))
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
