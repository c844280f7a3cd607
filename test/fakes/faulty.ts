// A machine with faults put before or after chosen effects: an error, a hang, a crash. For proving recovery.
import {DeadlineError} from '../../src/machine/clock.js'
import {HttpError} from '../../src/machine/http.js'
import {interceptMachine} from '../../src/machine/intercept.js'
import type {Effect} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'

export interface Fault {
  /** The n-th effect, counted from 1, or every effect the predicate is true of. */
  readonly at: number | ((effect: Effect) => boolean)
  readonly does: 'crash' | 'hang' | Error
  /** After: the effect has happened, and only its answer is lost. */
  readonly when: 'after' | 'before'
}

/** The process is gone. Nothing may catch it and continue: every later effect rejects with it too. */
export class CrashError extends Error {
  constructor(readonly effect: Effect) {
    super(`crashed at ${effect.what} ${effect.args.join(' ')}`)
    this.name = 'CrashError'
  }
}

/** How long an effect hangs that has no deadline of its own. */
const FOR_EVER_MS = 24 * 60 * 60 * 1000

export function faultyMachine(machine: Machine, plan: readonly Fault[]): Machine {
  let count = 0
  let crash: CrashError | undefined
  const stayDead = () => {
    if (crash) throw crash
  }

  const strike = async (effect: Effect, ordinal: number, when: Fault['when']): Promise<void> => {
    for (const {at, does, when: then} of plan) {
      if (then !== when || !(typeof at === 'number' ? at === ordinal : at(effect))) continue
      if (does === 'crash') throw (crash = new CrashError(effect))
      if (does === 'hang') await hang(machine, effect)
      else throw does
    }
  }

  return interceptMachine(machine, async (effect, perform) => {
    stayDead()
    const ordinal = ++count
    await strike(effect, ordinal, 'before')
    const result = await perform()
    try {
      stayDead()
      await strike(effect, ordinal, 'after')
    } catch (error) {
      // Windows frees the lock of a process that died with it in its hands.
      if (crash && effect.what === 'takeMutex' && typeof result === 'function') await (result as () => Promise<void>)()
      throw error
    }

    return result
  })
}

async function hang({clock}: Machine, {args, deadlineMs = FOR_EVER_MS, signal, via}: Effect): Promise<never> {
  await clock.sleep(deadlineMs, signal)
  const passed = new DeadlineError(deadlineMs)
  const url = args[0] ?? ''
  throw via === 'http' ? new HttpError(url, 'ETIMEDOUT', `${url}: ${passed.message}`, {cause: passed}) : passed
}
