// Waiting for something to become true, with a deadline, on the machine's clock.
import type {Clock} from '../machine/clock.js'

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
  const end = clock.now() + options.deadlineMs
  for (;;) {
    const answer = await probe()
    if (answer !== undefined) return answer
    const left = end - clock.now()
    if (left <= 0) return undefined
    await clock.sleep(Math.min(options.everyMs, left), options.signal)
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
