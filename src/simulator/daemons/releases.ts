// What differs between minor versions of Kubernetes: the flags of kubelet.exe and kube-proxy.exe, feature gates, pause images.
// Sources: cmd/kubelet/app/options (options.go, globalflags.go, osflags_windows.go; cAdvisor's flags are Linux only),
// pkg/kubelet/config/flags.go, cmd/kube-proxy/app (server.go, from 1.31 on options.go; init_windows.go) and the logs package
// of component-base, each at the last tag of 1.21 to 1.36, and at v1.37.0-rc.1, which has those of 1.36 on Windows.
import {remembered} from '../../machine/remembered.js'
import {isAtLeast} from '../versions.js'
import {parseVersion} from './daemon.js'
import {type FlagSet, flagSet, type FlagType, parseBool} from './flags.js'

/** Flags of the minor versions from `since` to `until`. */
interface VersionedFlags {
  readonly flags: Partial<Record<FlagType, string>>
  readonly since?: number
  readonly until?: number
}

const flagsOf = (parts: readonly VersionedFlags[]): ((minor: number) => FlagSet) =>
  remembered((minor: number) =>
    flagSet(
      ...parts.filter(({since = 0, until = Infinity}) => since <= minor && minor <= until).map(({flags}) => flags),
    ),
  )

/** klog's own: since 1.26 logs go to standard error only (kubernetes#112120, docs/facts.md#kubelet). */
const KLOG_FILES: VersionedFlags = {
  flags: {
    bool: 'add-dir-header alsologtostderr logtostderr one-output skip-headers skip-log-headers',
    int: 'log-file-max-size',
    string: 'log-backtrace-at log-dir log-file stderrthreshold',
  },
  until: 25,
}

export const kubeletFlags = flagsOf([
  {
    flags: {
      bool: `anonymous-auth authentication-token-webhook cgroups-per-qos contention-profiling cpu-cfs-quota
        enable-controller-attach-detach enable-debugging-handlers enable-server exit-on-lock-contention
        experimental-allocatable-ignore-eviction fail-swap-on help kernel-memcg-notification
        make-iptables-util-chains protect-kernel-defaults register-node rotate-certificates
        rotate-server-certificates runonce serialize-image-pulls version windows-service`,
      duration: `authentication-token-webhook-cache-ttl authorization-webhook-cache-authorized-ttl
        authorization-webhook-cache-unauthorized-ttl cpu-cfs-quota-period cpu-manager-reconcile-period
        eviction-pressure-transition-period file-check-frequency http-check-frequency log-flush-frequency
        minimum-container-ttl-duration minimum-image-ttl-duration node-status-update-frequency runtime-request-timeout
        streaming-connection-idle-timeout sync-frequency volume-stats-agg-period`,
      int: `container-log-max-files event-burst event-qps eviction-max-pod-grace-period healthz-port
        image-gc-high-threshold image-gc-low-threshold kube-api-burst kube-api-qps max-open-files max-pods
        maximum-dead-containers maximum-dead-containers-per-container node-status-max-images oom-score-adj pod-max-pids
        pods-per-core port read-only-port registry-burst registry-qps v`,
      string: `address allowed-unsafe-sysctls authorization-mode bootstrap-kubeconfig cert-dir cgroup-driver
        cgroup-root client-ca-file cloud-provider cluster-dns cluster-domain config container-log-max-size
        container-runtime-endpoint cpu-manager-policy enforce-node-allocatable eviction-hard eviction-minimum-reclaim
        eviction-soft eviction-soft-grace-period experimental-mounter-path feature-gates hairpin-mode
        healthz-bind-address hostname-override
        image-credential-provider-bin-dir image-credential-provider-config image-service-endpoint kube-api-content-type
        kube-reserved kube-reserved-cgroup kubeconfig kubelet-cgroups lock-file logging-format manifest-url
        manifest-url-header memory-manager-policy node-ip node-labels pod-cidr pod-manifest-path provider-id
        qos-reserved register-with-taints reserved-cpus reserved-memory resolv-conf root-dir runtime-cgroups system-cgroups system-reserved system-reserved-cgroup
        tls-cert-file tls-cipher-suites tls-min-version tls-private-key-file topology-manager-policy
        topology-manager-scope vmodule volume-plugin-dir windows-priorityclass`,
    },
  },
  {
    // dockershim's.
    flags: {
      bool: `experimental-check-node-capabilities-before-mount experimental-logging-sanitization
        really-crash-for-testing`,
      duration: 'image-pull-progress-deadline',
      int: 'network-plugin-mtu',
      string: `cni-bin-dir cni-cache-dir cni-conf-dir docker-endpoint dynamic-config-dir
        experimental-dockershim-root-directory network-plugin non-masquerade-cidr`,
    },
    until: 23,
  },
  KLOG_FILES,
  {flags: {bool: 'redirect-container-streaming', string: 'chaos-chance'}, until: 21},
  {flags: {string: 'experimental-bootstrap-kubeconfig seccomp-profile-root'}, until: 22},
  {flags: {bool: 'experimental-kernel-memcg-notification'}, until: 24},
  {flags: {string: 'container-runtime master-service-namespace'}, until: 26},
  {flags: {string: 'azure-container-registry-config'}, until: 29},
  {flags: {bool: 'keep-terminated-pod-volumes', int: 'iptables-drop-bit iptables-masquerade-bit'}, until: 30},
  {flags: {bool: 'register-schedulable', string: 'cloud-config'}, until: 33},
  {flags: {string: 'pod-infra-container-image'}, until: 34},
  {flags: {bool: 'seccomp-default', string: 'cpu-manager-policy-options'}, since: 22},
  {flags: {bool: 'log-json-split-stream', string: 'log-json-info-buffer-size'}, since: 23},
  {flags: {bool: 'local-storage-capacity-isolation'}, since: 25},
  {flags: {string: 'topology-manager-policy-options'}, since: 26},
  {flags: {string: 'config-dir'}, since: 28},
  {flags: {bool: 'log-text-split-stream', string: 'log-text-info-buffer-size'}, since: 30},
  {flags: {bool: 'fail-cgroupv1'}, since: 31},
])

