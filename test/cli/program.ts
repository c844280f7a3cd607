// The built program, as people start it: as a process, or in this one where the process is not what is tested.
import {type ChildProcessByStdio, spawn} from 'node:child_process'
import {Readable, Writable} from 'node:stream'
import {fileURLToPath} from 'node:url'

export const BIN = fileURLToPath(new URL('../../bin/run.js', import.meta.url))
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const MAIN = new URL('../../dist/cli/main.js', import.meta.url).href

export interface Ended {
  readonly code: number | null
  readonly stderr: string
  readonly stdout: string
}

/** A process that is still running. */
export function startK8sWin(
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): ChildProcessByStdio<null, Readable, Readable> {
  return spawn(process.execPath, [BIN, ...args], {
    env: {...withoutOurs(process.env), ...environment},
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** A process to its end. */
export async function k8sWinProcess(args: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const child = startK8sWin(args, environment)
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => (stdout += part))
  child.stderr.setEncoding('utf8').on('data', (part: string) => (stderr += part))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      resolve({code, stderr, stdout})
    })
  })
}

/** They take the streams and the variables of this process. */
let last: Promise<unknown> = Promise.resolve()

/**
 * The same in this process, one at a time: a start costs more than most commands. Whatever the program keeps for a process
 * (the secrets it has seen) is kept from call to call.
 */
export async function k8sWin(args: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const ended = last.then(() => runHere(args, environment))
  last = ended.catch(() => undefined)
  return ended
}

async function runHere(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<Ended> {
  const {start} = (await import(MAIN)) as {start(root: string): Promise<void>}
  const stdout = new Captured()
  const stderr = new Captured()
  let code: number | null = null
  const replaced = {
    argv: [process.execPath, BIN, ...args],
    env: {...withoutOurs(process.env), ...environment},
    exit: (given: number) => void (code = given),
    stderr,
    // At its end, as that of the process: otherwise reset waits for an answer that may be piped in.
    stdin: Readable.from([]),
    stdout,
  }
  const before = new Map(
    Object.keys(replaced).map((name) => [name, Object.getOwnPropertyDescriptor(process, name) as PropertyDescriptor]),
  )
  for (const [name, value] of Object.entries(replaced)) {
    Object.defineProperty(process, name, {configurable: true, enumerable: true, value, writable: true})
  }

  try {
    await start(ROOT)
  } finally {
    for (const [name, descriptor] of before) Object.defineProperty(process, name, descriptor)
  }

  return {code, stderr: stderr.text, stdout: stdout.text}
}

class Captured extends Writable {
  text = ''

  constructor() {
    super({decodeStrings: false})
  }

  override _write(chunk: Buffer | string, _: BufferEncoding, done: () => void): void {
    this.text += chunk.toString()
    done()
  }
}

function withoutOurs(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('K8S_WIN_')))
}
