// A mutex for all processes on a simulated host: a file with its holder's PID, free when that process has ended.
import {randomUUID} from 'node:crypto'
import {linkSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync} from 'node:fs'
import {basename, dirname, join} from 'node:path'

/** Returns how to release it; undefined while another process holds it. */
export function takeHostLock(dir: string, name: string): (() => Promise<void>) | undefined {
  const path = fileOf(dir, name)
  const mark = `${process.pid} ${randomUUID()}`
  if (!claim(path, mark) && !(clearAbandoned(path) && claim(path, mark))) return undefined
  removeRemains(path)
  return async () => {
    if (holderOf(path) === mark) rmSync(path, {force: true})
  }
}

export function isHostLocked(dir: string, name: string): boolean {
  const holder = holderOf(fileOf(dir, name))
  return holder !== undefined && isAlive(holder)
}

const fileOf = (dir: string, name: string): string => join(dir, `${name.replace(/[^\w.-]+/g, '-').toLowerCase()}.lock`)

/** By a link to a complete file, so that no reader sees a lock without its holder. */
function claim(path: string, mark: string): boolean {
  const written = beside(path)
  try {
    writeFileSync(written, mark, {flag: 'wx'})
    linkSync(written, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(written, {force: true})
  }
}

/** True if the lock is free. Moved aside first: of several that try, one succeeds. */
function clearAbandoned(path: string): boolean {
  const holder = holderOf(path)
  if (holder === undefined) return true
  if (isAlive(holder)) return false
  const aside = beside(path)
  try {
    renameSync(path, aside)
  } catch {
    return false
  }

  // Another process may have taken it since: it is put back then.
  const isTheirs = holderOf(aside) !== holder
  if (isTheirs) renameSync(aside, path)
  else rmSync(aside, {force: true})
  return !isTheirs
}

/** Removes what killed processes left beside the lock. */
function removeRemains(path: string): void {
  const [folder, start] = [dirname(path), `${basename(path)}.`]
  for (const name of readdirSync(folder)) {
    const holder = name.startsWith(start) ? holderOf(join(folder, name)) : undefined
    // An empty one is just being written.
    if (holder && !isAlive(holder)) rmSync(join(folder, name), {force: true})
  }
}

const beside = (path: string): string => `${path}.${randomUUID()}`

function holderOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** On Linux a killed process stays in the table until its parent reaps it. */
function isZombie(processId: number): boolean {
  try {
    // "1234 (any name) Z …"
    return /^\) [ZX]/.test(/\)[^)]*$/.exec(readFileSync(`/proc/${processId}/stat`, 'utf8'))?.[0] ?? '')
  } catch {
    return false
  }
}

function isAlive(holder: string): boolean {
  const processId = Number.parseInt(holder, 10)
  try {
    process.kill(processId, 0)
    return !isZombie(processId)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
