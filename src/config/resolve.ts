// From what was given, as text, to a valid configuration: pure, and with all problems at once.
import {badValue, overlappingCIDRs, releaseUnsupported} from '../errors/input.js'
import {type K8sWinError, ProblemsError} from '../errors/k8s-win-error.js'
import {normalizeBaseDir} from './base-dir.js'
import {overlaps, parseAddress, parseCidr} from './cidr.js'
import {CHECK_IDS} from './check-ids.js'
import {entriesOf, type GivenOptions, type OptionFlag, optionOf} from './options.js'
import type {Whereabouts} from './layers.js'
import {label, taint} from './labels-and-taints.js'
import {STEP_IDS} from './step-ids.js'
import * as parse from './parse-option.js'
import {resolveDockerPipe} from './docker-endpoint.js'
import type {Identity, SetupConfig} from './model.js'
import {isBelow, NEWEST_MINOR, OLDEST_MINOR} from './version.js'

export interface ResolveInput {
  /** DOCKER_HOST of the environment. */
  readonly dockerHost?: string | undefined
  readonly given: GivenOptions
  /** How each was given, for messages; where it is not said, by its flag. */
  readonly where?: Whereabouts
}

/** Throws a ProblemsError that lists everything that is wrong. */
export function resolveConfig({dockerHost, given, where = {}}: ResolveInput): SetupConfig {
  const problems: K8sWinError[] = []
  const whereOf = (flag: OptionFlag, entry = 0): string => {
    const known = where[flag]
    return (typeof known === 'object' ? (known[entry] ?? known[0]) : known) ?? `--${flag}`
  }

  const parsed = <T>(flag: OptionFlag, text: string, parser: parse.OptionParser<T>, entry?: number): T[] => {
    const outcome = parser(text)
    if ('value' in outcome) return [outcome.value]
    const {reason, wanted} = outcome
    problems.push(badValue({flag, reason, value: text, wanted, where: whereOf(flag, entry)}))
    return []
  }

  const text = (flag: OptionFlag): string | undefined => {
    const value = given[flag]
    return value === undefined || typeof value === 'object' ? undefined : String(value)
  }

  const value = <T>(flag: OptionFlag, parser: parse.OptionParser<T>): T | undefined => {
    const chosen = text(flag) ?? optionOf(flag).default
    return chosen === undefined ? undefined : parsed(flag, chosen, parser)[0]
  }

  const entries = <T>(flag: OptionFlag, parser: parse.OptionParser<T>): T[] =>
    entriesOf(given[flag]).flatMap((text, index) => parsed(flag, text, parser, index))

  /** Of two that are about the same thing, nobody knows which is meant. */
  const distinct = <T>(flag: OptionFlag, parser: parse.OptionParser<T>, thingOf: (entry: T) => string): T[] => {
    const seen = new Set<string>()
    return entries(flag, (text) => {
      const outcome = parser(text)
      if (!('value' in outcome)) return outcome
      const thing = thingOf(outcome.value)
      if (seen.has(thing)) return {reason: `There is another for ${thing}.`, wanted: `one for ${thing}`}
      seen.add(thing)
      return outcome
    })
  }

  const versionOf = (flag: OptionFlag) => value(flag, parse.version(String(optionOf(flag).default)))

  const config = {
    adopt: value('adopt', parse.truth),
    baseDir: value('base-dir', baseDir),
    clientCAFile: value('client-ca-file', parse.file),
    clusterCIDR: value('cluster-cidr', parse.clusterCIDR),
    clusterDNS: value('cluster-dns', parse.address),
    clusterDomain: value('cluster-domain', parse.domain),
    digests: Object.fromEntries(distinct('digest', parse.digest, ([artifact]) => artifact)),
    dockerPipe: resolveDockerPipe(
      text('docker-endpoint'),
      dockerHost,
      (problem) => problems.push(problem),
      whereOf('docker-endpoint'),
    ),
    identityFiles: defined<Partial<Record<Identity, string>>>({
      flanneld: value('flanneld-kubeconfig', parse.file),
      'kube-proxy': value('kube-proxy-kubeconfig', parse.file),
      kubelet: value('kubelet-kubeconfig', parse.file),
    }),
    ignoreChecks: [...new Set(entries('ignore-check', parse.oneOf(CHECK_IDS)))],
    imageRegistry: value('image-registry', parse.registry),
    interfaceName: text('interface-name') === undefined ? undefined : value('interface-name', parse.interfaceName),
    kubeconfig: value('kubeconfig', parse.file),
    nanoserverTag: value('nanoserver-tag', parse.tag),
    nodeIP: value('node-ip', parse.address),
    nodeLabels: sortedLabels(distinct('node-label', label, ([key]) => key)),
    nodeName: value('node-name', parse.nodeName),
    release: versionOf('release'),
    servercoreTag: value('servercore-tag', parse.tag),
    serviceCIDR: value('service-cidr', parse.serviceCIDR),
    skip: [...new Set(entries('skip', parse.oneOf(STEP_IDS)))],
    taints: distinct('taint', taint, ({effect, key}) => `${key}:${effect}`),
    timeoutMs: value('timeout', parse.timeout),
    versions: {
      cni: versionOf('cni-version'),
      flannel: versionOf('flannel-version'),
      flannelCNI: versionOf('flannel-cni-version'),
    },
  }

  // They are the command's to act on, and still must be true or false.
  for (const flag of ['dry-run', 'reset', 'yes'] as const) value(flag, parse.truth)

  const isOld = config.release && isBelow(config.release, 1, OLDEST_MINOR)
  if (config.release && (isOld || !isBelow(config.release, 1, NEWEST_MINOR + 1))) {
    const reason = isOld ? 'this one is older' : 'later kubelets no longer speak to Docker'
    problems.push(releaseUnsupported({reason, release: config.release.text, where: whereOf('release')}))
  }

  const {clusterCIDR = '', serviceCIDR = ''} = config
  const [cluster, service] = [parseCidr(clusterCIDR), parseCidr(serviceCIDR)]
  if (config.clusterDNS !== undefined && parseAddress(config.clusterDNS) === service?.address) {
    const reason = `It is the service network ${serviceCIDR} itself, and no service has that address.`
    const wanted = "the address of the cluster's DNS service"
    const [flag, value] = ['cluster-dns', config.clusterDNS] as const
    problems.push(badValue({flag, reason, value, wanted, where: whereOf(flag)}))
  }
  if (cluster && service && overlaps(cluster, service)) {
    const [clusterWhere, serviceWhere] = [whereOf('cluster-cidr'), whereOf('service-cidr')]
    problems.push(overlappingCIDRs({cluster: clusterCIDR, clusterWhere, service: serviceCIDR, serviceWhere}))
  }

  if (problems.length > 0) throw new ProblemsError(problems)
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

/** Without the keys whose value is undefined: exactOptionalPropertyTypes tells them from absent ones. */
function defined<T>(object: object): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T
}
