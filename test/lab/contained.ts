// Programs that cannot outlive us: each dies with its parent, kill -9 of this process included.
import {type ChildProcess, spawn, type StdioOptions} from 'node:child_process'
import {once} from 'node:events'
import {open} from 'node:fs/promises'

/** Dies with us; unshare's child, and with it the whole process namespace and its mounts, dies with unshare. */
const DIES_WITH_US = ['setpriv', '--pdeathsig', 'KILL', '--']
const OWN_NAMESPACES = ['unshare', '--mount', '--pid', '--fork', '--kill-child=KILL']

export interface Contained {
  readonly argv: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  /** Namespaces besides those of mounts and processes, as unshare spells them. */
  readonly namespaces?: readonly string[] | 'none'
  readonly stdio: StdioOptions
}

/** A group of its own: Ctrl-C in the terminal reaches only us, and we tidy up. */
export function spawnContained({argv, env, namespaces = [], stdio}: Contained): ChildProcess {
  const wrap = namespaces === 'none' ? DIES_WITH_US : [...DIES_WITH_US, ...OWN_NAMESPACES, ...namespaces, '--']
  const [program, ...args] = [...wrap, ...argv] as [string, ...string[]]
  return spawn(program, args, {detached: true, env: env ?? process.env, stdio})
}

export interface LoggedRun extends Omit<Contained, 'stdio'> {
  readonly logFile: string
  readonly timeoutMs: number
}

/** Runs to the end with all its output in a file, and answers its exit code. */
export async function runLogged({logFile, timeoutMs, ...contained}: LoggedRun): Promise<number> {
  const log = await open(logFile, 'a')
  try {
    const child = spawnContained({...contained, stdio: ['ignore', log.fd, log.fd]})
    const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs)
    try {
      const [code] = (await once(child, 'close')) as [number | null]
      return code ?? 137
    } finally {
      clearTimeout(timer)
    }
  } finally {
    await log.close()
  }
}
