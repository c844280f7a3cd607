// The machine a command works on: this one, or a simulated one. Each is loaded only when it is the one.
import {digests} from '../config/parse-option.js'
import type {GivenOptions} from '../config/options.js'
import {notWindows} from '../errors/host.js'
import {simulatorUnusable} from '../errors/program.js'
import {badChoice} from '../errors/usage.js'
import type {Machine} from '../machine/machine.js'
import {type GlobalFlags, simulateDir} from './flag-table.js'

export interface ChosenMachine {
  /** How people start us there: in a checkout, or installed. */
  readonly called: string
  readonly machine: Machine
  /** What else to try after a success on this machine. */
  readonly next: readonly string[]
}

export async function chooseMachine(
  flags: GlobalFlags,
  given: GivenOptions,
  platform: NodeJS.Platform,
): Promise<ChosenMachine> {
  if (flags.simulate !== undefined) {
    const {PROFILES} = await import('../simulator/profiles/index.js')
    const profile = flags.simulate
    if (!Object.hasOwn(PROFILES, profile)) {
      throw badChoice({choices: Object.keys(PROFILES).join(', '), flag: '--simulate', value: profile})
    }
    const dir = simulateDir(flags)
    return {
      called: 'npx k8s-win',
      machine: await simulatedMachine(dir, profile, given),
      next: [
        'npx k8s-win setup --help',
        `Look at ${dir}/machine.json, the simulated host, and ${dir}/transcript.ndjson, all that was asked of it.`,
      ],
    }
  }

  if (platform !== 'win32') throw notWindows({platform})
  const {openRealMachine} = await import('../machine/real/index.js')
  return {called: 'k8s-win', machine: openRealMachine(), next: ['kubectl get nodes -o wide']}
}

async function simulatedMachine(dir: string, profile: string, given: GivenOptions): Promise<Machine> {
  const {openSimulator} = await import('../simulator/simulator.js')
  // A digest that cannot be read is reported with all other problems of the configuration, later.
  const declaredDigests = digests(given.digest, () => undefined)
  try {
    return await openSimulator({declaredDigests, dir, profile})
  } catch (error) {
    throw simulatorUnusable({dir, reason: error instanceof Error ? error.message : String(error)}, {cause: error})
  }
}
