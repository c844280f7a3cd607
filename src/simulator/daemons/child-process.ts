// The program that a wrapper of a service runs (shawl, nssm, kube-log-runner): its process, its start and its end.
import {closeContainerd} from '../containerd/lifetime.js'
import type {Stage} from '../model.js'
import {identifyProgram, nextProcessId} from '../windows/service-process.js'
import type {ServiceEntry, ServiceProcess} from '../world.js'
import {containerd} from './containerd.js'
import {type Daemon, type DaemonProcess, parseVersion} from './daemon.js'
import {flanneld} from './flanneld.js'
import {k8sWin} from './k8s-win.js'
import {kubeProxy} from './kube-proxy.js'
import {kubelet} from './kubelet/kubelet.js'

/** Programs that run as long as they are not stopped, as services or below a wrapper. */
export const DAEMONS: Readonly<Record<string, Daemon>> = {
  containerd,
  flanneld,
  'k8s-win': k8sWin,
  'kube-proxy': kubeProxy,
  kubelet,
}

interface Child {
  readonly daemon: Daemon
  readonly name: string
  readonly self: DaemonProcess
}

/** `own`: what differs from the wrapper's process. Undefined for a program that is none of the daemons. */
export async function childOf(
  process: DaemonProcess,
  [program = '', ...args]: readonly string[],
  own: Partial<Pick<DaemonProcess, 'exit' | 'stderr'>>,
): Promise<Child | undefined> {
  const {entry, stage} = process
  const standIn = await identifyProgram(stage, program)
  const daemon = DAEMONS[standIn?.name ?? '']
  if (!standIn || !daemon || !entry.process) return undefined
  const uptime = stage.now() - entry.startedAt
  const processId = entry.process.childProcessId ?? 0
  const version = parseVersion(standIn.version)
  return {daemon, name: standIn.name, self: {...process, ...own, args, processId, program, uptime, version}}
}

export function startChild(stage: Stage, process: ServiceProcess, program: string): void {
  process.childProcessId = nextProcessId(stage)
  process.childProgram = program
}

/** It ended without a request: what it listened on goes with it, and the shims of its pods stay. */
export function endChild({world}: Stage, entry: ServiceEntry): void {
  closeContainerd(world, entry, false)
  delete entry.listening
  delete entry.process?.childProcessId
  delete entry.process?.childProgram
}
