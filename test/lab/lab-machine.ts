// One Windows machine of the lab: its own drive C, its own processes, its own host name; the network is shared, or its own.
import {once} from 'node:events'
import {mkdir, readFile, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {createInterface} from 'node:readline'
import {fileURLToPath} from 'node:url'
import {spawnContained} from './contained.js'
import {type LinuxResult, MACHINE_ENVIRONMENT, runLinux} from './inside.js'
import {type LabProcess, type LabResult, type LabRun, startRun} from './lab-run.js'
import {hostPath} from './windows-path.js'

const LINUX_TIMEOUT_MS = 120_000
const INIT = fileURLToPath(new URL('machine.sh', import.meta.url))

export interface LabMachine {
  /** Runs a Windows program to its end. Rejects when it does not end in time. */
  run(run: LabRun): Promise<LabResult>
  /** Starts one and leaves it running. */
  start(run: LabRun): Promise<LabProcess>
  /** Runs a Linux program of the chroot to its end. */
  linux(argv: readonly string[], timeoutMs?: number): Promise<LinuxResult>
  /** Where a Windows path (C:\...) of this machine is for Linux, as long as the machine lives. */
  path(windowsPath: string): string
  /** The same for a path of the chroot. */
  linuxPath(chrootPath: string): string
  write(windowsPath: string, content: string | Uint8Array): Promise<void>
  read(windowsPath: string): Promise<string>
  /** Ends every process and takes every mount away. */
  close(): Promise<void>
}

export interface MachineSource {
  readonly folder: string
  readonly layer: string
  readonly hostName: string
  /** Gives the machine a network of its own, without a way out, with the addresses of the simulated host. */
  readonly adapter?: string
}

export async function startMachine({adapter, folder, hostName, layer}: MachineSource): Promise<LabMachine> {
  const init = spawnContained({
    argv: ['sh', INIT, folder, layer, hostName, adapter ?? ''],
    env: MACHINE_ENVIRONMENT,
    namespaces: ['--uts', '--ipc', ...(adapter === undefined ? [] : ['--net'])],
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const ended = once(init, 'close')
  let complaints = ''
  init.stderr!.on('data', (chunk: Buffer) => (complaints += chunk.toString()))
  const lines = createInterface({input: init.stdout!})
  const first = await Promise.race([once(lines, 'line') as Promise<[string]>, ended.then(() => undefined)])
  if (first === undefined) throw new Error(`A lab machine did not start: ${complaints.trim()}`)
  const pid = Number(first[0])
  const linuxPath = (chrootPath: string) => path.join(`/proc/${pid}/root`, chrootPath)

  const machine: LabMachine = {
    close: async () => {
      init.stdin!.end()
      await ended
    },
    linux: (argv, timeoutMs = LINUX_TIMEOUT_MS) => runLinux(pid, argv, timeoutMs),
    linuxPath,
    path: (windowsPath) => hostPath(linuxPath('/lab/prefix/drive_c'), windowsPath),
    read: (windowsPath) => readFile(machine.path(windowsPath), 'utf8'),
    run: async (run) => (await machine.start(run)).ended,
    start: (run) => startRun({initPid: pid, machine}, run),
    write: async (windowsPath, content) => {
      const file = machine.path(windowsPath)
      await mkdir(path.dirname(file), {recursive: true})
      await writeFile(file, content)
    },
  }
  return machine
}
