// One parser a kind of value: the value, or why it cannot be used and what is wanted.
import {win32} from 'node:path'
import {badValue, remoteDocker} from '../../errors/input.js'
import type {K8sWinError} from '../../errors/k8s-win-error.js'
import {RESERVED} from '../base-dir.js'
import {ARTIFACT_IDS, type ArtifactId} from '../artifact-ids.js'
import {cidrsOf, formatCidr, isLinkLocal, networkOf, overlap, parseAddress, parseCidr, whyNoNetwork} from '../cidr.js'
import {LAUNCHERS} from '../launchers.js'
import {BASE_IMAGES, CLOUDS, type Digest} from '../model.js'
import {nearest} from '../nearest.js'
import {parseVersion, type Version} from '../version.js'

export interface Refusal {
  readonly reason: string
  /** What messages show in place of the text, where that is a secret or contains one. */
  readonly shown?: string
  readonly wanted: string
}

export type OptionParser<T> = (text: string) => Refusal | {readonly value: T}

/** The value of a flag that no table of options has. */
export function parsedFlag<T>(flag: string, value: string, parse: OptionParser<T>): T {
  const read = parse(value)
  if ('value' in read) return read.value
  throw badValue({flag, ...read, value, where: `--${flag}`})
}

export const wholeNumber =
  (least: number, most: number): OptionParser<number> =>
  (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Infinity
    const wanted = `a whole number from ${least} to ${most}`
    return value >= least && value <= most ? {value} : {reason: 'It is not a valid number.', wanted}
  }

/** A thousand hops per second are as many as can be watched. */
export const speedFactor: OptionParser<number> = (text) => {
  const value = Number(text)
  if (/^\d+(?:\.\d+)?$/.test(text) && value <= 1000 && (value === 0 || value >= 0.01)) return {value}
  return {
    reason: 'It is not a factor from 0.01 to 1000, or 0.',
    wanted: '0 (no waiting), 1 (real time), or a factor, such as 10 or 0.5',
  }
}

export const serviceCIDR: OptionParser<string> = (text) => {
  const wanted = 'an IPv4 network in CIDR notation, such as 10.96.0.0/12, or several with commas'
  const given = cidrsOf(text)
  const refused = given.map((one) => cidr(one, wanted, 28, '')).find((one) => !('value' in one))
  if (refused) return refused
  const twice = given.find((one, index) => given.slice(0, index).some((other) => overlap(one, other)))
  return twice === undefined ? {value: text} : {reason: `${twice} overlaps another of these networks.`, wanted}
}

export const clusterCIDR: OptionParser<string> = (text) =>
  cidr(text, 'an IPv4 network in CIDR notation, such as 10.244.0.0/16', 24, ': every node gets a /24 of it')

function cidr(text: string, wanted: string, longest: number, because: string): ReturnType<OptionParser<string>> {
  const parsed = parseCidr(text)
  if (!parsed) return {reason: 'It is not an IPv4 network in CIDR notation.', wanted}
  if (parsed.prefix < 8 || parsed.prefix > longest)
    return {reason: `Its prefix must be from /8 to /${longest}${because}.`, wanted}
  const reason = whyNoNetwork(parsed)
  if (reason !== undefined) return {reason, wanted}
  const network = formatCidr(networkOf(parsed))
  return network === text
    ? {value: text}
    : {reason: `It has bits behind the prefix; the network is ${network}.`, wanted: network}
}

export const address: OptionParser<string> = (text) => {
  const wanted = 'an IPv4 address, such as 10.0.0.5'
  if (parseAddress(text) === undefined) return {reason: 'It is not an IPv4 address.', wanted}
  if (isLinkLocal(text))
    return {
      reason: 'Windows assigns 169.254 addresses itself if it gets no other; other machines cannot reach them.',
      wanted,
    }
  if (/^(0|127)\./.test(text)) return {reason: 'Other machines cannot reach this address.', wanted}
  return {value: text}
}

