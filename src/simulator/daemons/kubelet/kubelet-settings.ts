// What the kubelet refuses of values that it could decode: before it connects to the service manager, and when it runs.
import {parseGoDuration} from '../flags.js'
import type {Flags} from '../klog.js'
import type {KubeletConfig} from './kubelet-config.js'
import {isNegative, isQuantity, thresholdProblem} from './quantities.js'

/** pkg/kubelet/apis/config/validation/validation.go: field, flag, and what its number must be. */
const RANGES: readonly (readonly [field: string, flag: string, least: number, most?: number])[] = [
  ['nodeLeaseDurationSeconds', '', 0],
  ['eventBurst', 'event-burst', 0],
  ['eventRecordQPS', 'event-qps', 0],
  ['healthzPort', 'healthz-port', 0, 65_535],
  ['imageGCHighThresholdPercent', 'image-gc-high-threshold', 0, 100],
  ['imageGCLowThresholdPercent', 'image-gc-low-threshold', 0, 100],
  ['iptablesDropBit', 'iptables-drop-bit', 0, 31],
  ['iptablesMasqueradeBit', 'iptables-masquerade-bit', 0, 31],
  ['kubeAPIBurst', 'kube-api-burst', 0],
  ['kubeAPIQPS', 'kube-api-qps', 0],
  ['nodeStatusMaxImages', 'node-status-max-images', -1],
  ['maxOpenFiles', 'max-open-files', 0],
  ['maxPods', 'max-pods', 0],
  ['oomScoreAdj', 'oom-score-adj', -1000, 1000],
  ['podsPerCore', 'pods-per-core', 0],
  ['port', 'port', 0, 65_535],
  ['readOnlyPort', 'read-only-port', 0, 65_535],
  ['registryBurst', 'registry-burst', 0],
  ['registryPullQPS', 'registry-qps', 0],
  ['maxParallelImagePulls', '', 1],
  ['containerLogMaxWorkers', '', 1],
  // Up to 1.32 it is container_log_manager.go that refuses it, which Docker does not need.
  ['containerLogMaxFiles', 'container-log-max-files', 2],
  ['tracing.samplingRatePerMillion', '', 0, 1_000_000],
]

/** The same file, and logs/api/v1 and pkg/util/taints: texts that are one of some. An empty one is the default. */
function choicesOf(minor: number): readonly (readonly [field: string, flag: string, choices: string])[] {
  return [
    ['topologyManagerPolicy', 'topology-manager-policy', 'none best-effort restricted single-numa-node'],
    ['topologyManagerScope', 'topology-manager-scope', 'container pod'],
    ['hairpinMode', 'hairpin-mode', 'none hairpin-veth promiscuous-bridge'],
    ['memorySwap.swapBehavior', '', minor >= 30 ? 'LimitedSwap NoSwap' : 'LimitedSwap UnlimitedSwap'],
    [
      'imagePullCredentialsVerificationPolicy',
      '',
      'NeverVerify NeverVerifyPreloadedImages NeverVerifyAllowlistedImages AlwaysVerify',
    ],
    ['memoryReservationPolicy', '', 'None TieredReservation'],
    ['logging.format', 'logging-format', 'text json'],
  ]
}

const ENFORCED = 'none pods system-reserved kube-reserved'
const ENFORCED_SINCE_32 = `${ENFORCED} system-reserved-compressible kube-reserved-compressible`
const TAINT_EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']

