// A machine that knows what it is waiting for, so that a deadline that passes can be told with what held it up.
import {DeadlineError} from './clock.js'
import {type Effect, interceptMachine} from './intercept.js'
import type {Machine} from './machine.js'

/** An effect's own deadline passed. */
export class EffectDeadlineError extends DeadlineError {
  constructor(
    ms: number,
    readonly what: string,
  ) {
    super(ms)
    this.name = 'EffectDeadlineError'
  }
}

export interface UnderWay {
  readonly machine: Machine
  /** What is waited for longest, in words; undefined where nothing is. */
  waitsFor(): string | undefined
}

export function watchUnderWay(machine: Machine): UnderWay {
  const effects = new Set<Effect>()
  return {
    machine: interceptMachine(machine, async (effect, perform) => {
      effects.add(effect)
      try {
        return await perform()
      } catch (error) {
        if (!(error instanceof DeadlineError) || error instanceof EffectDeadlineError) throw error
        throw error.ms === effect.deadlineMs ? new EffectDeadlineError(error.ms, describeEffect(effect)) : error
      } finally {
        effects.delete(effect)
      }
    }),
    waitsFor() {
      const [longest] = effects
      return longest && describeEffect(longest)
    },
  }
}

/** "read C:\k\kubeconfig", "GET https://…", "queryServiceStatus kubelet", "netsh.exe advfirewall …". */
export function describeEffect({args, via, what}: Effect): string {
  const name = via === 'run' ? (what.split('\\').at(-1) ?? what) : what
  return [name, ...args].filter((part) => part !== '').join(' ')
}
