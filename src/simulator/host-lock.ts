// A mutex that all processes on one simulated host see: a file with the holder's process, freed when that has died.
import {randomUUID} from 'node:crypto'
import {readFileSync, renameSync, rmSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'

/** The release, or undefined while another holds it. */
export function takeHostLock(dir: string, name: string): (() => Promise<void>) | undefined {
  const path = join(dir, `${name.replace(/[^\w.-]+/g, '-').toLowerCase()}.lock`)
  const mark = `${process.pid} ${randomUUID()}`
  if (!claim(path, mark) && !(clearAbandoned(path) && claim(path, mark))) return undefined
  return async () => {
    if (holderOf(path) === mark) rmSync(path, {force: true})
  }
}

function claim(path: string, mark: string): boolean {
  try {
    writeFileSync(path, mark, {flag: 'wx'})
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** True where the way is free. Moved aside first: of several that try, one succeeds. */
function clearAbandoned(path: string): boolean {
  const holder = holderOf(path)
  if (holder === undefined) return true
  if (isAlive(Number.parseInt(holder, 10))) return false
  const aside = `${path}.${randomUUID()}`
  try {
    renameSync(path, aside)
  } catch {
    return false
  }

  rmSync(aside, {force: true})
  return true
}

function holderOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** On Linux one that was killed stays in the table until its parent asks for its end; it holds nothing any more. */
function isZombie(processId: number): boolean {
  try {
    // "1234 (any name) Z …"
    return /^\) [ZX]/.test(/\)[^)]*$/.exec(readFileSync(`/proc/${processId}/stat`, 'utf8'))?.[0] ?? '')
  } catch {
    return false
  }
}

function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0)
    return !isZombie(processId)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
