// What the suites know of the Windows they run on, and how they start the real CLI there.
import {spawn} from 'node:child_process'
import {once} from 'node:events'
import path from 'node:path'
import {text} from 'node:stream/consumers'

function given(name: string): string {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set: suites are started by npm run test:windows.`)
  return value
}

/** The package: bin\run.js, dist, node_modules. */
export const APP = given('LAB_APP')
/** Compiled from test/lab/programs; not there on a real Windows. */
export const PROGRAMS = process.env.LAB_PROGRAMS
/** host-local.exe; not there on a real Windows. */
export const TOOLS = process.env.LAB_TOOLS
export const IS_WINE = process.env.LAB_WINE === '1'
/** May services, rules and networks of this host be touched? In the lab always, on a real Windows with --yes-change-this-host. */
export const CHANGES_ALLOWED = process.env.LAB_CHANGES === '1'

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly timeoutMs?: number
  /** The arguments are the command line as it is. */
  readonly isVerbatim?: true
}

/** Runs any program to its end, over Windows' own pipes. */
export async function runProgram(program: string, args: readonly string[], options: StartOptions = {}): Promise<Ended> {
  const child = spawn(program, args, {
    cwd: options.cwd,
    env: {...process.env, ...options.env},
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: options.timeoutMs ?? 60_000,
    windowsHide: true,
    windowsVerbatimArguments: options.isVerbatim === true,
  })
  const closed = once(child, 'close') as Promise<[number | null]>
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), closed])
  return {code, stderr, stdout}
}

/** The real CLI, on the Node that runs the suite. */
export async function runCli(args: readonly string[], options: StartOptions = {}): Promise<Ended> {
  return runProgram(process.execPath, [path.join(APP, 'bin', 'run.js'), ...args], options)
}
