// Starts programs with execa: by absolute path, hidden, in a known folder, with the whole tree killed at the deadline.
import {stat} from 'node:fs/promises'
import {constants} from 'node:os'
import path from 'node:path'
import type {Clock} from '../clock.js'
import {
  type Foreground,
  isPassable,
  LARGEST_OUTPUT,
  ProgramNotFoundError,
  ProgramNotStartedError,
  ProgramOutputError,
  type Run,
  type RunResult,
} from '../run.js'
import {decodeOutput} from './decode.js'

interface RunContext {
  readonly clock: Clock
  readonly environment: NodeJS.ProcessEnv
  /** The code page console programs write in. Asked only for output that is neither UTF-16 nor UTF-8. */
  oemCodePage(): Promise<number>
  readonly platform: NodeJS.Platform
  /** Asked on Windows only. */
  systemFolder(): Promise<string>
}

/** It takes longer to load than most of k8s-win, and not every command starts programs. */
const loadExeca = () => import('execa')

export function openRun({clock, environment, oemCodePage, platform, systemFolder}: RunContext): Run {
  const windows = platform === 'win32'

  return async (program, args, options): Promise<RunResult> => {
    demandProgram(program, windows)
    demandPassable(program, [...args, ...Object.entries(options.env ?? {}).flat()])
    await demandFile(program)
    const {execa} = await loadExeca()
    const folder = windows ? await systemFolder() : '/'
    const killTree = windows ? windowsKillTree(folder) : posixKillTree
    options.signal?.throwIfAborted()
    const deadline = clock.deadline(options.deadlineMs)
    const flood = new AbortController()
    const stop = AbortSignal.any([deadline.signal, flood.signal, ...(options.signal ? [options.signal] : [])])
    const started = clock.elapsed()
    const {foreground} = options
    const subprocess = execa(program, args, {
      buffer: !foreground,
      cwd: folder,
      detached: !windows,
      encoding: 'buffer',
      env: mergeEnvironment(environment, options.env ?? {}, windows),
      extendEnv: false,
      reject: false,
      stripFinalNewline: false,
      // Hidden it would have a console of its own.
      windowsHide: !foreground,
      ...(options.input === undefined ? {stdin: 'ignore'} : {input: options.input}),
    })
    const {maxOutputBytes = LARGEST_OUTPUT} = options
    for (const name of ['stdout', 'stderr'] as const) {
      let bytes = 0
      subprocess[name].on('data', (chunk: Uint8Array) => {
        bytes += chunk.length
        if (foreground) foreground.onOutput(chunk, name)
        else if (bytes > maxOutputBytes) flood.abort(new ProgramOutputError(program, maxOutputBytes))
      })
    }

    const endByItself = async ({graceMs}: Foreground): Promise<void> => {
      // It leads a group, which no console reaches.
      if (!windows && subprocess.pid !== undefined) signalGroup(subprocess.pid, 'SIGINT')
      await Promise.race([subprocess, clock.sleep(graceMs)])
    }

    let onStop = (): void => {}
    const killed = new Promise<undefined>((resolve, reject) => {
      const kill = async () => {
        if (foreground) await endByItself(foreground)
        const {exitCode, pid} = subprocess
        // Windows gives a dead parent's number to another process; a group keeps its own while it has members.
        if (pid !== undefined && (!windows || exitCode === null)) await killTree(pid)
        subprocess.stdout?.destroy()
        subprocess.stderr?.destroy()
        return undefined
      }
      onStop = () => void kill().then(resolve, reject)
      stop.addEventListener('abort', onStop, {once: true})
    })
    try {
      // What escaped the tree may hold the pipes open for ever: the kill is the end, not the end of the output.
      const result = await Promise.race([subprocess, killed])
      if (stop.aborted || result === undefined) {
        await killed
        throw stop.reason
      }
      if (result.exitCode === undefined && result.signal === undefined) throw startError(program, result.code)
      return {
        durationMs: Math.round(clock.elapsed() - started),
        exitCode: result.exitCode ?? 128 + constants.signals[result.signal as NodeJS.Signals],
        stderr: foreground ? '' : await decodeOutput(result.stderr, oemCodePage),
        stdout: foreground ? '' : await decodeOutput(result.stdout, oemCodePage),
      }
    } finally {
      stop.removeEventListener('abort', onStop)
      deadline.cancel()
    }
  }
}

function demandProgram(program: string, windows: boolean): void {
  const absolute = windows ? /^[a-z]:[\\/]/iu.test(program) && path.win32.isAbsolute(program) : path.isAbsolute(program)
  if (!absolute) throw new TypeError(`programs are started by absolute path, not as ${program}`)
  // Anything else (.cmd, a script) would be handed to cmd.exe, which reads its arguments again.
  if (windows && !/\.(?:com|exe)$/iu.test(program)) throw new TypeError(`${program} is not an .exe`)
}

/** Node would refuse some of it, replace some and die of some. The text is not repeated: it may be a secret. */
function demandPassable(program: string, texts: readonly string[]): void {
  if (texts.every((text) => isPassable(text))) return
  const reason = 'an argument or a variable contains a character that cannot be passed on'
  throw new ProgramNotStartedError(program, 'EINVAL', reason)
}

/** On Windows cross-spawn, inside execa, would hand a program that is not there to %ComSpec%, arguments and all. */
async function demandFile(program: string): Promise<void> {
  const code = await stat(path.toNamespacedPath(program)).then(
    (found) => (found.isFile() ? undefined : 'EACCES'),
    (error: NodeJS.ErrnoException) => error.code,
  )
  if (code !== undefined) throw startError(program, code)
}

function startError(program: string, code: string | undefined): Error {
  if (code === 'ENOENT') return new ProgramNotFoundError(program)
  return new ProgramNotStartedError(program, code ?? 'UNKNOWN')
}

/** Variables that only k8s-win itself reads: no program that it starts needs them. */
const SECRETS = ['K8S_WIN_TOKEN']

/** Windows compares names without case, and would take either of "Path" and "PATH". */
function mergeEnvironment(
  base: NodeJS.ProcessEnv,
  added: Readonly<Record<string, string>>,
  windows: boolean,
): NodeJS.ProcessEnv {
  const key = (name: string) => (windows ? name.toUpperCase() : name)
  const replaced = new Set([...Object.keys(added), ...SECRETS].map(key))
  return {...Object.fromEntries(Object.entries(base).filter(([name]) => !replaced.has(key(name)))), ...added}
}

/** taskkill itself may hang on an unhealthy host; the caller has waited long enough already. */
const TASKKILL_MS = 10_000

type KillTree = (processId: number) => Promise<void>

/** Windows has no process groups that could be killed: taskkill walks the tree of parents. */
export function windowsKillTree(systemFolder: string): KillTree {
  return async (processId) => {
    const {execa} = await loadExeca()
    await execa(path.win32.join(systemFolder, 'taskkill.exe'), ['/T', '/F', '/PID', String(processId)], {
      cwd: systemFolder,
      reject: false,
      stdio: 'ignore',
      timeout: TASKKILL_MS,
      windowsHide: true,
    })
  }
}

/** For a process that was started detached, and so leads a group. */
export const posixKillTree: KillTree = async (processId) => signalGroup(processId, 'SIGKILL')

function signalGroup(processId: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-processId, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
