// Waiting for something to become true, with a deadline, on the machine's clock.
import {type Clock, DeadlineError} from '../machine/clock.js'

export interface WaitOptions {
  readonly deadlineMs: number
  readonly everyMs: number
  readonly signal?: AbortSignal
}

/** The probe's first answer that is not undefined, or undefined when the deadline has passed. The probe always runs once. */
export async function waitFor<T>(
  clock: Clock,
  options: WaitOptions,
  probe: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const {deadlineMs, everyMs, signal} = options
  const end = clock.elapsed() + deadlineMs
  for (;;) {
    const answer = await probe()
    if (answer !== undefined) return answer
    const left = end - clock.elapsed()
    if (left <= 0) return undefined
    await clock.sleep(Math.min(everyMs, left), signal)
  }
}

/** The work's answer, or the signal's reason as soon as it is aborted: what does not listen must not hold a run up. */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let leave = (): void => {}
  const aborted = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason as Error)
    signal.addEventListener('abort', leave, {once: true})
    if (signal.aborted) leave()
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', leave)
    work.catch(() => {})
  }
}

/** As orAborted, but what was aborted gets a moment to come to its own end: who listens tidies up after himself. */
export async function orLeft<T>(clock: Clock, work: Promise<T>, signal: AbortSignal, graceMs: number): Promise<T> {
  try {
    return await orAborted(work, signal)
  } catch (error) {
    if (signal.aborted) await orGivenUp(clock, graceMs, work)
    throw error
  }
}

/** Undefined where it fails or is not done in time: for what must not hold up the end of a run. */
export const orGivenUp = <T>(clock: Clock, ms: number, work: Promise<T>): Promise<T | undefined> =>
  unlessOver(
    clock,
    ms,
    work.catch(() => undefined),
  )

/** Undefined where it is not done in time. */
export async function unlessOver<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T | undefined> {
  const done = new AbortController()
  work.catch(() => {})
  try {
    const over = clock.sleep(ms, done.signal).then(
      () => undefined,
      () => undefined,
    )
    return await Promise.race([work, over])
  } finally {
    // Without a reason it would make an error, with its stack: watch ends thousands of these an hour.
    done.abort('done')
  }
}

/** Rejects with a DeadlineError where it is not done in time. */
export const within = <T>(clock: Clock, ms: number, work: Promise<T>): Promise<T> => inTime(clock, ms, [], () => work)

/** As `within`. While the last one of the same name is not done, it rejects at once: each that hangs keeps a thread. */
export function withinOnce(clock: Clock, ms: number): <T>(name: string, work: () => Promise<T>) => Promise<T> {
  const pending = new Set<string>()
  return async (name, work) => {
    if (pending.has(name)) throw new DeadlineError(ms)
    pending.add(name)
    const working = work().finally(() => pending.delete(name))
    return within(clock, ms, working)
  }
}

/** One of several readers: rejects with a DeadlineError where it is not done in time, or with the reason of a signal. */
export async function inTime<T>(
  clock: Clock,
  ms: number,
  signals: readonly AbortSignal[],
  read: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = clock.deadline(ms)
  const signal = signals.length === 0 ? deadline.signal : AbortSignal.any([...signals, deadline.signal])
  try {
    return await orAborted(read(signal), signal)
  } finally {
    deadline.cancel()
  }
}
