// Removes what no one uses any more: labs of older recipes, and what killed runs left on disk.
import {mkdir, mkdtemp, readdir, rm, stat} from 'node:fs/promises'
import path from 'node:path'
import {tryLock} from './lock.js'

const OLD_AFTER_MS = 7 * 24 * 3600 * 1000

/** A lab in use is locked; its lock file's time is that of its last use. Lock files stay: a user may be waiting for one. */
export async function removeOldLabs(labs: string, current: string, say: (line: string) => void): Promise<void> {
  for (const name of await readdir(labs)) {
    const hash = /^([0-9a-f]{16})(?:\.building)?$/.exec(name)?.[1]
    if (hash === undefined || hash === current) continue
    const lockFile = path.join(labs, `${hash}.lock`)
    const {mtimeMs} = await stat(lockFile)
    if (Date.now() - mtimeMs < OLD_AFTER_MS) continue
    const lock = await tryLock(lockFile, {timeoutMs: 0})
    if (lock === undefined) continue
    say(`removing the lab ${name}, not used for a week`)
    await rm(path.join(labs, name), {force: true, recursive: true})
    await lock.release()
  }
}

/** A folder of this process. Those of processes that are gone are removed. */
export async function makeSessionFolder(labs: string): Promise<string> {
  const sessions = path.join(labs, 'sessions')
  await mkdir(sessions, {mode: 0o700, recursive: true})
  await removeDeadSessions(labs)
  return mkdtemp(path.join(sessions, `${process.pid}-`))
}

export async function removeDeadSessions(labs: string): Promise<void> {
  const sessions = path.join(labs, 'sessions')
  for (const name of await readdir(sessions)) {
    if (!isAlive(Number.parseInt(name, 10))) await rm(path.join(sessions, name), {force: true, recursive: true})
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
