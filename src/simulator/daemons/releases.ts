// What differs between minor versions of Kubernetes: the flags of kubelet.exe and kube-proxy.exe, feature gates, pause images.
// Sources: cmd/kubelet/app/options/options.go of 1.22, 1.23 and 1.24, its osflags_windows.go, and the kubelet reference of
// 1.20/1.21 on kubernetes.io (cAdvisor's flags are Linux only); cmd/kube-proxy/app/server.go and init_windows.go.
import {remembered} from '../../machine/remembered.js'
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

export const kubeletFlags = flagsOf([
  {
    flags: {
      bool: `anonymous-auth authentication-token-webhook cgroups-per-qos contention-profiling cpu-cfs-quota
        enable-controller-attach-detach enable-debugging-handlers enable-server exit-on-lock-contention
        experimental-allocatable-ignore-eviction fail-swap-on help keep-terminated-pod-volumes kernel-memcg-notification
        make-iptables-util-chains protect-kernel-defaults register-node register-schedulable rotate-certificates
        rotate-server-certificates runonce serialize-image-pulls version windows-service`,
      duration: `authentication-token-webhook-cache-ttl authorization-webhook-cache-authorized-ttl
        authorization-webhook-cache-unauthorized-ttl cpu-cfs-quota-period cpu-manager-reconcile-period
        eviction-pressure-transition-period file-check-frequency http-check-frequency log-flush-frequency
        minimum-container-ttl-duration minimum-image-ttl-duration node-status-update-frequency runtime-request-timeout
        streaming-connection-idle-timeout sync-frequency volume-stats-agg-period`,
      int: `container-log-max-files event-burst event-qps eviction-max-pod-grace-period healthz-port
        image-gc-high-threshold image-gc-low-threshold iptables-drop-bit iptables-masquerade-bit kube-api-burst
        kube-api-qps max-open-files max-pods maximum-dead-containers maximum-dead-containers-per-container
        node-status-max-images oom-score-adj pod-max-pids pods-per-core port read-only-port registry-burst registry-qps
        v`,
      string: `address allowed-unsafe-sysctls authorization-mode azure-container-registry-config
        bootstrap-kubeconfig cert-dir cgroup-driver cgroup-root client-ca-file cloud-config cloud-provider cluster-dns
        cluster-domain config container-log-max-size container-runtime container-runtime-endpoint cpu-manager-policy
        enforce-node-allocatable eviction-hard eviction-minimum-reclaim eviction-soft eviction-soft-grace-period
        experimental-mounter-path feature-gates hairpin-mode healthz-bind-address hostname-override
        image-credential-provider-bin-dir image-credential-provider-config image-service-endpoint kube-api-content-type
        kube-reserved kube-reserved-cgroup kubeconfig kubelet-cgroups lock-file logging-format manifest-url
        manifest-url-header master-service-namespace memory-manager-policy node-ip node-labels pod-cidr
        pod-infra-container-image pod-manifest-path provider-id qos-reserved register-with-taints reserved-cpus
        reserved-memory resolv-conf root-dir runtime-cgroups system-cgroups system-reserved system-reserved-cgroup
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
  {
    // Since 1.26 logs go to standard error only (docs/facts.md#kubelet).
    flags: {
      bool: 'add-dir-header alsologtostderr logtostderr one-output skip-headers skip-log-headers',
      int: 'log-file-max-size',
      string: 'log-backtrace-at log-dir log-file stderrthreshold',
    },
    until: 25,
  },
  {flags: {bool: 'seccomp-default'}, since: 22},
  {
    flags: {bool: 'log-json-split-stream', string: 'cpu-manager-policy-options log-json-info-buffer-size'},
    since: 23,
  },
  {
    flags: {
      bool: 'experimental-kernel-memcg-notification',
      string: 'experimental-bootstrap-kubeconfig seccomp-profile-root',
    },
    until: 22,
  },
  {flags: {bool: 'redirect-container-streaming', string: 'chaos-chance'}, until: 21},
])

export const kubeProxyFlags = flagsOf([
  {
    flags: {
      bool: `add-dir-header alsologtostderr bind-address-hard-fail cleanup enable-dsr help ipvs-strict-arp
        logtostderr masquerade-all one-output profiling skip-headers skip-log-headers version windows-service`,
      duration: `config-sync-period conntrack-tcp-timeout-close-wait conntrack-tcp-timeout-established
        iptables-min-sync-period iptables-sync-period ipvs-min-sync-period ipvs-sync-period ipvs-tcp-timeout
        ipvs-tcpfin-timeout ipvs-udp-timeout log-flush-frequency udp-timeout`,
      int: `conntrack-max-per-core conntrack-min healthz-port iptables-masquerade-bit kube-api-burst
        log-file-max-size metrics-port oom-score-adj v`,
      string: `bind-address cluster-cidr config detect-local-mode feature-gates healthz-bind-address
        hostname-override ipvs-exclude-cidrs ipvs-scheduler kube-api-content-type kube-api-qps kubeconfig
        log-backtrace-at log-dir log-file master metrics-bind-address network-name nodeport-addresses proxy-mode
        proxy-port-range show-hidden-metrics-for-version source-vip stderrthreshold vmodule write-config-to`,
    },
  },
  {
    // Those for pods came with kubernetes#95400.
    flags: {
      bool: 'forward-healthcheck-vip',
      string: 'pod-bridge-interface pod-interface-name-prefix root-hnsendpoint-name',
    },
    since: 24,
  },
])

/** The image that a kubelet uses by default (cmd/kubelet/app/options/container_runtime.go; docs/facts.md#pause-image). */
const PAUSE_TAGS: Readonly<Record<number, string>> = {21: '3.4.1', 22: '3.5'}
export const defaultPauseImage = (minor: number): string => `k8s.gcr.io/pause:${PAUSE_TAGS[minor] ?? '3.6'}`

export interface FeatureGates {
  readonly error?: undefined
  enabled(name: string): boolean
}

/** component-base/featuregate and pkg/features; docs/facts.md#kube-proxy: WinOverlay on since 1.20, WinDSR off until 1.33, IPv6DualStack locked 1.23-1.24 and gone from 1.25. */
export function parseFeatureGates(text: string, minor: number): FeatureGates | {readonly error: string} {
  const gates = new Map<string, boolean>()
  for (const pair of text.split(',').filter(Boolean)) {
    const [name = '', value = ''] = pair.trim().split('=')
    const on = parseBool(value)
    if (on === undefined)
      return {error: `invalid value of ${name}: ${value}, err: strconv.ParseBool: parsing "${value}": invalid syntax`}
    if (name === 'IPv6DualStack' && minor >= 25) return {error: `unrecognized feature gate: ${name}`}
    if (name === 'IPv6DualStack' && minor >= 23 && !on) {
      return {error: `cannot set feature gate ${name} to false, feature is locked to true`}
    }

    gates.set(name, on)
  }

  return {enabled: (name) => gates.get(name) ?? (name === 'WinOverlay' || (name === 'WinDSR' && minor >= 33))}
}
