// What differs between releases of Kubernetes, in one place. Sources: cmd/kubelet/app/options, cmd/kube-proxy/app and
// pkg/features of kubernetes/kubernetes at each tag; of 1.37, which the sources do not have as a release, v1.37.0-rc.1, where
// nothing that k8s-win sets differs from 1.36. A flag, gate or field a release does not know can end its daemon.
import {runtimeOf} from '../../config/choose-release.js'
import {gatesText} from '../../config/decide.js'
import {PAUSE_IMAGE} from '../../config/model.js'
import type {Version} from '../../config/version.js'

/** The minors of 1.x that have it, both ends included. */
interface Span {
  readonly since?: number
  readonly until?: number
}

/** With Docker: the kubelet spoke to it itself, and found CNI plugins itself, up to 1.23. */
const DOCKER: Span = {until: 23}
/** With containerd, which k8s-win uses from 1.24 on. */
const CONTAINERD: Span = {since: 24}
/** From 1.26 on logs go to standard error only (kubernetes#112120): see log-runner.ts. */
const LOG_FILES: Span = {until: 25}

type Table = Readonly<Record<string, Span>>

/** Flags of kubelet.exe that k8s-win sets; here and below, only what not every release has. */
export const KUBELET_FLAGS: Table = {
  // The kubelet has it up to 1.34; the CRI has the image in the configuration of containerd.
  'pod-infra-container-image': DOCKER,
  'network-plugin': DOCKER,
  'cni-bin-dir': DOCKER,
  'cni-conf-dir': DOCKER,
  'image-pull-progress-deadline': DOCKER,
  // Without a default up to 1.26; from 1.27 on the field's default is a Unix socket, on Windows too (v1beta1/defaults.go).
  'container-runtime-endpoint': {since: 24, until: 26},
  // Without these two it does not start on Windows; from 1.31 it only warns (kubernetes#123137).
  'cgroups-per-qos': {until: 30},
  'enforce-node-allocatable': {until: 30},
  // kubernetes.io, "Resource management for Windows nodes": the kubelet must get processor time on a busy node.
  'windows-priorityclass': CONTAINERD,
  'log-dir': LOG_FILES,
  logtostderr: LOG_FILES,
}

/** Fields of KubeletConfiguration (v1beta1). */
export const KUBELET_FIELDS: Table = {
  containerRuntimeEndpoint: {since: 27},
  // Up to 1.22 an empty one is taken for none and defaulted to /etc/resolv.conf (kubernetes#103110): there only the flag helps.
  resolvConf: {since: 23},
  // kubernetes.io, "Resource management for Windows nodes": at least 2 GiB for Windows and the daemons.
  systemReserved: CONTAINERD,
}

/** Flags of kube-proxy.exe. */
export const KUBE_PROXY_FLAGS: Table = {
  'log-dir': LOG_FILES,
  logtostderr: LOG_FILES,
}

/** Feature gates that k8s-win sets for kube-proxy. */
export const KUBE_PROXY_GATES: Table = {
  // On by itself since 1.20, locked on from 1.34.
  WinOverlay: {until: 33},
  // Off by itself until 1.32, locked on from 1.34.
  WinDSR: {until: 32},
  // Locked on from 1.23, gone from 1.25: there, switching it off is fatal.
  IPv6DualStack: {until: 22},
}

/** Arguments of kube-log-runner.exe, which has one hyphen before each. */
export const LOG_RUNNER_FLAGS: Table = {
  'log-file': {since: 26},
  // kubernetes#127667. Before, the file is appended to for ever.
  'log-file-size': {since: 34},
  'log-file-age': {since: 34},
}

/**
 * The image of pod sandboxes: k8s-win builds one for Docker. For containerd it is the first with a variant for Windows
 * Server 2025 (the changelog in build/pause of kubernetes); it is compatible with the kubelets before it.
 */
export function pauseImageOf(release: Version): string {
  return runtimeOf(release) === 'docker' ? PAUSE_IMAGE : 'registry.k8s.io/pause:3.10.2'
}

type Values<Value> = Readonly<Record<string, Value | undefined>>

/** --name=value for each flag that the release has, in the order they are given; true stands for --name alone. */
export function flagsOf(table: Table, release: Version, values: Values<string | true>): string[] {
  return Object.entries(known(table, release, values)).map(([name, value]) =>
    value === true ? `--${name}` : `--${name}=${String(value)}`,
  )
}

/** As --feature-gates takes them. */
export const gatesOf = (table: Table, release: Version, values: Values<boolean>): string =>
  gatesText(known(table, release, values))

/** Those of the values that the release knows and that are given. */
export function known(table: Table, {minor}: Version, values: Values<unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).filter(([name, value]) => {
      const {since = 0, until = Infinity} = table[name] ?? {}
      return value !== undefined && minor >= since && minor <= until
    }),
  )
}
