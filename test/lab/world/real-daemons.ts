// The simulator's daemons as real processes: its rules judge the command lines and the environment that the real service
// manager and the real shawl handed on, and its models live as long as those processes do.
import type {Win32} from '../../../src/machine/win32.js'
import {joinCommandLine} from '../../../src/host/command-line.js'
import {orAborted} from '../../../src/host/wait.js'
import {closeContainerd} from '../../../src/simulator/containerd/lifetime.js'
import {splitCommandLine} from '../../../src/machine/command-line.js'
import {containerd, parseFlags} from '../../../src/simulator/daemons/containerd.js'
import {type Daemon, type DaemonProcess, serviceDaemon} from '../../../src/simulator/daemons/daemon.js'
import {flanneld} from '../../../src/simulator/daemons/flanneld.js'
import {kubeProxy} from '../../../src/simulator/daemons/kube-proxy.js'
import {kubelet} from '../../../src/simulator/daemons/kubelet/kubelet.js'
import {runnerChild} from '../../../src/simulator/daemons/log-runner.js'
import type {ProgramOutput, ProgramStart, Stage} from '../../../src/simulator/model.js'
import {runContainerd} from '../../../src/simulator/programs/containerd.js'
import {runCrictl} from '../../../src/simulator/programs/crictl.js'
import {runCtr} from '../../../src/simulator/programs/ctr.js'
import {identifyProgram} from '../../../src/simulator/windows/service-process.js'
import type {ServiceEntry} from '../../../src/simulator/world.js'
import type {ProgramGuide, ProgramHandle, StartedProgram} from './daemon-pipe.js'

const DAEMONS: Readonly<Record<string, {daemon: Daemon; service: string}>> = {
  containerd: {daemon: containerd, service: 'containerd'},
  flanneld: {daemon: flanneld, service: 'flanneld'},
  'kube-proxy': {daemon: kubeProxy, service: 'kubeproxy'},
  kubelet: {daemon: kubelet, service: 'kubelet'},
}

const RUNNER = 'kube-log-runner'

/** Programs that end by themselves: containerd is asked through them. */
const COMMANDS: Readonly<Record<string, (stage: Stage, start: ProgramStart) => Promise<ProgramOutput>>> = {
  containerd: runContainerd,
  crictl: runCrictl,
  ctr: runCtr,
}

/** containerd.exe is both: a command where it is asked for something. */
function isDaemon(name: string | undefined, {args}: StartedProgram): boolean {
  const parsed = parseFlags({args})
  const isAsked = parsed.error === undefined && (parsed.flags.has('version') || parsed.rest.length > 0)
  return name === 'containerd' && !isAsked
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

  async function start(
    handle: ProgramHandle,
    started: StartedProgram,
    gone: AbortSignal,
  ): Promise<ServiceEntry | undefined> {
    const standIn = await identifyProgram(stage, started.program)
    const command = isDaemon(standIn?.name, started) ? undefined : COMMANDS[standIn?.name ?? '']
    if (command && standIn) return void (await runCommand(command, handle, started, {gone, version: standIn.version}))
    if (standIn?.name === RUNNER) return void (await startRunner(handle, started))
    const known = DAEMONS[standIn?.name ?? '']
    if (!standIn || !known) {
      const present = services[PRESENT[standIn?.name ?? ''] ?? '']
      handle.connect()
      if (!present) return undefined
      // Its own: the end of a process, or of a connection that a booting Wine dropped, may be heard after the next one's start.
      const entry: ServiceEntry = {...present, state: 'running'}
      services[entry.name] = entry
      if (entry.name === 'docker') stage.world.docker.running = true
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
    // In the foreground of a console nothing keeps what it prints.
    const runner = started.args.includes('--windows-service') ? await runnerOf(config.imagePath) : undefined
    const stderr = runner?.self.stderr ?? (async (line: string) => handle.stderr(line))
    const process = (): DaemonProcess => ({
      ...serviceDaemon(stage, entry, entry.process!),
      exit: async (code) => {
        running.delete(entry)
        delete entry.listening
        handle.exit(code)
      },
      stderr,
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

  async function runCommand(
    command: (typeof COMMANDS)[string],
    handle: ProgramHandle,
    started: StartedProgram,
    {gone, version}: {gone: AbortSignal; version: string},
  ): Promise<void> {
    // What ends the program ends its call.
    const own: Stage = {...stage, elapse: (ms) => orAborted(stage.elapse(ms), gone)}
    const {
      exitCode,
      stderr = '',
      stdout = '',
    } = await command(own, {...started, env: started.environment, version}).catch((error: unknown): ProgramOutput => {
      if (gone.aborted) return {exitCode: 1}
      throw error
    })
    for (const line of linesOf(stdout)) handle.stdout(line)
    for (const line of linesOf(stderr)) handle.stderr(line)
    handle.exit(exitCode)
  }

  /** The daemon that a command line of kube-log-runner runs, and where its output goes. */
  async function runnerOf(commandLine: string): ReturnType<typeof runnerChild> {
    const [program = '', ...args] = splitCommandLine(commandLine)
    const standIn = await identifyProgram(stage, program)
    if (standIn?.name !== RUNNER) return undefined
    const entry = {process: {arguments: args, environment: {}, program, standIn}, processId: 0, startedAt: stage.now()}
    return runnerChild(serviceDaemon(stage, entry as unknown as ServiceEntry, entry.process))
  }

  async function startRunner(handle: ProgramHandle, {args, program}: StartedProgram): Promise<void> {
    const child = await runnerOf(joinCommandLine([program, ...args]))
    // Go's flag package ends a program with 2.
    if (!child || !DAEMONS[child.name]) return handle.exit(2)
    handle.child(joinCommandLine([child.self.program, ...child.self.args]))
  }

  function end(entry: ServiceEntry): void {
    running.delete(entry)
    closeContainerd(stage.world, entry, true)
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
      const gone = new AbortController()
      return {
        ended() {
          gone.abort(new Error('the program has ended'))
          void entry.then((one) => one && end(one))
        },
        started: (handle, started) => void (entry = start(handle, started, gone.signal)),
      }
    },
  }
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))

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
