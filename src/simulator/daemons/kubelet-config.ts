// KubeletConfiguration as the kubelet loads it: decoded strictly, then leniently with a warning, then checked for Windows.
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
export type LoadedConfig =
  {readonly config: KubeletConfig; readonly error?: undefined; readonly warning?: string} | {readonly error: string}

/**
 * Unknown fields are no error in v1beta1: strict decoding is tried, and where it fails a lenient decoder goes on with a
 * warning (pkg/kubelet/kubeletconfig/util/codec, DecodeKubeletConfiguration). Wrong types are errors to both.
 */
export const decodeKubeletConfig: (text: string) => LoadedConfig = remembered((text) => {
  let value: unknown
  try {
    value = parse(text)
  } catch (error) {
    return {error: `failed to decode: yaml: ${(error as Error).message.split('\n')[0] ?? ''}`}
  }

  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return {
      error: "failed to decode: couldn't get version/kind; json parse error: json: cannot unmarshal into Go value",
    }
  }

  const config = value as Record<string, unknown>
  if (typeof config['kind'] !== 'string') {
    return {error: `failed to decode: Object 'Kind' is missing in '${text}'`}
  }

  if (config['apiVersion'] !== 'kubelet.config.k8s.io/v1beta1' || config['kind'] !== 'KubeletConfiguration') {
    return {
      error: `failed to decode: no kind "${config['kind']}" is registered for version "${typeof config['apiVersion'] === 'string' ? config['apiVersion'] : ''}" in scheme "k8s.io/kubernetes/pkg/kubelet/apis/config/scheme/scheme.go:33"`,
    }
  }

  for (const [name, field] of Object.entries(config)) {
    const type = TYPES.get(name)
    if (type && field !== null && typeOf(field) !== type) {
      return {
        error: `failed to decode: json: cannot unmarshal ${typeOf(field)} into Go struct field KubeletConfiguration.${name} of type ${type}`,
      }
    }
  }

  const unknown = Object.keys(config).filter((name) => !TYPES.has(name))
  if (unknown.length === 0) return {config}
  const fields = unknown.map((name) => `found unknown field: ${name}`).join(', ')
  return {config, warning: `strict decoder error: v1beta1.KubeletConfiguration.ReadObject: ${fields}`}
})

/** pkg/kubelet/apis/config/validation/validation_windows.go: both are on unless switched off, and neither works (facts d.1). */
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

/** Up to 1.22 an empty resolvConf in the file is defaulted back, so that only the flag can switch it off (facts d.1). */
export function resolvConfOf(config: KubeletConfig, flags: ReadonlyMap<string, string>, minor: number): string {
  const flag = flags.get('resolv-conf')
  if (flag !== undefined) return flag
  const field = config['resolvConf']
  return typeof field === 'string' && (field !== '' || minor >= 23) ? field : '/etc/resolv.conf'
}

/** As machine.json writes ports: "tcp/10250". The flag wins over the file. */
export function tcpPort(flag: string | undefined, field: unknown, otherwise: number): string {
  return `tcp/${flag ?? (typeof field === 'number' ? field : otherwise)}`
}

function typeOf(value: unknown): string {
  return Array.isArray(value) ? 'list' : typeof value
}
