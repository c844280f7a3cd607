// Which daemon the process of a service is, and how it starts.
import type {Stage} from '../model.js'
import type {ServiceEntry} from '../world.js'
import {containerd} from './containerd.js'
import type {Beginning, Daemon} from './daemon.js'
import {serviceDaemon} from './daemon.js'
import {flanneld} from './flanneld.js'
import {kubeProxy} from './kube-proxy.js'
import {kubelet} from './kubelet.js'
import {logRunner} from './log-runner.js'
import {nssm} from './nssm.js'
import {shawl} from './shawl.js'

/** Console programs: as services they end at once. */
const CONSOLE_PROGRAMS = [
  'cmd',
  'crictl',
  'ctr',
  'flannel',
  'host-local',
  'kubeadm',
  'kubectl',
  'netsh',
  'taskkill',
  'win-overlay',
]
const DAEMONS: Readonly<Record<string, Daemon>> = {
  containerd,
  flanneld,
  'kube-log-runner': logRunner,
  'kube-proxy': kubeProxy,
  kubelet,
  nssm,
  shawl,
}

export function daemonOf(entry: ServiceEntry): Daemon | undefined {
  return DAEMONS[entry.process?.standIn?.name ?? '']
}

/** Unknown programs are proper services, as Windows' own and Docker's are. */
export async function beginProcess(stage: Stage, entry: ServiceEntry): Promise<Beginning> {
  const daemon = daemonOf(entry)
  if (daemon && entry.process) return daemon.begin(serviceDaemon(stage, entry, entry.process))
  return CONSOLE_PROGRAMS.includes(entry.process?.standIn?.name ?? '') ? {exit: 1} : 'connected'
}
