// What happens around every effect of the simulated machine: time stands still, and what changed is seen and kept.
import type {EffectKind} from '../machine/win32.js'
import type {SimulatedClock} from './clock.js'
import type {Stage} from './model.js'

export interface Effects {
  readonly clock: SimulatedClock
  /** Runs an effect; a change is followed by the daemons' look around and a save, whether it worked or not. */
  perform<T>(kind: EffectKind, work: () => Promise<T>): Promise<T>
  /** As `stage`, but what elapses there ends when the signal is aborted: nobody waits for it any more. */
  stageFor(signal: AbortSignal): Stage
}

export function createEffects(stage: Stage, clock: SimulatedClock, afterChange: () => Promise<void>): Effects {
  return {
    clock,
    perform: (kind, work) =>
      clock.whileBusy(async () => {
        try {
          return await work()
        } finally {
          if (kind === 'change') await afterChange()
        }
      }),
    stageFor: (signal) => ({...stage, elapse: (ms) => clock.elapse(ms, signal)}),
  }
}
