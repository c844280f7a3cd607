// Which daemon the process of a service is, and how it starts.
import type {Stage} from '../model.js'
import type {ServiceEntry} from '../world.js'
import {DAEMONS} from './child-process.js'
import {type Beginning, type Daemon, serviceDaemon} from './daemon.js'
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
const SERVICES: Readonly<Record<string, Daemon>> = {...DAEMONS, 'kube-log-runner': logRunner, nssm, shawl}

export function daemonOf(entry: ServiceEntry): Daemon | undefined {
  return SERVICES[entry.process?.standIn?.name ?? '']
}

/** Unknown programs are proper services, as Windows' own and Docker's are. */
export async function beginProcess(stage: Stage, entry: ServiceEntry): Promise<Beginning> {
  const daemon = daemonOf(entry)
  if (daemon && entry.process) return daemon.begin(serviceDaemon(stage, entry, entry.process))
  return CONSOLE_PROGRAMS.includes(entry.process?.standIn?.name ?? '') ? {exit: 1} : 'connected'
}
