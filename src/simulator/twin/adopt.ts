// A daemon that runs on the host continues on the twin from its present state, as far as that can be observed.
import {win32} from 'node:path'

import type {Files} from '../../machine/files.js'
import {pipeKey} from '../containerd/lifetime.js'
import {loadConfig} from '../daemons/containerd.js'
import {type DaemonProcess, serviceDaemon} from '../daemons/daemon.js'
import {tcpPort} from '../daemons/kubelet/kubelet-config.js'
import {openKubelet} from '../daemons/kubelet/kubelet-start.js'
import {readyAddresses} from '../cluster/objects.js'
import {servingStage} from '../daemons/kube-proxy.js'
import {startChild} from '../daemons/child-process.js'
import {runnerChild} from '../daemons/log-runner.js'
import {nssmChild} from '../daemons/nssm.js'
import {shawlChild} from '../daemons/shawl.js'
import {parseShawlRun} from '../daemons/shawl-options.js'
import type {Stage} from '../model.js'
import {isOverlay, networkNamed, networksOf} from '../windows/hns-objects.js'
import {launchProcess} from '../windows/service-process.js'
import type {ServiceEntry, ServiceProcess} from '../world.js'

const KUBE_PROXY_PORTS = ['tcp/10256', 'tcp/10249']
/** The line of the registration is near the top of the log. */
const LOG_START_BYTES = 1024 ** 2
/** What flanneld logs, latest first. */
const FLANNELD_DONE = 'Running backend'
const FLANNELD_NETWORK = 'Waiting to get'
/** Programs of services that run a daemon: kube-log-runner from 1.26 on. */
const WRAPPERS: Readonly<Record<string, (process: DaemonProcess) => ReturnType<typeof nssmChild>>> = {
  'kube-log-runner': runnerChild,
  nssm: nssmChild,
  shawl: shawlChild,
}

export type AskHealth = (service: 'kubelet' | 'kubeproxy', url: string) => Promise<boolean>

export function createAdoption(stage: Stage, isHealthy: AskHealth): (entry: ServiceEntry) => Promise<void> {
  const answers = (service: 'kubelet' | 'kubeproxy', port: string): Promise<boolean> =>
    isHealthy(service, `http://127.0.0.1:${port.slice('tcp/'.length)}/healthz`).catch(() => false)

  return async (entry) => {
    const {processId, state} = entry
    const started = await launchProcess(stage, entry, stage.now())
    Object.assign(entry, {processId, state})
    if (started !== 0 || state !== 'running' || !entry.process) return
    const {process} = entry
    const service = serviceDaemon(stage, entry, process)
    const program = process.standIn?.name ?? ''
    const child = await WRAPPERS[program]?.(service)
    if (child) startChild(stage, process, child.self.program)
    const {name, self} = child ?? {name: program, self: service}
    if (name === 'kubelet') await adoptKubelet(self, (port) => answers('kubelet', port))
    else if (name === 'kube-proxy' && (await answers('kubeproxy', KUBE_PROXY_PORTS[0] ?? ''))) {
      Object.assign(entry, {listening: KUBE_PROXY_PORTS, stage: kubeProxyStage(self)})
    } else if (name === 'containerd') await adoptContainerd(self)
    else if (program === 'shawl') await adoptFlanneld(service, process)
  }
}

/** All rules count as created: it creates none until it restarts. */
function kubeProxyStage({args, stage: {world}}: DaemonProcess): string {
  const name = args.find((arg) => arg.startsWith('--network-name='))?.split('=')[1] ?? ''
  const applied = Object.fromEntries(
    world.cluster.services.map((service) => [service.clusterIP, readyAddresses(world.cluster, service).join(' ')]),
  )
  return servingStage({applied, network: networkNamed(world, name)?.ID ?? '', problems: []})
}

async function adoptKubelet(self: DaemonProcess, answers: (port: string) => Promise<boolean>): Promise<void> {
  const {entry, stage} = self
  const kubelet = await openKubelet(self)
  if (!kubelet) return
  const {config, flags, nodeName} = kubelet
  const health = tcpPort(flags.get('healthz-port'), config['healthzPort'], 10_248)
  if (!(await answers(health))) return
  entry.listening = [tcpPort(flags.get('port'), config['port'], 10_250), health]
  const isThere = stage.world.cluster.nodes.some(({name}) => name === nodeName)
  // It registers once, at its start: a node that was deleted since stays deleted.
  const hasRegistered = isThere || (await saysRegistered(stage.files, flags.get('log-dir') ?? '', entry.processId))
  entry.stage = hasRegistered ? 'registered' : 'serving'
}

async function saysRegistered(files: Files, folder: string, processId: number): Promise<boolean> {
  const own = (await files.list(folder)).findLast((name) => name.endsWith(`.${processId}`) && name.includes('.INFO.'))
  // Without a log it has run for longer than logs are kept.
  if (own === undefined) return true
  let text = ''
  for await (const chunk of files.readChunks(win32.join(folder, own))) {
    text += Buffer.from(chunk).toString('utf8')
    if (text.length > LOG_START_BYTES) break
  }

  return text.includes('Successfully registered node')
}

/** crictl has shown whether it answers; what it read is in its configuration, unless that was changed since. */
async function adoptContainerd(process: DaemonProcess): Promise<void> {
  const {entry, stage} = process
  const {containerd} = stage.world
  const loaded = await loadConfig(process)
  // One that does not respond hangs, as far as can be seen: it does not begin to serve by itself.
  entry.stage = containerd.running ? 'launched' : 'serving'
  if (!containerd.running || loaded.error !== undefined) return
  containerd.config = loaded.config
  entry.listening = [pipeKey(loaded.config.address)]
  entry.stage = 'serving'
}

/** flanneld has no port to ask; shawl's log shows its state. */
async function adoptFlanneld({entry, stage}: DaemonProcess, process: ServiceProcess): Promise<void> {
  const run = parseShawlRun(process.arguments)
  if (run.error !== undefined) return
  if (process.childProcessId === undefined) startChild(stage, process, run.command[0] ?? '')
  const folder = run.logDir ?? win32.dirname(process.program)
  const log = (await stage.files.read(win32.join(folder, `shawl_for_${run.name}_rCURRENT.log`)))?.toString('utf8') ?? ''
  const launch = log.lastIndexOf('Launching command')
  const since = log.slice(Math.max(launch, 0))
  if (launch === -1 || since.includes(FLANNELD_DONE)) entry.stage = 'running'
  else if (since.includes('Command exited')) entry.stage = `waiting ${stage.now()}`
  else if (!since.includes(FLANNELD_NETWORK)) entry.stage = 'launched'
  else entry.stage = hasOverlay(stage) ? `interface ${stage.now()}` : 'stuck'
}

const hasOverlay = ({world}: Stage): boolean => networksOf(world).some(isOverlay)
