// A real Docker Engine and a real registry on loopback, in a folder of their own that goes away with them.
import {type ChildProcess, spawn} from 'node:child_process'
import {closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {basename, join} from 'node:path'
import {setTimeout as delay} from 'node:timers/promises'
import {openPrograms} from './programs.js'

const READY_MS = 30_000

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
  const programs = await openPrograms()
  const folder = mkdtempSync(join(tmpdir(), 'k8s-win-docker-'))
  const sitter = startSitter(folder)
  let engine: ChildProcess | undefined
  let tcpPort = 0

  const run = (name: string, args: readonly string[]): ChildProcess => {
    const log = openSync(join(folder, `${name}.log`), 'w')
    const env = {...programs.environment, HOME: folder, TMPDIR: folder}
    // In a session of its own, so that Ctrl-C reaches us and the sitter ends it in order.
    const child = spawn(programs.find(name), args, {cwd: folder, detached: true, env, stdio: ['ignore', log, log]})
    closeSync(log)
    return child
  }

  const start = async (): Promise<void> => {
    // After a crash this file makes the engine wait for a containerd that is gone.
    rmSync(join(folder, 'exec', 'containerd', 'containerd.pid'), {force: true})
    engine = run('dockerd', engineArguments(folder))
    tcpPort = Number(await logged(folder, 'dockerd', engine, /API listen on 127\.0\.0\.1:(\d+)/u))
  }

  const stop = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<void> => {
    if (!engine || engine.exitCode !== null || engine.signalCode !== null) return
    const ended = new Promise((resolve) => engine?.once('exit', resolve))
    engine.kill(signal)
    await ended
  }

  const close = async (): Promise<void> => {
    const ended = new Promise((resolve) => sitter.once('exit', resolve))
    sitter.stdin?.end()
    await ended
  }

  try {
    writeFileSync(join(folder, 'daemon.json'), JSON.stringify({'deprecated-key-path': join(folder, 'key.json')}))
    writeFileSync(join(folder, 'registry.yml'), registryConfig(folder))
    const registry = run('docker-registry', ['serve', join(folder, 'registry.yml')])
    const [port] = await Promise.all([
      logged(folder, 'docker-registry', registry, /listening on 127\.0\.0\.1:(\d+)/u),
      start(),
    ])
    return {
      close,
      folder,
      registry: `127.0.0.1:${port}`,
      socket: join(folder, 'docker.sock'),
      start,
      stop,
      tcpPort: () => tcpPort,
    }
  } catch (error) {
    await close()
    throw error
  }
}

function startSitter(folder: string): ChildProcess {
  const path = new URL('sitter.mjs', import.meta.url).pathname
  return spawn(process.execPath, [path, folder], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
  })
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

const registryConfig = (folder: string): string =>
  JSON.stringify({
    http: {addr: '127.0.0.1:0'},
    log: {accesslog: {disabled: true}, level: 'info'},
    storage: {filesystem: {rootdirectory: join(folder, 'registry')}},
    version: 0.1,
  })

/** Waits for a line of a program's log. */
async function logged(folder: string, name: string, child: ChildProcess, pattern: RegExp): Promise<string> {
  for (const until = Date.now() + READY_MS; Date.now() < until; await delay(20)) {
    const log = readFileSync(join(folder, `${name}.log`), 'utf8')
    const found = pattern.exec(log)?.[1]
    if (found !== undefined) return found
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}:\n${log.slice(-2000)}`)
  }

  throw new Error(`${name} was not ready after ${READY_MS / 1000} s`)
}
