// The machine as one run has it: every effect logged, named while it is under way, tried again where its cause passes by
// itself, and over when the run is.
import type {Clock, Deadline} from '../machine/clock.js'
import type {Machine} from '../machine/machine.js'
import {retryingMachine} from '../machine/retrying.js'
import {severableMachine} from '../machine/cancellable.js'
import {type EffectEntry, tracedMachine} from '../machine/traced.js'
import {type UnderWay, watchUnderWay} from '../machine/pending-effects.js'
import {TimeLimitError} from '../pipeline/run/to-user-error.js'

export interface RunMachineOptions {
  readonly onEffect: (entry: EffectEntry) => void
  readonly onRetry: (message: string) => void
  readonly signal: AbortSignal
}

export interface RunMachine {
  /** From here on nothing begins: what a step that was left there still wants to do does not happen. */
  end(): void
  readonly machine: Machine
  /** The same machine for one part of the run, which knows what that part waits for. */
  part(): UnderWay
}

export function openRunMachine(machine: Machine, {onEffect, onRetry, signal}: RunMachineOptions): RunMachine {
  const cut = new AbortController()
  const traced = tracedMachine(machine, onEffect)
  const patient = severableMachine(retryingMachine(traced, {onRetry, signal}), cut.signal)
  return {
    end: () => cut.abort(new Error('the run is over')),
    machine: patient,
    part: () => watchUnderWay(patient),
  }
}

/** A signal that is aborted by the other one, or with a TimeLimitError after `ms`. */
export function timeLimit(clock: Clock, ms: number, other: AbortSignal): Deadline {
  const limit = new AbortController()
  const deadline = clock.deadline(ms)
  deadline.signal.addEventListener('abort', () => limit.abort(new TimeLimitError(ms)), {once: true})
  return {cancel: deadline.cancel, signal: AbortSignal.any([other, limit.signal])}
}
