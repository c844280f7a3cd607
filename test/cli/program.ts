// Starts the built program, as people do.
import {type ChildProcessByStdio, spawn} from 'node:child_process'
import type {Readable} from 'node:stream'
import {text} from 'node:stream/consumers'
import {fileURLToPath} from 'node:url'

export const BIN = fileURLToPath(new URL('../../bin/run.js', import.meta.url))

const RUN_MANY = fileURLToPath(new URL('fixtures/run-many.mjs', import.meta.url))

export interface Ended {
  readonly code: number | null
  readonly stderr: string
  readonly stdout: string
}

/** The program, still running. */
export function startK8sWin(
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): ChildProcessByStdio<null, Readable, Readable> {
  return spawn(process.execPath, [BIN, ...args], {
    env: {...withoutOurs(process.env), ...environment},
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

export async function k8sWin(args: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<Ended> {
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

/** Several command lines in one process: quick, but only one at a time, and without help and version. */
export async function manyK8sWin(
  requests: readonly {readonly args: readonly string[]; readonly environment?: NodeJS.ProcessEnv}[],
): Promise<Ended[]> {
  const child = spawn(process.execPath, [RUN_MANY], {env: withoutOurs(process.env), stdio: ['pipe', 'pipe', 'inherit']})
  child.stdin.end(JSON.stringify(requests))
  return JSON.parse(await text(child.stdout)) as Ended[]
}

function withoutOurs(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('K8S_WIN_')))
}
