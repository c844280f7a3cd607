// The simulator's daemons as real processes: its rules judge the command lines and the environment that the real service
// manager and the real shawl handed on, and its models live as long as those processes do.
import type {Win32} from '../../../src/machine/win32.js'
import {type Daemon, type DaemonProcess, serviceDaemon} from '../../../src/simulator/daemons/daemon.js'
import {flanneld} from '../../../src/simulator/daemons/flanneld.js'
import {kubeProxy} from '../../../src/simulator/daemons/kube-proxy.js'
import {kubelet} from '../../../src/simulator/daemons/kubelet.js'
import type {Stage} from '../../../src/simulator/model.js'
import {identifyProgram} from '../../../src/simulator/windows/service-process.js'
import type {ServiceEntry} from '../../../src/simulator/world.js'
import type {ProgramGuide, ProgramHandle, StartedProgram} from './daemon-pipe.js'

const DAEMONS: Readonly<Record<string, {daemon: Daemon; service: string}>> = {
  flanneld: {daemon: flanneld, service: 'flanneld'},
  'kube-proxy': {daemon: kubeProxy, service: 'kubeproxy'},
  kubelet: {daemon: kubelet, service: 'kubelet'},
}

/** Programs that only have to be there: the entry of the fresh host stands for each. */
const PRESENT: Readonly<Record<string, string>> = {dockerd: 'docker', hns: 'hns'}

/** One thing leads to another, but not for ever. */
const MAX_ROUNDS = 100

interface Running {
  readonly daemon: Daemon
  readonly process: () => DaemonProcess
}

export interface RealDaemons {
  /** All continue by what time has brought. */
  advance(): Promise<void>
  guide(): ProgramGuide
}

export function openRealDaemons(stage: Stage, win32: Pick<Win32, 'queryServiceConfig' | 'registryValue'>): RealDaemons {
  const running = new Map<ServiceEntry, Running>()
  const {services} = stage.world

  async function start(handle: ProgramHandle, started: StartedProgram): Promise<ServiceEntry | undefined> {
    const standIn = await identifyProgram(stage, started.program)
    const known = DAEMONS[standIn?.name ?? '']
    if (!standIn || !known) {
      const entry = services[PRESENT[standIn?.name ?? ''] ?? '']
      if (entry) entry.state = 'running'
      if (entry?.name === 'docker') stage.world.docker.running = true
      handle.connect()
      return entry
    }

    const {daemon, service} = known
    const config = await win32.queryServiceConfig(service)
    if (!config) return void handle.exit(1)
    const environment = {...started.environment, ...(await serviceEnvironment(win32, service))}
    const entry: ServiceEntry = {
      config,
      deleting: false,
      exitCode: 0,
      name: service,
      process: {arguments: [...started.args], environment, program: started.program, standIn},
      processId: started.processId,
      restarts: 0,
      serviceExitCode: 0,
      stage: 'launched',
      startedAt: stage.now(),
      state: 'running',
    }
    services[service] = entry
    const process = (): DaemonProcess => ({
      ...serviceDaemon(stage, entry, entry.process!),
      exit: async (code) => {
        running.delete(entry)
        delete entry.listening
        handle.exit(code)
      },
      stderr: async (line) => handle.stderr(line),
    })
    const beginning = await daemon.begin(process())
    if (typeof beginning === 'object') {
      handle.exit(beginning.exit)
      return entry
    }
    running.set(entry, {daemon, process})
    if (beginning === 'connected') handle.connect()
    else handle.runOn()
    return entry
  }

  function end(entry: ServiceEntry): void {
    running.delete(entry)
    delete entry.listening
    entry.state = 'stopped'
    entry.stage = ''
  }

  return {
    async advance() {
      for (const [entry, {daemon, process}] of running) {
        for (let round = 0; round < MAX_ROUNDS && running.has(entry); round++) {
          if (!(await daemon.advance(process()))) break
        }
      }
    },
    guide() {
      let entry: Promise<ServiceEntry | undefined> = Promise.resolve(undefined)
      return {
        ended: () => void entry.then((one) => one && end(one)),
        started: (handle, started) => void (entry = start(handle, started)),
      }
    },
  }
}

/** Wine's service manager starts programs without the variables of their services. */
async function serviceEnvironment(
  win32: Pick<Win32, 'registryValue'>,
  service: string,
): Promise<Record<string, string>> {
  const key = String.raw`SYSTEM\CurrentControlSet\Services` + `\\${service}`
  const value = await win32.registryValue('HKLM', key, 'Environment')
  const lines = value?.type === 'REG_MULTI_SZ' ? value.data : []
  return Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]))
}
