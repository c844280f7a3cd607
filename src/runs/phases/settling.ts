// A run that was killed may have cut the network of its host: what asks the cluster then asks again for a while.
import type {Clock} from '../../machine/clock.js'

/**
 * flanneld gives its adapter up to 45 s to come back (docs/facts.md#flannel). As long as its address is waited for: one that
 * was put back is there before connections go through.
 */
const SETTLING_MS = 120_000
const ASK_AGAIN_MS = 2000

/** The first answer that is enough, or the last one when the network has had its time. */
export async function untilSettled<T>(
  clock: Clock,
  signal: AbortSignal,
  ask: () => Promise<T>,
  isEnough: (answer: T, tries: number) => boolean | Promise<boolean>,
): Promise<T> {
  let answer = await ask()
  const end = clock.elapsed() + SETTLING_MS
  for (let tries = 1; !(await isEnough(answer, tries)) && clock.elapsed() < end; tries++) {
    await clock.sleep(ASK_AGAIN_MS, signal)
    answer = await ask()
  }
  return answer
}
