// A transfer that stopped: after two minutes without a byte, a warning names the host that sends nothing.
import type {StepContext} from '../run/step.js'

const STALL_MS = 2 * 60_000

/** Without bytes, as while an image is extracted, nothing is expected of the host. */
export type NoteBytes = (bytes: number | undefined) => void

/** Warns once per stall while the work lasts. Before the first report nothing is under way. */
export async function warnOfStalls<T>(
  {host: {clock}, warn}: Pick<StepContext, 'host' | 'warn'>,
  {from, what}: {readonly from: string; readonly what: string},
  work: (note: NoteBytes) => Promise<T>,
): Promise<T> {
  let seen: {readonly at: number; readonly bytes: number} | undefined
  let warned: typeof seen
  const check = (): void => {
    if (seen && seen !== warned && clock.elapsed() - seen.at >= STALL_MS) {
      warned = seen
      warn(`no data from ${from} for 2 minutes (${what}); k8s-win continues to wait`)
    }
    due = arm(seen && seen !== warned ? seen.at + STALL_MS - clock.elapsed() : STALL_MS)
  }
  // Not a sleep: what only watches must not make time pass.
  const arm = (ms: number): ReturnType<typeof clock.deadline> => {
    const deadline = clock.deadline(ms)
    deadline.signal.addEventListener('abort', check, {once: true})
    return deadline
  }
  let due = arm(STALL_MS)
  try {
    return await work((bytes) => {
      if (bytes === undefined) seen = undefined
      else if (bytes !== seen?.bytes) seen = {at: clock.elapsed(), bytes}
    })
  } finally {
    due.cancel()
  }
}
