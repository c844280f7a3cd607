// The flags of kube-proxy.exe by minor version (cmd/kube-proxy/app/server.go and init_windows.go).
import {remembered} from '../../machine/remembered.js'
import type {FlagSet} from './flags.js'
import {flagSet} from './flags.js'

const COMMON = {
  bool: `add-dir-header alsologtostderr bind-address-hard-fail cleanup enable-dsr help ipvs-strict-arp logtostderr
    masquerade-all one-output profiling skip-headers skip-log-headers version windows-service`,
  duration: `config-sync-period conntrack-tcp-timeout-close-wait conntrack-tcp-timeout-established
    iptables-min-sync-period iptables-sync-period ipvs-min-sync-period ipvs-sync-period ipvs-tcp-timeout
    ipvs-tcpfin-timeout ipvs-udp-timeout log-flush-frequency udp-timeout`,
  int: `conntrack-max-per-core conntrack-min healthz-port iptables-masquerade-bit kube-api-burst log-file-max-size
    metrics-port oom-score-adj v`,
  string: `bind-address cluster-cidr config detect-local-mode feature-gates healthz-bind-address
    hostname-override ipvs-exclude-cidrs ipvs-scheduler kube-api-content-type kube-api-qps kubeconfig log-backtrace-at
    log-dir log-file master metrics-bind-address network-name nodeport-addresses proxy-mode
    proxy-port-range show-hidden-metrics-for-version source-vip stderrthreshold vmodule write-config-to`,
}
/** Those for pods came with kubernetes#95400. */
const SINCE_24 = {
  bool: 'forward-healthcheck-vip',
  string: 'pod-bridge-interface pod-interface-name-prefix root-hnsendpoint-name',
}

/** Of a minor version of Kubernetes 1. */
export const kubeProxyFlags = remembered((minor: number): FlagSet =>
  flagSet(COMMON, ...(minor >= 24 ? [SINCE_24] : [])),
)
