// The first way: setup called in this process, on the simulator.
import {fileURLToPath} from 'node:url'
import {CrashError, faultyMachine} from '../../src/machine/faulty.js'
import {type Effect, interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {openAssets} from '../../src/machine/real/assets.js'
import {createRedactor} from '../../src/output/redact.js'
import {EventBus} from '../../src/pipeline/events.js'
import {runSetup} from '../../src/runs/setup.js'
import {effectText} from './log-lines.js'
import type {EndedRun} from './run-record.js'
import type {Moment, Way} from './scenario.js'
import {SimulatedTruth} from './simulated-host.js'

const assets = openAssets(fileURLToPath(new URL('../..', import.meta.url)))

export const inProcess: Way = {
  async open(scenario) {
    const host = await SimulatedTruth.make(scenario)
    return {...host.common, setup: (args, moment) => setupInProcess(host, args, moment)}
  },
}

/** Undefined where it was killed. */
export async function setupInProcess(
  host: SimulatedTruth,
  args: readonly string[],
  moment?: Moment,
): Promise<EndedRun | undefined> {
  const machine = await host.machine()
  try {
    const result = await runSetup({
      assets,
      bus: new EventBus(() => machine.clock.now()),
      given: givenOf(args),
      machine: moment ? withMoment(machine, moment) : machine,
      redactor: createRedactor(),
      signal: new AbortController().signal,
    })
    return {code: result.exitCode, log: host.log, result}
  } catch (error) {
    if (error instanceof CrashError) return undefined
    throw error
  }
}

/** "--base-dir C:\k" as the command line's reader gives it on. */
function givenOf(args: readonly string[]): Record<string, string> {
  const pairs = args.flatMap((arg, index) => (index % 2 === 0 ? [[arg.slice('--'.length), args[index + 1] ?? '']] : []))
  return Object.fromEntries(pairs) as Record<string, string>
}

function withMoment(machine: Machine, {at, then}: Moment): Machine {
  const isIt = (effect: Effect): boolean => effectText(effect).includes(at)
  if (then === 'killed') return faultyMachine(machine, [{at: isIt, does: 'crash', when: 'after'}])
  return interceptMachine(machine, async (effect, perform) => {
    const result = await perform()
    if (isIt(effect)) await machine.files.remove(then.removed)
    return result
  })
}
