// A Node of this machine that runs to its end, or is ended with everything it started: at its time limit, or by a signal.
import {type ChildProcess, spawn} from 'node:child_process'
import {once} from 'node:events'
import path from 'node:path'
import {posixKillTree, windowsKillTree} from '../../src/machine/real/run.js'

export interface NodeRun {
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** Standard output as it comes, by whole lines. */
  onLines(text: string): void
}

export interface NodeEnd {
  /** Null where it was ended. */
  readonly code: number | null
  readonly stdout: string
}

/** Rejects with the signal's reason. What is late is an end like any other: with the output so far, and no code. */
export async function runNode({args, cwd, env, onLines, signal, timeoutMs}: NodeRun): Promise<NodeEnd> {
  signal.throwIfAborted()
  const isWindows = process.platform === 'win32'
  const child = spawn(process.execPath, args, {
    cwd,
    detached: !isWindows,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    windowsHide: true,
  })
  const killTree = isWindows ? windowsKillTree(path.win32.join(process.env['SystemRoot']!, 'System32')) : posixKillTree
  const closed = once(child, 'close') as Promise<[number | null]>
  const stdout = linesOf(child, onLines)
  const late = AbortSignal.timeout(timeoutMs)
  let isEnded = false
  const end = () => {
    isEnded = true
    // Windows ends one process at a time: those it started would continue, and hold its output open.
    void killTree(child.pid!).then(() => child.stdout.destroy())
  }
  const stop = AbortSignal.any([signal, late])
  stop.addEventListener('abort', end, {once: true})
  try {
    const [code] = await closed
    signal.throwIfAborted()
    return {code: isEnded ? null : code, stdout: stdout()}
  } finally {
    stop.removeEventListener('abort', end)
  }
}

/** Answers all of it; a line is reported when it is whole. */
function linesOf(child: ChildProcess, onLines: (text: string) => void): () => string {
  let [all, told] = ['', 0]
  child.stdout!.setEncoding('utf8').on('data', (text: string) => {
    all += text
    const end = all.lastIndexOf('\n') + 1
    if (end > told) onLines(all.slice(told, end))
    told = Math.max(told, end)
  })
  return () => all
}
