// The fields of KubeletConfiguration as Go decodes them from JSON, strictly: their names, types and minors.
// staging/src/k8s.io/kubelet/config/v1beta1/types.go at the last tag of 1.21 to 1.36 and at v1.37.0-rc.1, with what it embeds
// of component-base (config/v1alpha1, logs/api/v1, tracing/api/v1) and api/core/v1.
import {remembered} from '../../../machine/remembered.js'
import {parseGoDuration} from '../flags.js'
import {isQuantity} from './quantities.js'

/** Names by their Go type. `@22`: from 1.22 on. `@23-27`: in 1.23 to 1.27. */
type Struct = Readonly<Record<string, string>>

const STRUCTS: Readonly<Record<string, Struct>> = {
  KubeletConfiguration: {
    bool: `cgroupsPerQOS cpuCFSQuota enableContentionProfiling enableControllerAttachDetach enableDebugFlagsHandler
      enableDebuggingHandlers enableProfilingHandler enableServer enableSystemLogHandler enableSystemLogQuery@27
      failCgroupV1@31 failSwapOn kernelMemcgNotification localStorageCapacityIsolation@25 makeIPTablesUtilChains
      mergeDefaultEvictionSettings@33 protectKernelDefaults registerNode@23 rotateCertificates runOnce seccompDefault@22
      serializeImagePulls serverTLSBootstrap singleProcessOOMKill@32`,
    float64: 'memoryThrottlingFactor@22',
    int32: `containerLogMaxFiles containerLogMaxWorkers@30 eventBurst eventRecordQPS evictionMaxPodGracePeriod healthzPort
      imageGCHighThresholdPercent imageGCLowThresholdPercent iptablesDropBit iptablesMasqueradeBit kubeAPIBurst kubeAPIQPS
      maxParallelImagePulls@27 maxPods nodeLeaseDurationSeconds nodeStatusMaxImages oomScoreAdj podsPerCore port
      readOnlyPort registryBurst registryPullQPS`,
    int64: 'maxOpenFiles podPidsLimit',
    string: `address apiVersion cgroupDriver cgroupRoot clusterDomain configMapAndSecretChangeDetectionStrategy
      containerLogMaxSize containerRuntimeEndpoint@27 contentType cpuManagerPolicy hairpinMode healthzBindAddress
      imagePullCredentialsVerificationPolicy@33 imageServiceEndpoint@27 kind kubeReservedCgroup kubeletCgroups
      memoryManagerPolicy memoryReservationPolicy@36 podCIDR podLogsDir@30 providerID reservedSystemCPUs resolvConf
      showHiddenMetricsForVersion staticPodPath staticPodURL systemCgroups systemReservedCgroup tlsCertFile tlsMinVersion
      tlsPrivateKeyFile topologyManagerPolicy topologyManagerScope volumePluginDir`,
    'metav1.Duration': `cpuManagerReconcilePeriod evictionPressureTransitionPeriod fileCheckFrequency httpCheckFrequency
      imageMaximumGCAge@29 imageMinimumGCAge nodeStatusReportFrequency nodeStatusUpdateFrequency runtimeRequestTimeout
      shutdownGracePeriod shutdownGracePeriodCriticalPods streamingConnectionIdleTimeout syncFrequency volumeStatsAggPeriod`,
    '*metav1.Duration': 'containerLogMonitorInterval@30 cpuCFSQuotaPeriod',
    '[]int32': 'tlsCurvePreferences@36',
    '[]string': `allowedUnsafeSysctls clusterDNS enforceNodeAllocatable preloadedImagesVerificationAllowlist@33
      tlsCipherSuites`,
    'map[string]bool': 'featureGates',
    'map[string]string': `cpuManagerPolicyOptions@22 defaultPodSysctls@37 evictionHard evictionMinimumReclaim evictionSoft
      evictionSoftGracePeriod kubeReserved qosReserved systemReserved topologyManagerPolicyOptions@26`,
    'map[string][]string': 'staticPodURLHeader',
    KubeletAuthentication: 'authentication',
    KubeletAuthorization: 'authorization',
    CrashLoopBackOffConfig: 'crashLoopBackOff@32',
    LoggingConfiguration: 'logging',
    MemorySwapConfiguration: 'memorySwap@22',
    TracingConfiguration: 'tracing@25',
    UserNamespaces: 'userNamespaces@33',
    '[]MemoryReservation': 'reservedMemory',
    '[]ShutdownGracePeriodByPodPriority': 'shutdownGracePeriodByPodPriority@23',
    '[]Taint': 'registerWithTaints@23',
  },
  CrashLoopBackOffConfig: {'*metav1.Duration': 'maxContainerRestartPeriod'},
  FormatOptions: {OutputRoutingOptions: 'json text@30'},
  KubeletAnonymousAuthentication: {bool: 'enabled'},
  KubeletAuthentication: {
    KubeletAnonymousAuthentication: 'anonymous',
    KubeletWebhookAuthentication: 'webhook',
    KubeletX509Authentication: 'x509',
  },
  KubeletAuthorization: {string: 'mode', KubeletWebhookAuthorization: 'webhook'},
  KubeletWebhookAuthentication: {bool: 'enabled', 'metav1.Duration': 'cacheTTL'},
  KubeletWebhookAuthorization: {'metav1.Duration': 'cacheAuthorizedTTL cacheUnauthorizedTTL'},
  KubeletX509Authentication: {string: 'clientCAFile'},
  LoggingConfiguration: {
    bool: 'sanitization@21-23',
    // A time.Duration, before it could also be written with a unit.
    int64: 'flushFrequency@23-27',
    string: 'format',
    uint32: 'verbosity@23',
    FormatOptions: 'options@23',
    TimeOrMetaDuration: 'flushFrequency@28',
    '[]VModuleItem': 'vmodule@23',
  },
  MemoryReservation: {int32: 'numaNode', 'map[string]resource.Quantity': 'limits'},
  MemorySwapConfiguration: {string: 'swapBehavior'},
  OutputRoutingOptions: {bool: 'splitStream', 'resource.Quantity': 'infoBufferSize'},
  ShutdownGracePeriodByPodPriority: {int32: 'priority', int64: 'shutdownGracePeriodSeconds'},
  Taint: {string: 'effect key value', '*metav1.Time': 'timeAdded'},
  TracingConfiguration: {int32: 'samplingRatePerMillion', string: 'endpoint'},
  UserNamespaces: {int64: 'idsPerPod'},
  VModuleItem: {string: 'filePattern', uint32: 'verbosity'},
}

