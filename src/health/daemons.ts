// The three daemons of a node: their services, where they answer, where they write.
import {flanneldLogs} from '../components/flanneld.js'
import {KUBE_PROXY_HEALTH, kubeProxyLogs} from '../components/kube-proxy.js'
import {KUBELET_HEALTH, kubeletLogs} from '../components/kubelet.js'
import {FLANNELD, KUBE_PROXY, KUBELET, type NodeConfig} from '../config/model.js'
import type {Host} from '../host/host.js'
import {lastLogLines} from '../host/services/daemon-log.js'
import {recogniseHere} from '../pipeline/run/known-failure.js'
import type {StepId} from '../pipeline/run/step.js'
import type {Signature, SignatureSource} from '../signatures/index.js'

export interface Daemon {
  /** Undefined where it has no such address. */
  readonly health?: string
  logs(config: NodeConfig): string
  readonly service: string
  readonly source: SignatureSource
  readonly step: StepId
}

export const FLANNEL_DAEMON: Daemon = {
  logs: flanneldLogs,
  service: FLANNELD,
  source: 'flanneld',
  step: 'flanneld-service',
}
export const KUBELET_DAEMON: Daemon = {
  health: KUBELET_HEALTH,
  logs: kubeletLogs,
  service: KUBELET,
  source: 'kubelet',
  step: 'kubelet-service',
}
export const KUBE_PROXY_DAEMON: Daemon = {
  health: KUBE_PROXY_HEALTH,
  logs: kubeProxyLogs,
  service: KUBE_PROXY,
  source: 'kube-proxy',
  step: 'kubeproxy-service',
}

/** In the order they start. */
export const DAEMONS: readonly Daemon[] = [KUBELET_DAEMON, FLANNEL_DAEMON, KUBE_PROXY_DAEMON]

/** Enough for a daemon's last words, and short enough not to find an old story in them. */
const LAST_LINES = 40

export interface LastWords {
  /** The last line, for people; empty where there is none. */
  readonly line: string
  readonly signature?: Signature
}

/** A line of no alarm: klog's information, on its own or in shawl's log, and shawl's own accounts. */
const REMARK =
  /^(?:[DI]\d{4} |\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \[(?:DEBUG|INFO)\] (?:std(?:err|out): "[DI]\d{4} |(?!std)))/

/**
 * The last log line of an unhealthy daemon, and whether it is a known failure. Remarks count only while it waits: then the last
 * line says for what. Every start has lines that look like failures and pass. A log that cannot be read is no second problem.
 */
export async function lastWords(
  {config, host}: {readonly config: NodeConfig; readonly host: Host},
  daemon: Daemon,
  isWaiting = false,
): Promise<LastWords> {
  const lines = await lastLogLines(host.files, daemon.logs(config), LAST_LINES).catch(() => [])
  const alarms = lines.filter((line, index) => !REMARK.test(line) || (isWaiting && index === lines.length - 1))
  const signature = await recogniseHere(host.files, config.baseDir, alarms.join('\n'), daemon.source)
  return {line: lines.at(-1) ?? '', ...(signature && {signature})}
}
