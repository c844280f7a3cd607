// From what was given, as text, to a valid configuration: pure, and with all problems at once.
import {badValue, overlappingCIDRs, releaseUnsupported} from '../errors/input.js'
import {type K8sWinError, ProblemsError} from '../errors/k8s-win-error.js'
import {normalizeBaseDir} from './base-dir.js'
import {overlaps, parseCidr} from './cidr.js'
import {type GivenOptions, type OptionFlag, OPTIONS} from './options.js'
import * as parse from './parse-option.js'
import {resolveDockerPipe} from './docker-endpoint.js'
import type {Identity, SetupConfig} from './model.js'
import {isBelow} from './version.js'

export interface ResolveInput {
  /** DOCKER_HOST of the environment. */
  readonly dockerHost?: string | undefined
  readonly given: GivenOptions
}

/** Throws a ProblemsError that lists everything that is wrong. */
export function resolveConfig(input: ResolveInput): SetupConfig {
  const problems: K8sWinError[] = []
  const text = (flag: OptionFlag): string | undefined => {
    const given = input.given[flag]
    return typeof given === 'string' ? given : undefined
  }

  const value = <T>(flag: OptionFlag, parser: parse.OptionParser<T>): T | undefined => {
    const given = text(flag) ?? defaultOf(flag)
    if (given === undefined) return undefined
    const parsed = parser(given)
    if ('value' in parsed) return parsed.value
    problems.push(badValue({flag, reason: parsed.reason, value: given, wanted: parsed.wanted}))
    return undefined
  }

  const config = {
    baseDir: value('base-dir', baseDir),
    clientCAFile: value('client-ca-file', parse.file),
    clusterCIDR: value('cluster-cidr', parse.cidr),
    clusterDNS: value('cluster-dns', parse.address),
    clusterDomain: value('cluster-domain', parse.domain),
    digests: parse.digests(input.given.digest, (problem) => problems.push(problem)),
    dockerPipe: resolveDockerPipe(text('docker-endpoint'), input.dockerHost, (problem) => problems.push(problem)),
    identityFiles: defined<Partial<Record<Identity, string>>>({
      flanneld: value('flanneld-kubeconfig', parse.file),
      'kube-proxy': value('kube-proxy-kubeconfig', parse.file),
      kubelet: value('kubelet-kubeconfig', parse.file),
    }),
    imageRegistry: value('image-registry', parse.registry),
    interfaceName: text('interface-name') === undefined ? undefined : value('interface-name', parse.interfaceName),
    kubeconfig: value('kubeconfig', parse.file),
    nanoserverTag: value('nanoserver-tag', parse.tag),
    nodeIP: value('node-ip', parse.address),
    nodeName: value('node-name', parse.nodeName),
    release: value('release', parse.version),
    servercoreTag: value('servercore-tag', parse.tag),
    serviceCIDR: value('service-cidr', parse.cidr),
    versions: {
      cni: value('cni-version', parse.version),
      flannel: value('flannel-version', parse.version),
      flannelCNI: value('flannel-cni-version', parse.version),
    },
  }

  if (config.release && (isBelow(config.release, 1, 21) || !isBelow(config.release, 1, 24))) {
    problems.push(releaseUnsupported({release: config.release.text}))
  }

  const [cluster, service] = [parseCidr(config.clusterCIDR ?? ''), parseCidr(config.serviceCIDR ?? '')]
  if (cluster && service && overlaps(cluster, service)) {
    problems.push(overlappingCIDRs({cluster: String(config.clusterCIDR), service: String(config.serviceCIDR)}))
  }

  if (problems.length > 0) throw new ProblemsError(problems)
  for (const part of Object.values(config)) Object.freeze(part)
  return Object.freeze(defined<SetupConfig>(config))
}

function defaultOf(flag: OptionFlag): string | undefined {
  const option = OPTIONS.find((candidate) => candidate.flag === flag)
  return option && 'default' in option ? option.default : undefined
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
