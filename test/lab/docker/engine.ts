// A real Docker Engine and a real registry on loopback, in a folder of their own that goes away with them.
import type {ChildProcess} from 'node:child_process'
import {rmSync, writeFileSync} from 'node:fs'
import {basename, join} from 'node:path'
import {endDaemon, openDaemons} from '../daemons.js'
import {openEnginePrograms} from './programs.js'

export interface RealEngine {
  /** Stops everything and removes the folder. */
  close(): Promise<void>
  readonly folder: string
  /** "127.0.0.1:<port>" of the registry itself. */
  readonly registry: string
  readonly socket: string
  start(): Promise<void>
  /** A clean stop, or (SIGKILL) a crash. What was pulled stays. */
  stop(signal?: NodeJS.Signals): Promise<void>
  /** The port the engine listens on beside its socket; another one after each start. */
  tcpPort(): number
}

export async function startRealEngine(): Promise<RealEngine> {
  const daemons = openDaemons('docker', await openEnginePrograms())
  const {close, folder} = daemons
  let engine: ChildProcess | undefined
  let tcpPort = 0

  const start = async (): Promise<void> => {
    // After a crash this file makes the engine wait for a containerd that is gone.
    rmSync(join(folder, 'exec', 'containerd', 'containerd.pid'), {force: true})
    engine = daemons.run('dockerd', engineArguments(folder))
    tcpPort = Number(await daemons.logged('dockerd', engine, /API listen on 127\.0\.0\.1:(\d+)/u))
  }

  try {
    writeFileSync(join(folder, 'daemon.json'), JSON.stringify({'deprecated-key-path': join(folder, 'key.json')}))
    const [registry] = await Promise.all([daemons.startRegistry(), start()])
    return {
      close,
      folder,
      registry,
      socket: join(folder, 'docker.sock'),
      start,
      stop: (signal) => endDaemon(engine, signal),
      tcpPort: () => tcpPort,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Port 0: the system chooses, the log reports; so any number may run at once. */
const engineArguments = (folder: string): string[] => [
  ...['--data-root', join(folder, 'data'), '--exec-root', join(folder, 'exec'), '--pidfile', join(folder, 'pid')],
  ...['-H', `unix://${join(folder, 'docker.sock')}`, '-H', 'tcp://127.0.0.1:0', '--tls=false'],
  ...['--iptables=false', '--ip6tables=false', '--bridge=none', '--storage-driver=vfs'],
  // A configuration of its own, so that this machine's is neither read nor written.
  ...['--config-file', join(folder, 'daemon.json')],
  // The sitter knows containers and what is left of them by this name.
  ...['--cgroup-parent', `/${basename(folder)}`],
  // One retry, after 5 s, in place of five after 5, 10, 15, 20 and 25 s.
  ...['--max-download-attempts', '1'],
]
