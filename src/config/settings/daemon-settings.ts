// What a user sets for the daemons themselves: flags of their programs, and fields of the kubelet's configuration. The user's
// value replaces that of k8s-win, except where k8s-win needs its own (protected-settings.ts).
import {badValue} from '../../errors/input.js'
import type {K8sWinError} from '../../errors/k8s-win-error.js'
import {type Arguments, type DaemonSettings, type Fields, IDENTITIES, type Identity} from '../model.js'
import {flagProblems, areFlagsKnown} from './flag-problems.js'
import {isPlain} from './go-values.js'
import {kubeletConfigProblems} from './kubelet-config-problems.js'
import type {Layered} from '../options/layers.js'
import {entriesOf, KUBELET_FIELDS, splitPair} from '../options/options.js'
import {featureGate, type OptionParser} from '../options/parse-option.js'
import {insteadOf, protectedAs} from './protected-settings.js'
import {isRecord} from '../shape.js'
import type {Version} from '../version.js'

/** As JSON, and of all flags of a daemon: Windows takes 32,767 characters for a command line, and setup reads 64 KB of node.yaml. */
const LONGEST = {arguments: 4000, fields: 8000}

export const daemonArgument =
  (program: Identity): OptionParser<readonly [name: string, value: string]> =>
  (text) => {
    const [, name = '', value] = /^([^=]*)(?:=([^]*))?$/.exec(text) ?? []
    const wanted = '<name>=<value>, such as v=4'
    if (name.startsWith('-')) return {reason: 'The hyphens of the flag are added by k8s-win.', wanted}
    if (!/^[a-z][a-z\d-]*$/.test(name)) return {reason: 'It does not begin with the name of a flag.', wanted}
    if (value === undefined) return {reason: 'It has no value.', wanted: `${name}=<value>, such as ${name}=true`}
    if (!isPlain(value)) return {reason: 'It has characters that a command line cannot have.', wanted}
    const own = protectedAs(program, `--${name}`)
    if (own) return {reason: `k8s-win needs its own --${name}. ${own.reason}`, wanted: insteadOf(own)}
    for (const gate of name === 'feature-gates' ? value.split(',') : []) {
      const judged = featureGate(gate)
      if (!('value' in judged)) return judged
    }
    return {value: [name, value]}
  }

/** Those of the flag, which the parser has judged. */
export const gatesIn = ({'feature-gates': text}: Arguments): Record<string, boolean> =>
  Object.fromEntries((text?.split(',') ?? []).map((gate) => [splitPair(gate)[0], gate.endsWith('=true')]))

/** Fields whose flag is called otherwise (cmd/kubelet/app/options/options.go, AddKubeletConfigFlags, 1.21 to 1.36). */
const FLAG_OF_FIELD: Readonly<Record<string, string>> = {
  'authentication.anonymous.enabled': 'anonymous-auth',
  'authentication.webhook.cacheTTL': 'authentication-token-webhook-cache-ttl',
  'authentication.webhook.enabled': 'authentication-token-webhook',
  'authorization.mode': 'authorization-mode',
  'authorization.webhook.cacheAuthorizedTTL': 'authorization-webhook-cache-authorized-ttl',
  'authorization.webhook.cacheUnauthorizedTTL': 'authorization-webhook-cache-unauthorized-ttl',
  contentType: 'kube-api-content-type',
  enableContentionProfiling: 'contention-profiling',
  eventRecordQPS: 'event-qps',
  imageGCHighThresholdPercent: 'image-gc-high-threshold',
  imageGCLowThresholdPercent: 'image-gc-low-threshold',
  imageMinimumGCAge: 'minimum-image-ttl-duration',
  'logging.format': 'logging-format',
  'logging.flushFrequency': 'log-flush-frequency',
  'logging.verbosity': 'v',
  'logging.vmodule': 'vmodule',
  podPidsLimit: 'pod-max-pids',
  registryPullQPS: 'registry-qps',
  reservedSystemCPUs: 'reserved-cpus',
  serverTLSBootstrap: 'rotate-server-certificates',
  staticPodURL: 'manifest-url',
}

/** The flag that sets the same, if the kubelet has one: then it wins over the file. */
const flagOfField = (path: string, args: Arguments): string | undefined => {
  const plain = path.toLowerCase()
  return Object.keys(args).find((flag) => flag === FLAG_OF_FIELD[path] || flag.replaceAll('-', '') === plain)
}

/** What a user sets for a field of the kubelet, with its flag, which is text, or with the field. Undefined if neither. */
export function kubeletSetting({args, kubeletConfig}: DaemonSettings, path: string): unknown {
  const flag = flagOfField(path, args.kubelet)
  if (flag !== undefined) return args.kubelet[flag]
  return path.split('.').reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), kubeletConfig)
}

export const NO_SETTINGS: DaemonSettings = {args: {flanneld: {}, 'kube-proxy': {}, kubelet: {}}, kubeletConfig: {}}

export const hasOtherSettings = (from: DaemonSettings, to: DaemonSettings): boolean =>
  JSON.stringify([from.args, from.kubeletConfig]) !== JSON.stringify([to.args, to.kubeletConfig])

/** Nothing but the program itself knows the flags of this flanneld. */
export const asksFlanneld = ({
  args,
  versions,
}: DaemonSettings & {readonly versions: {readonly flannel: Version}}): boolean =>
  Object.keys(args.flanneld).length > 0 && !areFlagsKnown('flanneld', versions.flannel)