/** The types of a structure's fields, by minor. */
export const fieldsOf = remembered((minor: number) =>
  remembered(
    (name: string): ReadonlyMap<string, string> =>
      new Map(
        Object.entries(STRUCTS[name] ?? {}).flatMap(([type, names]) =>
          names.split(/\s+/).flatMap((entry) => {
            const [field = '', span = '0'] = entry.split('@')
            const [since = 0, until = span.includes('-') ? 0 : Infinity] = span.split('-').map(Number)
            return since <= minor && minor <= until ? [[field, type] as const] : []
          }),
        ),
      ),
  ),
)

interface DecodedFields {
  readonly error?: string
  /** Paths. */
  readonly unknown: readonly string[]
}

/** encoding/json: the first wrong type ends it; null leaves what was there, but where a type reads it itself. */
export function decodeFields(config: unknown, minor: number): DecodedFields {
  const unknown: string[] = []
  const decode = (value: unknown, type: string, path: string): string | undefined => {
    const inner = /^(?:\[\]|map\[string\]|\*)(.*)/.exec(type)?.[1]
    if (value === null && type !== 'metav1.Duration') return undefined
    if (type.startsWith('*')) return decode(value, inner ?? '', path)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    const wrong = `json: cannot unmarshal ${jsonType(value)} into Go struct field KubeletConfiguration.${path} of type ${type}`
    if (inner !== undefined) {
      if (type.startsWith('[]') ? !Array.isArray(value) : !isObject) return wrong
      return firstOf(Object.entries(value as object), ([name, one]) => decode(one, inner, `${path}.${name}`))
    }

    if (!(type in STRUCTS)) return SCALARS[type]?.(value) ? undefined : (PROBLEMS[type]?.(value) ?? wrong)
    if (!isObject) return wrong
    const types = fieldsOf(minor)(type)
    return firstOf(Object.entries(value), ([name, one]) => {
      const at = path === '' ? name : `${path}.${name}`
      const known = types.get(name)
      if (known !== undefined) return decode(one, known, at)
      unknown.push(at)
      return undefined
    })
  }

  const error = decode(config, 'KubeletConfiguration', '')
  return {...(error !== undefined && {error}), unknown}
}

const isWhole = (value: unknown, least: number, most: number): boolean =>
  Number.isInteger(value) && Number(value) >= least && Number(value) <= most
const isGoDuration = (value: unknown): boolean => typeof value === 'string' && parseGoDuration(value) !== undefined

const SCALARS: Readonly<Record<string, (value: unknown) => boolean>> = {
  bool: (value) => typeof value === 'boolean',
  float64: (value) => Number.isFinite(value),
  int32: (value) => isWhole(value, -0x80_00_00_00, 0x7f_ff_ff_ff),
  int64: (value) => isWhole(value, -(2 ** 63), 2 ** 63 - 1024),
  'metav1.Duration': isGoDuration,
  'metav1.Time': (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value)),
  'resource.Quantity': (value) => Number.isFinite(value) || (typeof value === 'string' && isQuantity(value)),
  string: (value) => typeof value === 'string',
  TimeOrMetaDuration: (value) => isGoDuration(value) || isWhole(value, -(2 ** 63), 2 ** 63 - 1024),
  uint32: (value) => isWhole(value, 0, 0xff_ff_ff_ff),
}

const badDuration = (value: unknown): string | undefined =>
  typeof value === 'string' || value === null ? `time: invalid duration "${value ?? ''}"` : undefined
/** What types that read themselves say of a text. */
const PROBLEMS: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  'metav1.Duration': badDuration,
  'resource.Quantity': () =>
    `quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'`,
  TimeOrMetaDuration: badDuration,
}

function firstOf<T>(entries: readonly T[], problemOf: (entry: T) => string | undefined): string | undefined {
  for (const entry of entries) {
    const problem = problemOf(entry)
    if (problem !== undefined) return problem
  }
  return undefined
}

function jsonType(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : typeof value
}
