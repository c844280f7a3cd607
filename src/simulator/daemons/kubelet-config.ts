// KubeletConfiguration as the kubelet loads it: decoded strictly, then leniently with a warning, then validated for Windows.
import {parse} from 'yaml'

import {remembered} from '../../machine/remembered.js'
import {parseBool} from './flags.js'

/** Fields of kubelet.config.k8s.io/v1beta1 by the JSON type they decode from; those added after 1.21 included. */
const FIELDS: Readonly<Record<'boolean' | 'list' | 'number' | 'object' | 'string', string>> = {
  boolean: `cgroupsPerQOS cpuCFSQuota enableContentionProfiling enableControllerAttachDetach enableDebugFlagsHandler
    enableDebuggingHandlers enableProfilingHandler enableServer enableSystemLogHandler failSwapOn
    kernelMemcgNotification makeIPTablesUtilChains protectKernelDefaults registerNode rotateCertificates runOnce
    seccompDefault serializeImagePulls serverTLSBootstrap`,
  list: `allowedUnsafeSysctls clusterDNS enforceNodeAllocatable registerWithTaints reservedMemory
    shutdownGracePeriodByPodPriority tlsCipherSuites`,
  number: `containerLogMaxFiles eventBurst eventRecordQPS evictionMaxPodGracePeriod healthzPort
    imageGCHighThresholdPercent imageGCLowThresholdPercent iptablesDropBit iptablesMasqueradeBit kubeAPIBurst kubeAPIQPS
    maxOpenFiles maxPods memoryThrottlingFactor nodeLeaseDurationSeconds nodeStatusMaxImages oomScoreAdj podPidsLimit
    podsPerCore port readOnlyPort registryBurst registryPullQPS`,
  object: `authentication authorization cpuManagerPolicyOptions evictionHard evictionMinimumReclaim evictionSoft
    evictionSoftGracePeriod featureGates kubeReserved logging memorySwap qosReserved staticPodURLHeader systemReserved`,
  string: `address apiVersion cgroupDriver cgroupRoot clusterDomain configMapAndSecretChangeDetectionStrategy
    containerLogMaxSize contentType cpuCFSQuotaPeriod cpuManagerPolicy cpuManagerReconcilePeriod
    evictionPressureTransitionPeriod fileCheckFrequency hairpinMode healthzBindAddress httpCheckFrequency
    imageMinimumGCAge kind kubeReservedCgroup kubeletCgroups memoryManagerPolicy nodeStatusReportFrequency
    nodeStatusUpdateFrequency podCIDR providerID reservedSystemCPUs resolvConf runtimeRequestTimeout
    showHiddenMetricsForVersion shutdownGracePeriod shutdownGracePeriodCriticalPods staticPodPath staticPodURL
    streamingConnectionIdleTimeout syncFrequency systemCgroups systemReservedCgroup tlsCertFile tlsMinVersion
    tlsPrivateKeyFile topologyManagerPolicy topologyManagerScope volumePluginDir volumeStatsAggPeriod`,
}
const TYPES = new Map(
  Object.entries(FIELDS).flatMap(([type, names]) => names.split(/\s+/).map((name) => [name, type] as const)),
)

export type KubeletConfig = Readonly<Record<string, unknown>>
export interface LoadedConfig {
  /** Empty where it could not be loaded. */
  readonly config: KubeletConfig
  readonly error?: string
  readonly warning?: string
}

/**
 * Unknown fields are no error in v1beta1: where strict decoding fails, a lenient decoder continues with a warning
 * (pkg/kubelet/kubeletconfig/util/codec, DecodeKubeletConfiguration). Wrong types are errors to both.
 */
export const decodeKubeletConfig: (text: string) => LoadedConfig = remembered((text) => {
  const failed = (reason: string): LoadedConfig => ({config: {}, error: `failed to decode: ${reason}`})
  let value: unknown
  try {
    value = parse(text)
  } catch (error) {
    return failed(`yaml: ${(error as Error).message.split('\n')[0] ?? ''}`)
  }

  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return failed("couldn't get version/kind; json parse error: json: cannot unmarshal into Go value")
  }

  const config = value as Record<string, unknown>
  const {apiVersion, kind} = config
  if (typeof kind !== 'string') return failed(`Object 'Kind' is missing in '${text}'`)
  if (apiVersion !== 'kubelet.config.k8s.io/v1beta1' || kind !== 'KubeletConfiguration') {
    const version = typeof apiVersion === 'string' ? apiVersion : ''
    const scheme = 'k8s.io/kubernetes/pkg/kubelet/apis/config/scheme/scheme.go:33'
    return failed(`no kind "${kind}" is registered for version "${version}" in scheme "${scheme}"`)
  }

  for (const [name, field] of Object.entries(config)) {
    const type = TYPES.get(name)
    if (type && field !== null && typeOf(field) !== type) {
      const target = `Go struct field KubeletConfiguration.${name} of type ${type}`
      return failed(`json: cannot unmarshal ${typeOf(field)} into ${target}`)
    }
  }

  const unknown = Object.keys(config).filter((name) => !TYPES.has(name))
  if (unknown.length === 0) return {config}
  const fields = unknown.map((name) => `found unknown field: ${name}`).join(', ')
  return {config, warning: `strict decoder error: v1beta1.KubeletConfiguration.ReadObject: ${fields}`}
})

/** pkg/kubelet/apis/config/validation/validation_windows.go: both are on unless switched off, and neither works (docs/facts.md#kubelet). */
export function windowsProblems(config: KubeletConfig, flags: ReadonlyMap<string, string>): string[] {
  const problem = (field: string, flag: string, value: string): string =>
    `invalid configuration: ${field} (--${flag}) ${value} is not supported on Windows`
  const perQos = parseBool(flags.get('cgroups-per-qos') ?? '') ?? config['cgroupsPerQOS'] ?? true
  const flag = flags.get('enforce-node-allocatable')
  const levels =
    flag === undefined ? ((config['enforceNodeAllocatable'] ?? ['pods']) as string[]) : flag.split(',').filter(Boolean)
  const needs = '(--enforce-node-allocatable) is not supported unless cgroupsPerQOS (--cgroups-per-qos) is set to true'
  return [
    ...(perQos !== true && levels.length > 0 ? [`invalid configuration: enforceNodeAllocatable ${needs}`] : []),
    ...(perQos === true ? [problem('CgroupsPerQOS', 'cgroups-per-qos', 'true')] : []),
    ...(levels.length > 0
      ? [problem('EnforceNodeAllocatable', 'enforce-node-allocatable', `[${levels.join(' ')}]`)]
      : []),
  ]
}

/** Up to 1.22 an empty resolvConf in the file gets the default, so that only the flag can switch it off (docs/facts.md#kubelet). */
export function resolvConfOf(config: KubeletConfig, flags: ReadonlyMap<string, string>, minor: number): string {
  const flag = flags.get('resolv-conf')
  if (flag !== undefined) return flag
  const field = config['resolvConf']
  return typeof field === 'string' && (field !== '' || minor >= 23) ? field : '/etc/resolv.conf'
}

/** A port in the notation of machine.json, "tcp/10250". The flag has priority over the file. */
export function tcpPort(flag: string | undefined, field: unknown, otherwise: number): string {
  return `tcp/${flag ?? (typeof field === 'number' ? field : otherwise)}`
}

const typeOf = (value: unknown): string => (Array.isArray(value) ? 'list' : typeof value)
