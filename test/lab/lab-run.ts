// One program on a lab machine. Its output goes to files: node.exe in Wine dies with EBADF on a Unix pipe.
import {once} from 'node:events'
import {copyFile, mkdir, open, readFile} from 'node:fs/promises'
import path from 'node:path'
import {setTimeout as sleep} from 'node:timers/promises'
import {spawnContained} from './contained.js'
import {enter, MACHINE_ENVIRONMENT, runLinux} from './inside.js'
import type {LabMachine} from './lab-machine.js'
import type {NodeMajor} from './recipe.js'
import {STEADY_PIPES} from './steady-pipes.js'

const DEFAULT_TIMEOUT_MS = 120_000
const POLL_MS = 50
/** In the environment of a run's processes: which run it is. */
const MARK = 'LAB_RUN'
/** Wine's server does the same for a Ctrl-C on a console: on SIGINT a process runs the handlers that Windows would call. */
const PRESS_CTRL_C = `
  for process in /proc/[0-9]*; do
    [ "$(cat $process/comm 2>/dev/null)" != lab-exec.exe ] && grep -qxzF "$0" $process/environ 2>/dev/null &&
      kill -INT "\${process#/proc/}" && reached=yes
  done
  [ -n "$reached" ]`

export interface LabRun {
  /** Which node.exe; 22 if not said. */
  readonly node?: NodeMajor
  /** A program's Windows path, in place of node.exe. */
  readonly program?: string
  /** A script of this machine (Linux): it is copied in and is node.exe's first argument. */
  readonly script?: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Files to put in before the start, by Windows path. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>
  /** A Windows path; C:\lab if not said. */
  readonly cwd?: string
  readonly timeoutMs?: number
  /** Standard output as it comes. */
  onOutput?(text: string): void
}

export interface LabResult {
  /** The true exit code, all 32 bits of it. */
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  readonly durationMs: number
}

export interface LabProcess {
  /** Its number in Windows. */
  readonly pid: number
  readonly ended: Promise<LabResult>
  /** Ctrl-C, for it and what it started. */
  interrupt(): Promise<void>
  /** Ends it the hard way (TerminateProcess); what it started stays. */
  kill(): Promise<void>
}

interface Place {
  readonly initPid: number
  readonly machine: LabMachine
}