/** `example`: one that there is of the thing itself. */
export const version =
  (example: string): OptionParser<Version> =>
  (text) => {
    const parsed = parseVersion(text)
    if (parsed) return {value: parsed}
    const reason = /^v?\d+\.\d+$/.test(text)
      ? 'A version has three numbers: name the patch, too.'
      : 'It is not a valid version.'
    return {reason, wanted: `a version such as ${example}`}
  }

/** RFC 1123 subdomain. Node names are lower case everywhere (kubernetes#71799). */
export const nodeName: OptionParser<string> = (text) => {
  const name = text.toLowerCase()
  return isNodeName(name)
    ? {value: name}
    : {reason: 'Kubernetes takes letters, digits, "-" and "." in a node name.', wanted: 'a name such as win-1'}
}

/** The kubelet puts it into the label kubernetes.io/hostname, and a label takes 63 letters. */
export function isNodeName(name: string): boolean {
  return name.length <= 63 && isDomain(name)
}

export function isDomain(name: string): boolean {
  return name.length <= 253 && /^[\da-z]([\da-z-]*[\da-z])?(\.[\da-z]([\da-z-]*[\da-z])?)*$/.test(name)
}

export const domain: OptionParser<string> = (text) =>
  isDomain(text) ? {value: text} : {reason: 'It is not a valid DNS domain.', wanted: 'a domain such as cluster.local'}

export const tag: OptionParser<string> = (text) =>
  /^\w[\w.-]{0,127}$/.test(text)
    ? {value: text}
    : {reason: 'It is not a valid image tag.', wanted: 'a tag such as ltsc2019'}

/** The path's words are as Docker takes them (distribution/reference, path-component). */
export const registry: OptionParser<string> = (text) =>
  /^[\da-z]([\da-z.-]*[\da-z])?(:\d{1,5})?(\/[\da-z]+(([._]|__|-+)[\da-z]+)*)*$/.test(text)
    ? {value: text}
    : {
        reason: 'It is not a valid registry host.',
        wanted: 'a host with the same paths, such as registry.example.com:5000',
      }

export const file: OptionParser<string> = (text) =>
  text.trim() === '' ? {reason: 'It is empty.', wanted: 'the path of a file'} : {value: text}

export const absoluteFile: OptionParser<string> = (text) =>
  // A colon behind the drive's names a stream of another file.
  /^[a-z]:[/\\][^"*:<>?|]*[^"*/:<>?\\|]$/i.test(text) && !text.split(/[/\\]/).some((name) => RESERVED.test(name))
    ? {value: win32.normalize(text)}
    : {reason: 'It is not an absolute path of a file on a drive.', wanted: String.raw`a file such as c:\reset.log`}

/** windows_exporter reads only files whose names end so. */
export const metricsFile: OptionParser<string | undefined> = (text) => {
  if (text === 'none') return {value: undefined}
  const file = absoluteFile(text)
  const wanted = String.raw`a file such as C:\Program Files\windows_exporter\textfile_inputs\k8s-win.prom`
  if (!('value' in file)) return {...file, wanted}
  return /[^\\]\.prom$/.test(file.value) ? file : {reason: 'Its name does not end in .prom.', wanted}
}

export const interfaceName: OptionParser<string> = (text) =>
  text.trim() === '' ? {reason: 'It is empty.', wanted: 'the name of an adapter, such as Ethernet0'} : {value: text}

const duration =
  (hours: number, such: string): OptionParser<number> =>
  (text) => {
    const ms = durationMs(text) ?? 0
    return ms >= 1000 && ms <= hours * 3_600_000
      ? {value: ms}
      : {reason: `It is not a duration between one second and ${hours} hours.`, wanted: `a duration such as ${such}`}
  }

/** For the whole run. */
export const timeout = duration(24, '90s, 15m or 1h')
export const pauseLength = duration(720, '30m or 2h')
/** Between two checks. */
export const interval = duration(24, '5s or 1m')

export const truth: OptionParser<boolean> = (text) => {
  const word = text.toLowerCase()
  return word === 'true' || word === 'false'
    ? {value: word === 'true'}
    : {reason: 'It is neither true nor false.', wanted: 'true or false'}
}

