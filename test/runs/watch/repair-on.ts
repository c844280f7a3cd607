// A repair or an inspection of watch, called in this process on a simulated host.
import {type Effect, interceptMachine} from '../../../src/machine/intercept.js'
import type {Machine} from '../../../src/machine/machine.js'
import {type ChildInput, runInspect} from '../../../src/runs/watch/inspect.js'
import type {ChildOutcome} from '../../../src/runs/watch/model.js'
import {REPAIRS, runRepair} from '../../../src/runs/watch/repair.js'
import {openSimulator} from '../../../src/simulator/simulator.js'
import {assets} from '../../fixtures/assets.js'
import {type HostPlace, profileOf} from '../../steps/host-folder.js'

export interface ChildWatch extends Partial<Pick<ChildInput, 'signal'>> {
  /** Called before every effect. */
  before?(effect: Effect): void
  readonly steps?: readonly string[]
  /** Wraps what the run sees. */
  wrap?(machine: Machine): Machine
}

async function inputOn(dir: HostPlace, {before, signal, wrap}: ChildWatch): Promise<ChildInput> {
  const simulated = await openSimulator({dir, profile: profileOf(dir)})
  const watched = interceptMachine(simulated, (effect, perform) => {
    before?.(effect)
    return perform()
  })
  return {
    assets,
    baseDir: String.raw`C:\k`,
    caller: {processId: process.pid, user: 'tester'},
    machine: wrap?.(watched) ?? watched,
    signal: signal ?? new AbortController().signal,
  }
}

export const repairOn = async (dir: HostPlace, watch: ChildWatch = {}): Promise<ChildOutcome> =>
  runRepair(await inputOn(dir, watch), watch.steps ?? REPAIRS)

export const inspectOn = async (dir: HostPlace, watch: ChildWatch = {}): Promise<ChildOutcome> =>
  runInspect(await inputOn(dir, watch))
