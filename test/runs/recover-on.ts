// recover called in this process on a simulated host.
import {interceptMachine, type Effect} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {createRedactor} from '../../src/output/text/redact.js'
import {EventBus, type TimedEvent} from '../../src/pipeline/run/events.js'
import {runRecover, type RecoverInput} from '../../src/runs/recover/recover.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {assets} from '../fixtures/assets.js'
import type {InProcessRun} from '../setup/in-process.js'
import {type HostPlace, profileOf} from '../steps/host-folder.js'

export interface RecoverWatch extends Partial<Omit<RecoverInput, 'bus' | 'machine' | 'redactor'>> {
  /** Called before every effect. */
  before?(effect: Effect): void
  /** Wraps what the run sees. */
  wrap?(machine: Machine): Machine
}

export async function recoverOn(dir: HostPlace, {before, wrap, ...input}: RecoverWatch = {}): Promise<InProcessRun> {
  const simulated = await openSimulator({dir, profile: profileOf(dir)})
  const watched = interceptMachine(simulated, (effect, perform) => {
    before?.(effect)
    return perform()
  })
  const bus = new EventBus(() => simulated.clock.now())
  const events: TimedEvent[] = []
  bus.listen((event) => events.push(event))
  const result = await runRecover({
    assets,
    bus,
    holder: {command: 'k8s-win recover', processId: process.pid, user: 'tester'},
    machine: wrap?.(watched) ?? watched,
    redactor: createRedactor(),
    signal: new AbortController().signal,
    ...input,
  })
  return {events, result}
}
