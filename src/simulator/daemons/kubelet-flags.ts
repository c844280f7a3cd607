// The flags of kubelet.exe by minor version. Sources: cmd/kubelet/app/options/options.go of 1.22, 1.23 and 1.24, its
// osflags_windows.go, and the kubelet reference of 1.20/1.21 on kubernetes.io; cAdvisor's flags are Linux only.
import {remembered} from '../../machine/remembered.js'
import type {FlagSet} from './flags.js'
import {flagSet, withoutFlags} from './flags.js'

/** What 1.21 to 1.24 have in common, dockershim's flags left out. */
const COMMON = {
  bool: `add-dir-header alsologtostderr anonymous-auth authentication-token-webhook cgroups-per-qos contention-profiling
    cpu-cfs-quota enable-controller-attach-detach enable-debugging-handlers enable-server exit-on-lock-contention
    experimental-allocatable-ignore-eviction fail-swap-on help keep-terminated-pod-volumes kernel-memcg-notification
    logtostderr make-iptables-util-chains one-output protect-kernel-defaults register-node register-schedulable
    rotate-certificates rotate-server-certificates runonce serialize-image-pulls skip-headers skip-log-headers version
    windows-service`,
  duration: `authentication-token-webhook-cache-ttl authorization-webhook-cache-authorized-ttl
    authorization-webhook-cache-unauthorized-ttl cpu-cfs-quota-period cpu-manager-reconcile-period
    eviction-pressure-transition-period file-check-frequency http-check-frequency log-flush-frequency
    minimum-container-ttl-duration minimum-image-ttl-duration node-status-update-frequency runtime-request-timeout
    streaming-connection-idle-timeout sync-frequency volume-stats-agg-period`,
  int: `container-log-max-files event-burst event-qps eviction-max-pod-grace-period healthz-port image-gc-high-threshold
    image-gc-low-threshold iptables-drop-bit iptables-masquerade-bit kube-api-burst kube-api-qps log-file-max-size
    max-open-files max-pods maximum-dead-containers maximum-dead-containers-per-container node-status-max-images
    oom-score-adj pod-max-pids pods-per-core port read-only-port registry-burst registry-qps v`,
  string: `address allowed-unsafe-sysctls authorization-mode azure-container-registry-config bootstrap-kubeconfig cert-dir
    cgroup-driver cgroup-root client-ca-file cloud-config cloud-provider cluster-dns cluster-domain config
    container-log-max-size container-runtime container-runtime-endpoint cpu-manager-policy enforce-node-allocatable
    eviction-hard eviction-minimum-reclaim eviction-soft eviction-soft-grace-period experimental-mounter-path
    feature-gates hairpin-mode healthz-bind-address hostname-override image-credential-provider-bin-dir
    image-credential-provider-config image-service-endpoint kube-api-content-type kube-reserved kube-reserved-cgroup
    kubeconfig kubelet-cgroups lock-file log-backtrace-at log-dir log-file logging-format manifest-url
    manifest-url-header master-service-namespace memory-manager-policy node-ip node-labels pod-cidr
    pod-infra-container-image pod-manifest-path provider-id qos-reserved register-with-taints reserved-cpus
    reserved-memory resolv-conf root-dir runtime-cgroups stderrthreshold system-cgroups system-reserved
    system-reserved-cgroup tls-cert-file tls-cipher-suites tls-min-version tls-private-key-file
    topology-manager-policy topology-manager-scope vmodule volume-plugin-dir windows-priorityclass`,
}

/** dockershim went with 1.24, and its flags with it. */
const DOCKERSHIM = {
  bool: 'experimental-check-node-capabilities-before-mount experimental-logging-sanitization really-crash-for-testing',
  duration: 'image-pull-progress-deadline',
  int: 'network-plugin-mtu',
  string: `cni-bin-dir cni-cache-dir cni-conf-dir docker-endpoint dynamic-config-dir
    experimental-dockershim-root-directory network-plugin non-masquerade-cidr`,
}
const SINCE_22 = {bool: 'seccomp-default'}
const SINCE_23 = {bool: 'log-json-split-stream', string: 'cpu-manager-policy-options log-json-info-buffer-size'}
const UNTIL_22 = {
  bool: 'experimental-kernel-memcg-notification',
  string: 'experimental-bootstrap-kubeconfig seccomp-profile-root',
}
const UNTIL_21 = {bool: 'redirect-container-streaming', string: 'chaos-chance'}

/** From 1.26 logs go to standard error only (facts d.1). */
const UNTIL_25 =
  'add-dir-header alsologtostderr log-backtrace-at log-dir log-file log-file-max-size logtostderr one-output skip-headers skip-log-headers stderrthreshold'

/** Of a minor version of Kubernetes 1. */
export const kubeletFlags = remembered((minor: number): FlagSet => {
  const set = flagSet(
    COMMON,
    ...(minor <= 23 ? [DOCKERSHIM] : []),
    ...(minor >= 22 ? [SINCE_22] : []),
    ...(minor >= 23 ? [SINCE_23] : []),
    ...(minor <= 22 ? [UNTIL_22] : []),
    ...(minor <= 21 ? [UNTIL_21] : []),
  )
  return minor >= 26 ? withoutFlags(set, UNTIL_25) : set
})