type Places = Pick<Layered, 'given' | 'where'>

/** How the user has set it: each entry of a list, and each field of the file, has its own place there. */
export function placeOf({given, where}: Places, flag: `${Identity}-arg` | 'kubelet-config', name: string): string {
  const places = where[flag] ?? `--${flag}`
  if (typeof places === 'string') return places
  const names =
    flag === 'kubelet-config'
      ? Object.keys(JSON.parse(String(given[flag])) as object)
      : entriesOf(given[flag], 'arguments').map((entry) => splitPair(entry)[0])
  return places[names.indexOf(name)] ?? `--${flag}`
}

interface Judged extends DaemonSettings {
  readonly release?: Version | undefined
  readonly versions: {readonly flannel?: Version}
}

/** What is wrong with the settings by themselves or with two of them together, and, if the release is known, for its daemons. */
export function settingsProblems({args, kubeletConfig, release, versions}: Judged, layered: Places): K8sWinError[] {
  const problems: K8sWinError[] = []
  const whereOf = (path: string): string => {
    const [name = ''] = /^[^.[]*/.exec(path) ?? []
    return `${placeOf(layered, 'kubelet-config', name)}${path.slice(name.length)}`
  }
  const refuse = (path: string, value: unknown, reason: string, wanted: string): void => {
    const shown = isRecord(value) ? '{…}' : JSON.stringify(value)
    problems.push(badValue({flag: `${FIELDS}${path}`, reason, value: shown, wanted, where: whereOf(path)}))
  }

  const {length} = JSON.stringify(kubeletConfig)
  if (length > LONGEST.fields) refuse('', `${length} characters`, tooLong(LONGEST.fields), 'fewer or shorter fields')
  for (const [path, value] of leavesOf(kubeletConfig)) {
    const own = protectedAs('kubelet', path)
    const flag = flagOfField(path, args.kubelet)
    if (own) refuse(path, value, `k8s-win needs its own ${path}. ${own.reason}`, insteadOf(own))
    else if (value === null) refuse(path, value, `${path} is empty.`, 'a value for each field')
    else if (flag !== undefined && flag !== 'feature-gates') {
      const reason = `--kubelet-arg ${flag} sets the same, and the kubelet would ignore ${path}.`
      refuse(path, value, reason, 'one of the two')
    }
  }
  for (const program of IDENTITIES) {
    const {length: all} = Object.entries(args[program]).join('')
    const flag = `${program}-arg` as const
    const shown = {reason: tooLong(LONGEST.arguments), value: `${all} characters`, wanted: 'fewer or shorter flags'}
    if (all > LONGEST.arguments) problems.push(badValue({flag, ...shown, where: placeOf(layered, flag, '')}))
    const version = program === 'flanneld' ? versions.flannel : release
    if (version) problems.push(...flagProblems(program, args[program], version, (name) => placeOf(layered, flag, name)))
  }
  // What is refused already is not judged again.
  const refused = new Set(problems.map(({message}) => message.split(' "')[0]))
  const wrong = release
    ? kubeletConfigProblems(kubeletConfig, release, (path) => whereOf(path.slice(FIELDS.length)))
    : []
  return [...problems, ...wrong.filter(({message}) => !refused.has(message.split(' "')[0]))]
}

const FIELDS = `${KUBELET_FIELDS.key}.`
const tooLong = (most: number): string => `All of it together is longer than ${most} characters.`

/** Every value that is not a mapping, and every mapping, by its path. */
function leavesOf(fields: Fields, above = ''): [path: string, value: unknown][] {
  return Object.entries(fields).flatMap(([name, value]) => {
    const path = `${above}${name}`
    return [[path, value] as [string, unknown], ...(isRecord(value) ? leavesOf(value, `${path}.`) : [])]
  })
}

/** Mappings key by key; everything else, also a list, is replaced. */
export function mergedFields(own: Fields, users: Fields): Fields {
  const merged = Object.entries(users).map(([name, value]) => {
    const before = Object.hasOwn(own, name) ? own[name] : undefined
    return [name, isRecord(before) && isRecord(value) ? mergedFields(before, value) : value] as const
  })
  return Object.fromEntries([...Object.entries(own), ...merged])
}

/** Without the flags of k8s-win that would win over a field of the user's. */
export const withoutFlagsOf = (fields: Fields, line: readonly string[]): string[] => {
  const own = Object.fromEntries(line.map((flag) => /^--([^=]+)=?([^]*)$/.exec(flag)?.slice(1) as [string, string]))
  const replaced = leavesOf(fields).flatMap(([path, value]) => {
    const flag = flagOfField(path, own)
    return flag !== undefined && own[flag] !== value && own[flag] !== JSON.stringify(value) ? [flag] : []
  })
  return line.filter((flag) => !replaced.some((name) => flag.startsWith(`--${name}=`)))
}

/** A command line with the user's flags at its end, in place of its own of these names. */
export const withArguments = (line: readonly string[], args: Arguments): string[] => [
  ...line.filter((flag) => !Object.hasOwn(args, /^--([^=]+)/.exec(flag)?.[1] ?? '')),
  ...Object.entries(args).map(([name, value]) => `--${name}=${value}`),
]
