// Real daemons on loopback, in a folder of their own that goes away with them.
import {type ChildProcess, spawn} from 'node:child_process'
import {closeSync, mkdtempSync, openSync, readFileSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {setTimeout as delay} from 'node:timers/promises'
import {type DebianPrograms} from './debian-programs.js'

const READY_MS = 120_000

export interface Daemons {
  /** Ends every daemon of the folder and removes it. The same happens when this process ends, however it ends. */
  close(): Promise<void>
  readonly folder: string
  /** Waits for a line of a daemon's log, and answers what is in the pattern's parentheses. */
  logged(name: string, child: ChildProcess, pattern: RegExp): Promise<string>
  run(name: string, args: readonly string[]): ChildProcess
  /** Of a Docker registry: "127.0.0.1:<port>". */
  startRegistry(): Promise<string>
}

export function openDaemons(name: string, programs: DebianPrograms): Daemons {
  const folder = mkdtempSync(join(tmpdir(), `k8s-win-${name}-`))
  const sitter = startSitter(folder)
  const logOf = (program: string): string => join(folder, `${program}.log`)
  const daemons: Daemons = {
    async close() {
      const ended = new Promise((resolve) => sitter.once('exit', resolve))
      sitter.stdin?.end()
      await ended
    },
    folder,
    async logged(program, child, pattern) {
      for (const until = Date.now() + READY_MS; Date.now() < until; await delay(20)) {
        const log = readFileSync(logOf(program), 'utf8')
        const found = pattern.exec(log)?.[1]
        if (found !== undefined) return found
        if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}:\n${log.slice(-2000)}`)
      }

      throw new Error(`${program} was not ready after ${READY_MS / 1000} s`)
    },
    run(program, args) {
      const log = openSync(logOf(program), 'w')
      const env = {...programs.environment, HOME: folder, TMPDIR: folder}
      // In a session of its own, so that Ctrl-C reaches us and the sitter ends it in order.
      const child = spawn(programs.find(program), args, {cwd: folder, detached: true, env, stdio: ['ignore', log, log]})
      closeSync(log)
      return child
    },
    async startRegistry() {
      writeFileSync(join(folder, 'registry.yml'), registryConfig(folder))
      const child = daemons.run('docker-registry', ['serve', join(folder, 'registry.yml')])
      return `127.0.0.1:${await daemons.logged('docker-registry', child, /listening on 127\.0\.0\.1:(\d+)/u)}`
    },
  }
  return daemons
}

/** Ends a daemon with a signal, and waits until it is gone. */
export async function endDaemon(child: ChildProcess | undefined, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill(signal)
  await ended
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
const registryConfig = (folder: string): string =>
  JSON.stringify({
    http: {addr: '127.0.0.1:0'},
    log: {accesslog: {disabled: true}, level: 'info'},
    storage: {filesystem: {rootdirectory: join(folder, 'registry')}},
    version: 0.1,
  })
