// The flags of kube-proxy.exe by minor version (cmd/kube-proxy/app/server.go and init_windows.go), and its feature gates.
import type {FlagSet} from './flags.js'
import {flagSet, parseBool} from './flags.js'

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
const SINCE_23 = {string: 'pod-bridge-interface pod-interface-name-prefix'}
const SINCE_24 = {bool: 'forward-healthcheck-vip', string: 'root-hnsendpoint-name'}

export function kubeProxyFlags(minor: number): FlagSet {
  return flagSet(COMMON, ...(minor >= 23 ? [SINCE_23] : []), ...(minor >= 24 ? [SINCE_24] : []))
}

export interface FeatureGates {
  readonly error?: undefined
  enabled(name: string): boolean
}

/** facts d.2: WinOverlay on since 1.20, WinDSR off until 1.33, IPv6DualStack locked 1.23-1.24 and gone from 1.25. */
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
