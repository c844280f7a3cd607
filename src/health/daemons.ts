// The daemons of a node: their services, health endpoints and logs.
import {containerdLogs} from '../components/containerd.js'
import {flanneldLogs} from '../components/flanneld.js'
import {kubeProxyHealth, kubeProxyLogs} from '../components/kube-proxy.js'
import {KUBELET_HEALTH, kubeletLogs} from '../components/kubelet.js'
import {CONTAINERD, type Decided, FLANNELD, KUBE_PROXY, KUBELET, type Node} from '../config/model.js'
import type {Host} from '../host/host.js'
import {lastLogLines} from '../host/services/daemon-log.js'
import type {RunDaemon} from '../pipeline/desired/services/log-runner-pair.js'
import {recogniseHere} from '../pipeline/run/known-failure.js'
import type {StepId} from '../pipeline/run/step.js'
import {hasStarted, type Signature, type SignatureSource} from '../signatures/index.js'

export interface Daemon {
  /** The name of its log and its program, where kube-log-runner writes its log (from 1.26 on). */
  readonly behindRunner?: RunDaemon
  /** Its health endpoint, if it has one. */
  readonly health?: (config: Node) => string
  logs(config: Node): string
  readonly service: string
  readonly source: SignatureSource
  readonly step: StepId
  /** Its service is shawl's, which restarts it and writes its log. */
  readonly underShawl?: true
}

const CONTAINERD_DAEMON: Daemon = {
  logs: containerdLogs,
  service: CONTAINERD,
  source: 'containerd',
  step: 'containerd-service',
  underShawl: true,
}

export const FLANNEL_DAEMON: Daemon = {
  logs: flanneldLogs,
  service: FLANNELD,
  source: 'flanneld',
  step: 'flanneld-service',
  underShawl: true,
}
export const KUBELET_DAEMON: Daemon = {
  behindRunner: 'kubelet',
  health: () => KUBELET_HEALTH,
  logs: kubeletLogs,
  service: KUBELET,
  source: 'kubelet',
  step: 'kubelet-service',
}
export const KUBE_PROXY_DAEMON: Daemon = {
  behindRunner: 'kube-proxy',
  health: kubeProxyHealth,
  logs: kubeProxyLogs,
  service: KUBE_PROXY,
  source: 'kube-proxy',
  step: 'kubeproxy-service',
}

/** Those of every node, in the order they start. */
export const DAEMONS: readonly Daemon[] = [KUBELET_DAEMON, FLANNEL_DAEMON, KUBE_PROXY_DAEMON]

/** Docker, and a containerd that was there before, belong to the user, so their services are not among them. */
export const daemonsOf = ({containerd, runtime}: Pick<Decided, 'containerd' | 'runtime'>): readonly Daemon[] =>
  runtime === 'containerd' && containerd.isOurs ? [CONTAINERD_DAEMON, ...DAEMONS] : DAEMONS

/** Enough to show why a daemon ended, without older failures. */
const LAST_LINES = 40

export interface LastWords {
  /** The last line; empty if there is none. */
  readonly line: string
  readonly signature?: Signature
}

/** Informational lines: those of klog, by itself or in shawl's log, of containerd, and shawl's own. */
const REMARK =
  /^(?:[DI]\d{4} |\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \[(?:DEBUG|INFO)\] (?:std(?:err|out): "(?:[DI]\d{4} |time=\\"[^"]{1,40}\\" level=(?:debug|info) )|(?!std)))/

/**
 * The last log line of an unhealthy daemon, and whether it is a known failure. Informational lines count only if the daemon
 * waits for something, which the last one shows: every start logs warnings that pass. An unreadable log is not a problem.
 */
export async function lastWords(
  {config, host}: {readonly config: Node; readonly host: Host},
  daemon: Daemon,
  isWaiting = false,
): Promise<LastWords> {
  const lines = await lastLogLines(host.files, daemon.logs(config), LAST_LINES).catch(() => [])
  const counts = (line: string, index: number): boolean =>
    !REMARK.test(line) || hasStarted(line) || (isWaiting && index === lines.length - 1)
  const alarms = lines.filter(counts)
  const signature = await recogniseHere(host.files, config, alarms.join('\n'), daemon.source)
  return {line: lines.at(-1) ?? '', ...(signature && {signature})}
}