const recordOf = (value: unknown): Readonly<Record<string, unknown>> => (value ?? {}) as Record<string, unknown>
const listOf = <T>(value: unknown): readonly T[] => (value ?? []) as T[]
/** Texts are decoded by now; null is none. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const valueOf = (config: KubeletConfig, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => recordOf(value)[name], config)

/** ValidateKubeletConfiguration, as far as it is simulated. A flag has priority over the file. */
export function configProblems(config: KubeletConfig, flags: Flags, minor: number): string[] {
  const given = (field: string, flag: string): unknown => flags.get(flag) ?? valueOf(config, field) ?? undefined
  const named = (field: string, flag: string): string => (flag === '' ? field : `${field} (--${flag})`)
  const numbers = RANGES.flatMap(([field, flag, least, most = Infinity]) => {
    if (field === 'containerLogMaxFiles' && minor < 24) return []
    const value = Number(given(field, flag) ?? least)
    if (value >= least && value <= most) return []
    const wanted = most === Infinity ? `must be ${least} or greater` : `must be between ${least} and ${most}, inclusive`
    return [`${named(field, flag)} ${value} ${wanted}`]
  })
  const texts = choicesOf(minor).flatMap(([field, flag, choices]) => {
    const value = textOf(given(field, flag))
    if (value === '' || choices.split(' ').includes(value)) return []
    return [`${named(field, flag)} "${value}" must be one of: ${choices.split(' ').join(', ')}`]
  })
  const high = Number(given('imageGCHighThresholdPercent', 'image-gc-high-threshold') ?? 85)
  const low = Number(given('imageGCLowThresholdPercent', 'image-gc-low-threshold') ?? 80)
  const levels = (minor >= 32 ? ENFORCED_SINCE_32 : ENFORCED).split(' ')
  return [
    ...numbers,
    ...(low >= high
      ? [
          `imageGCLowThresholdPercent (--image-gc-low-threshold) ${low} must be less than imageGCHighThresholdPercent (--image-gc-high-threshold) ${high}`,
        ]
      : []),
    ...texts,
    ...listOf<string>(config['enforceNodeAllocatable'])
      .filter((level) => !levels.includes(level))
      .map((level) => `option "${level}" specified for enforceNodeAllocatable (--enforce-node-allocatable)`),
    ...listOf<{effect?: string; timeAdded?: unknown} | null>(config['registerWithTaints']).flatMap((taint) => {
      const {effect = '', timeAdded} = taint ?? {}
      if (effect && !TAINT_EFFECTS.includes(effect)) return [`invalid taint: ${effect}`]
      return timeAdded === undefined || timeAdded === null ? [] : ['taint.TimeAdded is not nil']
    }),
  ].map((problem) => `invalid configuration: ${problem}`)
}

/** component-base/cli/flag/ciphersuites_flag.go, in InitializeTLS. */
export const tlsProblem = (config: KubeletConfig): string | undefined =>
  choiceProblem(config, 'tlsMinVersion', 'VersionTLS10 VersionTLS11 VersionTLS12 VersionTLS13')

/** eviction/helpers.go, validSignal. */
const SIGNALS = `allocatableMemory.available imagefs.available imagefs.inodesFree memory.available nodefs.available
  nodefs.inodesFree pid.available`
const SIGNALS_SINCE_29 = `${SIGNALS} containerfs.available containerfs.inodesFree`

/** Why a kubelet ends that has connected to the service manager: cmd/kubelet/app/server.go, run, and kubelet.go. */
export function settingsProblem(config: KubeletConfig, minor: number): string | undefined {
  const signals = (minor >= 29 ? SIGNALS_SINCE_29 : SIGNALS).split(/\s+/)
  const texts = (field: string): [string, string][] =>
    Object.entries(recordOf(config[field])).map(([name, value]) => [name, textOf(value)])
  const evictions = ['evictionHard', 'evictionSoft', 'evictionSoftGracePeriod', 'evictionMinimumReclaim']
  const logSize = textOf(config['containerLogMaxSize']) || '10Mi'
  const grace = new Set(texts('evictionSoftGracePeriod').map(([signal]) => signal))
  return [
    choiceProblem(config, 'authorization.mode', 'AlwaysAllow Webhook'),
    ...['kubeReserved', 'systemReserved'].flatMap((field) =>
      texts(field).map(([name, text]) => {
        if (!['cpu', 'ephemeral-storage', 'memory', 'pid'].includes(name)) return `cannot reserve "${name}" resource`
        if (!isQuantity(text)) return `failed to parse quantity "${text}" for "${name}" resource`
        return isNegative(text) ? `resource quantity for "${name}" cannot be negative: ${text}` : undefined
      }),
    ),
    ...evictions.flatMap((field) =>
      texts(field).map(([signal, text]) => {
        if (!signals.includes(signal)) return `unsupported eviction signal ${signal}`
        if (field !== 'evictionSoftGracePeriod') {
          return thresholdProblem(signal, text, field === 'evictionMinimumReclaim' ? 'reclaim' : 'threshold')
        }
        const period = parseGoDuration(text)
        if (period === undefined) return `time: invalid duration "${text}"`
        return period < 0 ? `invalid eviction grace period specified: ${text}, must be a positive value` : undefined
      }),
    ),
    ...texts('evictionSoft').map(([signal]) =>
      grace.has(signal) ? undefined : `grace period must be specified for the soft eviction threshold ${signal}`,
    ),
    choiceProblem(config, 'configMapAndSecretChangeDetectionStrategy', 'Get Cache Watch'),
    isQuantity(logSize)
      ? undefined
      : `failed to initialize container log manager: failed to parse container log max size "${logSize}"`,
  ].find((problem) => problem !== undefined)
}

function choiceProblem(config: KubeletConfig, path: string, choices: string): string | undefined {
  const value = textOf(valueOf(config, path))
  return value === '' || choices.split(' ').includes(value) ? undefined : `unknown ${path} "${value}"`
}
