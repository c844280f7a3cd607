// Starts the built program, as people do.
import {type ChildProcessByStdio, spawn} from 'node:child_process'
import type {Readable} from 'node:stream'
import {fileURLToPath} from 'node:url'

export const BIN = fileURLToPath(new URL('../../bin/run.js', import.meta.url))

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
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      resolve({code, stderr, stdout})
    })
  })
}

function withoutOurs(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('K8S_WIN_')))
}
