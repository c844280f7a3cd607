// The three daemons of a node, and how each is.
import {win32} from 'node:path'
import {FLANNELD} from '../components/flanneld.js'
import {KUBE_PROXY, KUBE_PROXY_HEALTH} from '../components/kube-proxy.js'
import {KUBELET, KUBELET_HEALTH} from '../components/kubelet.js'
import {SUBNET_ENV} from '../config/layout.js'
import {NETWORK_NAME} from '../config/model.js'
import {K8sWinError} from '../errors/k8s-win-error.js'
import {HttpError} from '../machine/http.js'
import type {HostFacts} from '../preflight/facts.js'

export interface Daemon {
  /** Answers 200 while it is well; flanneld has no such address, and is known by its work. */
  readonly health?: string
  /** What it does not start without. */
  readonly needs: string
  readonly service: string
}

export const DAEMONS: readonly Daemon[] = [
  {health: KUBELET_HEALTH, needs: 'docker', service: KUBELET},
  {needs: KUBELET, service: FLANNELD},
  {health: KUBE_PROXY_HEALTH, needs: FLANNELD, service: KUBE_PROXY},
]

const HEALTH_MS = 5000

export async function isRunning({host}: HostFacts, service: string): Promise<boolean> {
  return (await host.services.status(service))?.state === 'running'
}

/** Undefined where it is well, or has no such address; otherwise what was said. */
export async function whyUnwell({host}: HostFacts, {health}: Daemon): Promise<string | undefined> {
  if (health === undefined) return undefined
  try {
    const request = {deadlineMs: HEALTH_MS, effect: 'read', isProbe: true, method: 'GET', url: health} as const
    const {status} = await host.http.request(request)
    return status === 200 ? undefined : `status ${status}`
  } catch (error) {
    if (error instanceof HttpError) return `no answer (${error.code})`
    throw error
  }
}

/** One that is not there, or that somebody disabled or stopped, is no sick one: its log has nothing to do with it. */
export async function isSick(facts: HostFacts, daemon: Daemon): Promise<boolean> {
  const {services} = facts.host
  const [status, type] = await Promise.all([services.status(daemon.service), services.startType(daemon.service)])
  if (!status || type === 'disabled') return false
  if (status.state === 'stopped') return status.win32ExitCode !== 0
  if (status.state !== 'running') return true
  if (daemon.service !== FLANNELD) return (await whyUnwell(facts, daemon)) !== undefined
  return !(await facts.host.files.status(SUBNET_ENV)) || (await hasNoNetwork(facts))
}

/** An HNS that does not tell is told by its own check. */
async function hasNoNetwork({host}: HostFacts): Promise<boolean> {
  try {
    return (await host.hns.network(NETWORK_NAME)) === undefined
  } catch (error) {
    if (error instanceof K8sWinError) return false
    throw error
  }
}

export const logsOf = ({layout}: HostFacts, {service}: Daemon): string => win32.join(layout.logs, service)
