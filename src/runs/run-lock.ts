// The lock: a mutex, which Windows frees when its holder dies, and beside it a record of who that is. The mutex is the
// truth; the record only informs. What watch and others say to each other are mutexes too: a process that was killed says
// nothing any more, and no other account can say anything in its place.
import {win32} from 'node:path'
import {lockHeld, watchRunning} from '../errors/host.js'
import {at, textAt} from '../host/document.js'
import {ADMINISTRATORS_ONLY} from '../host/security/security.js'
import {openTrust, trustedFilesOf} from '../host/security/trust.js'
import {orAborted, waitFor} from '../host/wait.js'
import type {Deadline} from '../machine/clock.js'
import type {Machine} from '../machine/machine.js'
import {readRecord, writeRecord} from '../pipeline/run/last-run.js'
import {InterruptedError} from '../pipeline/run/to-user-error.js'

const MUTEX = String.raw`Global\k8s-win`
/** Held by a repair of watch from before it takes the lock until after it has released it. */
const YIELDING = String.raw`Global\k8s-win-yielding`
/** Held by whoever waits for that. */
const WANTED = String.raw`Global\k8s-win-wanted`
const WATCH = String.raw`Global\k8s-win-watch`

/** A step that was aborted ends at its next safe point. */
export const YIELD_MS = 60_000
const POLL_MS = 250
const ASKED_EVERY_MS = 1000
/** More than a watch needs for a check of the node, and for its end. */
const WATCH_ENDS_MS = 10_000

type Calls = Pick<Machine, 'win32'>

/** Does a run hold it now? A record without a holder is of one that died. */
export const isLockHeld = ({win32: calls}: Calls): Promise<boolean> => calls.isMutexHeld(MUTEX)

/** Is it a repair of watch that holds it, and that stops when it is asked to? */
export const isYielding = ({win32: calls}: Calls): Promise<boolean> => calls.isMutexHeld(YIELDING)

/** Does a run hold it that does not give way? */
export const isRunActive = async (machine: Calls): Promise<boolean> =>
  (await isLockHeld(machine)) && !(await isYielding(machine))

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

export interface LockRequest {
  /** A repair of watch holds it, and is asked to stop. */
  readonly onWait?: (() => void) | undefined
  readonly signal?: AbortSignal
  /** Of a repair of watch: it never waits, and stops when another run wants the lock (`yieldingSignal`). */
  readonly yields?: boolean | undefined
}

/** Throws if another run holds it, with what its record says. */
export async function takeLock(machine: Machine, record: string, request: LockRequest = {}): Promise<RunLock> {
  const {clock, files, win32: calls} = machine
  const free = await (request.yields ? takeYielding(machine) : takeMutex(machine, request))
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
        await writeRecord(files, record, {...holder, since: new Date(clock.now()).toISOString()})
        isSigned = true
      } catch {
        // Not reported: the lock holds without it.
      }
    },
  }
}

type Release = () => Promise<void>

/** In this order: whoever finds the lock held by watch finds that it yields. */
async function takeYielding({win32: calls}: Calls): Promise<Release | undefined> {
  if (await calls.isMutexHeld(WANTED)) return undefined
  const yielded = await calls.takeMutex(YIELDING)
  const free = yielded && (await calls.takeMutex(MUTEX))
  if (!free) await yielded?.()
  return (
    free &&
    (async () => {
      await free()
      await yielded?.()
    })
  )
}

/** Undefined at once where another run holds it, and after a minute where watch does not stop. */
async function takeMutex(machine: Machine, {onWait, signal}: LockRequest): Promise<Release | undefined> {
  const {clock, win32: calls} = machine
  const end = clock.elapsed() + YIELD_MS
  let answered: Release | undefined
  try {
    for (let isAsked = false; ;) {
      const wasYielding = await isYielding(machine)
      const free = await calls.takeMutex(MUTEX)
      // Both times, because watch may just have taken or released it.
      if (free || (!wasYielding && !(await isYielding(machine)))) return free
      if (clock.elapsed() >= end) return undefined
      // Where another run asks already, this one need not.
      answered ??= await calls.takeMutex(WANTED)
      if (!isAsked) onWait?.()
      isAsked = true
      await clock.sleep(POLL_MS, signal)
    }
  } finally {
    await answered?.()
  }
}

/** For a repair of watch: aborted as the other signal is, and when `isAsked`, or another run, wants it to stop. */
export function yieldingSignal(
  {clock, win32: calls}: Pick<Machine, 'clock' | 'win32'>,
  other: AbortSignal,
  isAsked: () => Promise<boolean> = async () => false,
): Deadline {
  const [asked, over] = [new AbortController(), new AbortController()]
  const signal = AbortSignal.any([other, asked.signal])
  const until = AbortSignal.any([signal, over.signal])
  const poll = async (): Promise<void> => {
    while (!until.aborted) {
      const isWanted = await calls.isMutexHeld(WANTED).catch(() => false)
      if (isWanted || (await isAsked())) return asked.abort(new InterruptedError())
      await clock.sleep(ASKED_EVERY_MS, until)
    }
  }
  poll().catch(() => {})
  return {cancel: () => over.abort(), signal}
}

/** For the end of watch: its repair stops at its next safe point. Undefined where others ask for that already. */
export const askToYield = ({win32: calls}: Calls): Promise<Release | undefined> => calls.takeMutex(WANTED)

/** Throws where another watch runs on this host. One whose service was killed notices that within seconds, and ends. */
export async function takeWatch({clock, win32: calls}: Calls & Pick<Machine, 'clock'>): Promise<Release> {
  const free = await waitFor(clock, {deadlineMs: WATCH_ENDS_MS, everyMs: 500}, () => calls.takeMutex(WATCH))
  if (!free) throw watchRunning({})
  return free
}

/** As takeLock, or the signal's reason: a lock that is granted after the run ended is released. */
export async function holdLock(
  machine: Machine,
  record: string,
  request: LockRequest & {readonly signal: AbortSignal},
): Promise<RunLock> {
  const {signal} = request
  const taking = takeLock(machine, record, request)
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
