// What differs between releases of Kubernetes, in one place. Sources: cmd/kubelet/app/options, cmd/kube-proxy/app and
// pkg/features of kubernetes/kubernetes at each tag. A flag, gate or field a release does not know can end its daemon.
import type {Version} from '../config/version.js'

/** The minors of 1.x that have it, both ends included; all where none is named. */
interface Span {
  readonly since?: number
  readonly until?: number
}

const ALWAYS: Span = {}
/** The kubelet spoke to Docker itself, and found CNI plugins itself, up to 1.23. */
const DOCKERSHIM: Span = {until: 23}
/** From 1.26 on logs go to standard error only. */
const LOG_FILES: Span = {until: 25}

/** Flags of kubelet.exe that k8s-win sets. */
export const KUBELET_FLAGS = {
  'windows-service': ALWAYS,
  config: ALWAYS,
  kubeconfig: ALWAYS,
  'hostname-override': ALWAYS,
  'node-ip': ALWAYS,
  'node-labels': ALWAYS,
  'register-with-taints': ALWAYS,
  'pod-infra-container-image': {until: 34},
  'network-plugin': DOCKERSHIM,
  'cni-bin-dir': DOCKERSHIM,
  'cni-conf-dir': DOCKERSHIM,
  'image-pull-progress-deadline': DOCKERSHIM,
  // Without these two it does not start on Windows; from 1.31 it only warns.
  'cgroups-per-qos': {until: 30},
  'enforce-node-allocatable': {until: 30},
  'resolv-conf': ALWAYS,
  'log-dir': LOG_FILES,
  logtostderr: LOG_FILES,
  v: ALWAYS,
} as const satisfies Readonly<Record<string, Span>>

/** Fields of KubeletConfiguration (v1beta1) that k8s-win writes. */
export const KUBELET_FIELDS = {
  authentication: ALWAYS,
  authorization: ALWAYS,
  readOnlyPort: ALWAYS,
  // Up to 1.22 an empty one is taken for none and defaulted to /etc/resolv.conf (kubernetes#103110): there only the flag helps.
  resolvConf: {since: 23},
  rotateCertificates: ALWAYS,
  tlsMinVersion: ALWAYS,
  clusterDNS: ALWAYS,
  clusterDomain: ALWAYS,
} as const satisfies Readonly<Record<string, Span>>

/** Flags of kube-proxy.exe that k8s-win sets. */
export const KUBE_PROXY_FLAGS = {
  'windows-service': ALWAYS,
  'proxy-mode': ALWAYS,
  kubeconfig: ALWAYS,
  'hostname-override': ALWAYS,
  'bind-address': ALWAYS,
  'network-name': ALWAYS,
  'source-vip': ALWAYS,
  'cluster-cidr': ALWAYS,
  'feature-gates': ALWAYS,
  'log-dir': LOG_FILES,
  logtostderr: LOG_FILES,
  v: ALWAYS,
} as const satisfies Readonly<Record<string, Span>>

/** Feature gates that k8s-win sets for kube-proxy. */
export const KUBE_PROXY_GATES = {
  // On by itself since 1.20, locked on from 1.34.
  WinOverlay: {until: 33},
  // Locked on from 1.23, gone from 1.25: there, switching it off is fatal.
  IPv6DualStack: {until: 22},
} as const satisfies Readonly<Record<string, Span>>

/** The first minor that was tested on a build of Windows Server; other builds are not supported. */
const FIRST_MINOR: Readonly<Record<number, number>> = {17_763: 21, 20_348: 23}

/** Undefined if no supported release runs on this build. */
export function firstMinorOn(build: number): number | undefined {
  return FIRST_MINOR[build]
}

type Values<Table, Value> = {readonly [Name in keyof Table]?: Value | undefined}

/** --name=value for each flag that the release has, in the order they are given; true stands for --name alone. */
export function flagsOf<Table extends Readonly<Record<string, Span>>>(
  table: Table,
  release: Version,
  values: Values<Table, string | true>,
): string[] {
  return Object.entries(known(table, release, values)).map(([name, value]) =>
    value === true ? `--${name}` : `--${name}=${String(value)}`,
  )
}

/** As --feature-gates takes them. */
export function gatesOf<Table extends Readonly<Record<string, Span>>>(
  table: Table,
  release: Version,
  values: Values<Table, boolean>,
): string {
  return Object.entries(known(table, release, values))
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(',')
}

/** Those of the values that the release knows and that are given. */
export function known<Table extends Readonly<Record<string, Span>>>(
  table: Table,
  {minor}: Version,
  values: Values<Table, unknown>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).filter(([name, value]) => {
      const {since = 0, until = Infinity} = table[name] ?? {}
      return value !== undefined && minor >= since && minor <= until
    }),
  )
}