export const kubeProxyFlags = flagsOf([
  {
    flags: {
      bool: `bind-address-hard-fail cleanup enable-dsr help ipvs-strict-arp masquerade-all profiling version
        windows-service`,
      duration: `config-sync-period conntrack-tcp-timeout-close-wait conntrack-tcp-timeout-established
        iptables-min-sync-period iptables-sync-period ipvs-min-sync-period ipvs-sync-period ipvs-tcp-timeout
        ipvs-tcpfin-timeout ipvs-udp-timeout log-flush-frequency`,
      int: `conntrack-max-per-core conntrack-min healthz-port iptables-masquerade-bit kube-api-burst metrics-port
        oom-score-adj v`,
      string: `bind-address cluster-cidr config detect-local-mode feature-gates healthz-bind-address
        hostname-override ipvs-exclude-cidrs ipvs-scheduler kube-api-content-type kube-api-qps kubeconfig
        master metrics-bind-address network-name nodeport-addresses proxy-mode
        show-hidden-metrics-for-version source-vip vmodule write-config-to`,
    },
  },
  KLOG_FILES,
  {flags: {duration: 'udp-timeout'}, until: 25},
  {flags: {string: 'proxy-port-range'}, until: 30},
  {
    // Those for pods came with kubernetes#95400.
    flags: {
      bool: 'forward-healthcheck-vip',
      string: 'pod-bridge-interface pod-interface-name-prefix root-hnsendpoint-name',
    },
    since: 24,
  },
  {flags: {bool: 'iptables-localhost-nodeports'}, since: 26},
  // Structured logging came to kube-proxy with 1.28 (logsapi.AddFlags, and logs/json/register in proxy.go).
  {
    flags: {bool: 'log-json-split-stream', string: 'log-json-info-buffer-size logging-format'},
    since: 28,
  },
  {
    flags: {
      bool: 'conntrack-tcp-be-liberal init-only',
      duration: 'conntrack-udp-timeout conntrack-udp-timeout-stream',
    },
    since: 29,
  },
  {flags: {bool: 'log-text-split-stream', string: 'log-text-info-buffer-size'}, since: 30},
])

/** The image that a kubelet uses by default (cmd/kubelet/app/options/container_runtime.go; docs/facts.md#pause-image). */
const PAUSE_TAGS: Readonly<Record<number, string>> = {21: '3.4.1', 22: '3.5'}
export const defaultPauseImage = (minor: number): string => `k8s.gcr.io/pause:${PAUSE_TAGS[minor] ?? '3.6'}`

/** The first patches that do not call wmic (kubernetes#126012). */
const WITHOUT_WMIC = ['1.28.13', '1.29.8', '1.30.4', '1.31.0']

/** Whether a kubelet starts with "wmic csproduct get UUID" (pkg/kubelet/winstats/perfcounter_nodestats.go, getSystemUUID). */
export function runsWmic(version: string): boolean {
  const own = WITHOUT_WMIC.find((first) => parseVersion(first).minor === parseVersion(version).minor)
  return !isAtLeast(version, own ?? '1.31.0')
}

export interface FeatureGates {
  readonly error?: undefined
  enabled(name: string): boolean
}

interface Gate {
  /** The first minor in which it is on by itself. */
  readonly on?: number
  /** The first minor that does not let it be switched off. */
  readonly locked?: number
  /** The first minor without it. */
  readonly removed?: number
  /** The first minor with it, where that is newer than 1.21. */
  readonly since?: number
}

/** pkg/features/kube_features.go at the last tag of 1.21 to 1.36 and at v1.37.0-rc.1; gates that are not listed here are not judged. */
const GATES: Readonly<Record<string, Gate>> = {
  IPv6DualStack: {locked: 23, on: 21, removed: 25},
  WinDSR: {locked: 34, on: 33},
  WinOverlay: {locked: 34, on: 20},
  WindowsGracefulNodeShutdown: {on: 34, since: 32},
  WindowsHostNetwork: {since: 26},
  WindowsHostProcessContainers: {locked: 26, on: 23, removed: 28, since: 22},
}

/** component-base/featuregate, SetFromMap: a gate that the release does not have, or has locked, ends the daemon. */
export function parseFeatureGates(text: string, minor: number): FeatureGates | {readonly error: string} {
  const gates = new Map<string, boolean>()
  for (const pair of text.split(',').filter(Boolean)) {
    const [name = '', value = ''] = pair.trim().split('=')
    const on = parseBool(value)
    if (on === undefined)
      return {error: `invalid value of ${name}: ${value}, err: strconv.ParseBool: parsing "${value}": invalid syntax`}
    const {locked = Infinity, removed = Infinity, since = 0} = GATES[name] ?? {}
    if (minor < since || minor >= removed) return {error: `unrecognized feature gate: ${name}`}
    if (minor >= locked && !on) {
      return {error: `cannot set feature gate ${name} to false, feature is locked to true`}
    }

    gates.set(name, on)
  }

  return {enabled: (name) => gates.get(name) ?? minor >= (GATES[name]?.on ?? Infinity)}
}
