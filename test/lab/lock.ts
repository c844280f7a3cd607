// A file lock (flock) that the kernel frees when this process is gone, however it went.
import {once} from 'node:events'
import {createInterface} from 'node:readline'
import {spawnContained} from './contained.js'

export interface Lock {
  release(): Promise<void>
}

export interface LockOptions {
  readonly shared?: boolean
  readonly timeoutMs: number
  /** Called once if another process holds it. */
  onWait?(): void
}

const SAY_WAIT_AFTER_MS = 1000

export async function takeLock(file: string, options: LockOptions): Promise<Lock> {
  const lock = await tryLock(file, options)
  if (lock === undefined) throw new Error(`Nobody let go of ${file} in ${options.timeoutMs / 60_000} minutes.`)
  return lock
}

/** Undefined when it could not be had in time. */
export async function tryLock(file: string, options: LockOptions): Promise<Lock | undefined> {
  const seconds = String(options.timeoutMs / 1000)
  const holder = spawnContained({
    argv: [
      'flock',
      options.shared ? '--shared' : '--exclusive',
      '--wait',
      seconds,
      file,
      'sh',
      '-c',
      'echo held; exec cat',
    ],
    namespaces: 'none',
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const ended = once(holder, 'close')
  const saying = setTimeout(() => options.onWait?.(), SAY_WAIT_AFTER_MS)
  try {
    const lines = createInterface({input: holder.stdout!})
    const held = await Promise.race([once(lines, 'line').then(() => true), ended.then(() => false)])
    if (!held) return undefined
  } finally {
    clearTimeout(saying)
  }
  return {
    release: async () => {
      holder.stdin!.end()
      await ended
    },
  }
}