export async function startRun(place: Place, run: LabRun): Promise<LabProcess> {
  const {machine} = place
  for (const [file, content] of Object.entries(run.files ?? {})) await machine.write(file, content)
  const folder = await makeRunFolder(machine)
  const argv = [...(await programOf(machine, run, folder)), ...(run.args ?? [])]
  const cwd = machine.path(run.cwd ?? 'C:\\lab').slice(machine.linuxPath('/').length - 1)
  const started = Date.now()

  // The shell is replaced by lab-exec, so its number is lab-exec's.
  const script = 'echo $$ >"$0/linux-pid"; cd "$1"; shift; exec "$@" </dev/null >"$0/stdout" 2>"$0/stderr"'
  const exec = [
    '/usr/lib/wine/wine64',
    'C:\\lab\\programs\\lab-exec.exe',
    windows(folder, 'pid'),
    windows(folder, 'code'),
  ]
  const child = spawnContained({
    argv: [...enter(place.initPid), 'sh', '-c', script, chroot(folder), cwd, ...exec, ...argv],
    env: {
      ...MACHINE_ENVIRONMENT,
      [MARK]: folder,
      NODE_OPTIONS: `--require ${STEADY_PIPES.replaceAll('\\', '/')}`,
      ...run.env,
    },
    namespaces: 'none',
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  const file = (name: string) => machine.linuxPath(path.posix.join(chroot(folder), name))
  const closed = once(child, 'exit') as Promise<[number | null]>
  const ended = outcome()
  ended.catch(() => undefined)

  async function outcome(): Promise<LabResult> {
    const timeoutMs = run.timeoutMs ?? DEFAULT_TIMEOUT_MS
    const stop = new AbortController()
    const following = run.onOutput === undefined ? undefined : follow(file('stdout'), run.onOutput, stop.signal)
    const late = sleep(timeoutMs, 'late' as const, {ref: false, signal: stop.signal}).catch(() => undefined)
    const first = await Promise.race([closed, late])
    if (first === 'late') await killLinux()
    const [seen] = await closed
    stop.abort()
    await following
    const [stdout, stderr, code] = await Promise.all(['stdout', 'stderr', 'code'].map((name) => text(file(name))))
    const result = {code: Number(code), durationMs: Date.now() - started, stderr: stderr ?? '', stdout: stdout ?? ''}
    if (first === 'late') throw new Error(`${argv.join(' ')} did not end in ${timeoutMs} ms.\n${tell(result)}`)
    if (code === undefined) throw new Error(`${argv.join(' ')} left no exit code (Linux saw ${seen}).\n${tell(result)}`)
    return result
  }

  async function killLinux(): Promise<void> {
    const linuxPid = (await text(file('linux-pid')))?.trim()
    if (linuxPid === undefined) return void child.kill('SIGKILL')
    await runLinux(place.initPid, ['sh', '-c', 'kill -KILL "$0"', linuxPid], DEFAULT_TIMEOUT_MS)
  }

  const pid = await Promise.race([pidOf(file('pid'), closed), ended.then(() => Number.NaN)])
  return {
    ended,
    interrupt: async () => {
      const {code, stderr} = await machine.linux(['sh', '-c', PRESS_CTRL_C, `${MARK}=${folder}`])
      if (code !== 0) throw new Error(`Nobody got Ctrl-C: ${stderr}`)
    },
    kill: async () => {
      await machine.run({args: ['/F', '/PID', String(pid)], program: 'C:\\windows\\system32\\taskkill.exe'})
    },
    pid,
  }
}

async function programOf(machine: LabMachine, run: LabRun, folder: string): Promise<string[]> {
  const program = run.program ?? `C:\\lab\\node${run.node ?? 22}\\node.exe`
  if (run.script === undefined) return [program]
  const script = windows(folder, path.basename(run.script))
  await copyFile(run.script, machine.path(script))
  return [program, script]
}

/** Numbered by hand-over to mkdir: two runs of one machine may start at the same moment. */
async function makeRunFolder(machine: LabMachine): Promise<string> {
  await mkdir(machine.path('C:\\k8s-win\\runs'), {recursive: true})
  for (let number = 1; ; number++) {
    const made = await mkdir(machine.path(`C:\\k8s-win\\runs\\${number}`)).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'EEXIST') return false
        throw error
      },
    )
    if (made) return String(number)
  }
}

const chroot = (folder: string) => `/lab/prefix/drive_c/k8s-win/runs/${folder}`
const windows = (folder: string, name: string) => `C:\\k8s-win\\runs\\${folder}\\${name}`

async function pidOf(file: string, closed: Promise<unknown>): Promise<number> {
  let over = false
  void closed.then(() => (over = true))
  for (;;) {
    const pid = await text(file)
    if (pid || over) return Number(pid)
    await sleep(10)
  }
}

async function follow(file: string, onOutput: (text: string) => void, signal: AbortSignal): Promise<void> {
  const decoder = new TextDecoder()
  let offset = 0
  for (let last = false; ; last = signal.aborted) {
    const handle = await open(file).catch(() => undefined)
    if (handle !== undefined) {
      const {size} = await handle.stat()
      const {buffer, bytesRead} = await handle.read(Buffer.alloc(size - offset), 0, size - offset, offset)
      await handle.close()
      offset += bytesRead
      if (bytesRead > 0) onOutput(decoder.decode(buffer.subarray(0, bytesRead), {stream: true}))
    }
    if (last) return
    await sleep(POLL_MS, undefined, {signal}).catch(() => undefined)
  }
}

async function text(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined)
}

function tell({stderr, stdout}: LabResult): string {
  return `stdout: ${stdout.slice(-4000)}\nstderr: ${stderr.slice(-4000)}`
}