/** One of a list of names; anything else is refused with the nearest name. */
export function oneOf<T extends string>(names: readonly T[]): OptionParser<T> {
  return (text) => {
    const found = names.find((name) => name === text.toLowerCase())
    if (found !== undefined) return {value: found}
    const near = nearest(text, names)
    return {
      reason: near === undefined ? 'The name is unknown.' : `The name is unknown; did you mean ${near}?`,
      wanted: `one of: ${names.join(', ')}`,
    }
  }
}

/** The value of --base-images that names no image. */
export const NO_IMAGES = 'none'
export const RUNTIMES = ['auto', 'containerd', 'docker'] as const
export const runtime = oneOf(RUNTIMES)
export const launcher = oneOf(LAUNCHERS)
export const cloud = oneOf(['auto', ...CLOUDS] as const)
export const baseImage = oneOf([...BASE_IMAGES, NO_IMAGES] as const)

const DIGEST_LENGTH = {sha256: 64, sha512: 128} as const

export const digest: OptionParser<readonly [ArtifactId, Digest]> = (text) => {
  const match = /^([\da-z-]+)=(sha256|sha512):([\da-f]+)$/i.exec(text)
  const artifact = ARTIFACT_IDS.find((id) => id === match?.[1]?.toLowerCase())
  const algorithm = match?.[2]?.toLowerCase() as Digest['algorithm'] | undefined
  const hex = match?.[3]?.toLowerCase() ?? ''
  if (artifact && algorithm && hex.length === DIGEST_LENGTH[algorithm]) return {value: [artifact, {algorithm, hex}]}
  const reason =
    artifact === undefined && match !== null
      ? `Unknown artifact; valid are ${ARTIFACT_IDS.join(', ')}.`
      : 'A sha256 has 64 hexadecimal digits, a sha512 has 128.'
  return {reason, wanted: '<artifact>=<sha256|sha512>:<hex>'}
}

/** Set by k8s-win itself: with another value there is no overlay network on Windows. */
export const OWN_GATES = ['IPv6DualStack', 'WinDSR', 'WinOverlay']

export const featureGate: OptionParser<readonly [name: string, isOn: boolean]> = (text) => {
  const [, name = '', isOn] = /^([A-Z]\w{2,80})=(true|false)$/.exec(text) ?? []
  if (name === '')
    return {
      reason: 'It is not a feature gate with true or false.',
      wanted: '<name>=<true|false>, such as NodeLogQuery=true',
    }
  if (OWN_GATES.includes(name)) return {reason: `k8s-win sets ${name} itself.`, wanted: 'another feature gate'}
  return {value: [name, isOn === 'true']}
}

/** In milliseconds; undefined where it is none. */
export function durationMs(text: string): number | undefined {
  const match = /^(?=\d)(?:(\d{1,5})h)?(?:(\d{1,5})m)?(?:(\d{1,5})s)?$/.exec(text)
  if (!match) return undefined
  const [hours, minutes, seconds] = [1, 2, 3].map((group) => Number(match[group] ?? 0)) as [number, number, number]
  return ((hours * 60 + minutes) * 60 + seconds) * 1000
}

export const DEFAULT_DOCKER_PIPE = String.raw`\\.\pipe\docker_engine`

/** The option, else DOCKER_HOST, else the default. `where` is how the option was given. */
export function resolveDockerPipe(
  option: string | undefined,
  dockerHost: string | undefined,
  report: (problem: K8sWinError) => void,
  where = '--docker-endpoint',
): string {
  const [origin, endpoint] = option === undefined ? ['DOCKER_HOST', dockerHost] : [where, option]
  if (endpoint === undefined || endpoint === '') return DEFAULT_DOCKER_PIPE
  const match = /^npipe:\/\/[/\\]{1,2}\.[/\\]pipe[/\\]([\w.-]+)$/.exec(endpoint)
  if (match) return `\\\\.\\pipe\\${String(match[1])}`
  report(remoteDocker({endpoint, origin}))
  return DEFAULT_DOCKER_PIPE
}
