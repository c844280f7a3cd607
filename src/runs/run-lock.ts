// The lock: a mutex, which Windows frees when its holder dies, and beside it a record of who that is. The mutex is the
// truth; the record only informs.
import {win32} from 'node:path'
import {lockHeld} from '../errors/host.js'
import {at, textAt} from '../host/document.js'
import {ADMINISTRATORS_ONLY, ADMINISTRATORS_ONLY_FILE} from '../host/security/security.js'
import {openTrust, trustedFilesOf} from '../host/security/trust.js'
import {orAborted} from '../host/wait.js'
import type {Machine} from '../machine/machine.js'
import {readRecord} from '../pipeline/run/last-run.js'

const MUTEX = String.raw`Global\k8s-win`

/** Does a run hold it now? A record without a holder is of one that died. */
export const isLockHeld = ({win32: calls}: Pick<Machine, 'win32'>): Promise<boolean> => calls.isMutexHeld(MUTEX)

export interface LockHolder {
  /** As it was typed. */
  readonly command: string
  /** Of the run: who attaches to it follows this file. */
  readonly log?: string | undefined
  readonly processId: number
  readonly user: string
}

export interface RunLock {
  release(): Promise<void>
  /** Writes the record for other runs. Best effort: the lock holds without it. */
  sign(holder: LockHolder): Promise<void>
}

/** Throws if another run holds it, with what its record says. */
export async function takeLock({clock, files, win32: calls}: Machine, record: string): Promise<RunLock> {
  const free = await calls.takeMutex(MUTEX)
  if (!free) throw lockHeld(await holderIn(trustedFilesOf({files, win32: calls}), record))
  let isSigned = false
  return {
    async release() {
      if (isSigned) await files.remove(record).catch(() => {})
      await free()
    },
    async sign(holder) {
      try {
        if (isSigned || (await openTrust(calls).problem(win32.dirname(record), 'folder'))) return
        await files.makeDirectory(win32.dirname(record), {security: ADMINISTRATORS_ONLY})
        const text = JSON.stringify({...holder, since: new Date(clock.now()).toISOString()}, undefined, 2)
        await files.write(record, `${text}\n`, {sddl: ADMINISTRATORS_ONLY_FILE})
        isSigned = true
      } catch {
        // Not reported: the lock holds without it.
      }
    },
  }
}

/** As takeLock, or the signal's reason: a lock that is granted after the run ended is released. */
export async function holdLock(machine: Machine, record: string, signal: AbortSignal): Promise<RunLock> {
  const taking = takeLock(machine, record)
  try {
    return await orAborted(taking, signal)
  } catch (error) {
    void taking.then(({release}) => release()).catch(() => {})
    throw error
  }
}

async function holderIn(files: Machine['files'], path: string): Promise<{holder: string; process: string}> {
  const written = await readRecord(files, path)
  const holder = holderOf(written)
  return holder === undefined
    ? {holder: `It left no information in ${path}: it has just started, or uses another base directory.`, process: ''}
    : {holder: `The lock is held by ${holder}`, process: String(at(written, 'processId'))}
}

/** Who wrote the record, as a part of a sentence. */
export function holderOf(record: unknown): string | undefined {
  const processId = at(record, 'processId')
  if (typeof processId !== 'number') return undefined
  const [command, since, user] = ['command', 'since', 'user'].map((key) => textAt(record, key).slice(0, 300))
  return `process ${processId}${user && ` of ${user}`}, which began at ${since}: ${command}`
}
