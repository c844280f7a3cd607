// The machine a command works on: this one, or a simulated one. Each is loaded only when it is the one.
import type {Decided} from '../config/model.js'
import {environmentVariable} from '../config/options/options.js'
import {parsedFlag, speedFactor} from '../config/options/parse-option.js'
import {optionVariables, TOKEN_VARIABLE} from '../config/options/variables.js'
import {badValue} from '../errors/input.js'
import {K8sWinError} from '../errors/k8s-win-error.js'
import {simulatorUnusable} from '../errors/program.js'
import {accountVariables, badChoice, simulateVariable} from '../errors/usage.js'
import {variablesOfAccount} from '../host/account-variables.js'
import {inTime} from '../host/wait.js'
import type {Machine, OwnProgram} from '../machine/machine.js'
import type {SimulatorOptions} from '../simulator/index.js'
import {type GlobalFlags, simulateDir} from './arguments/flag-table.js'
import {demandWindows, realMachine} from './this-machine.js'
import {type Caller, INSTALLED, startedHere} from './arguments/typed-commands.js'

export interface ChosenMachine extends Caller {
  /** Passes to a simulated machine the digests that the user vouches for: what it hands out must have them. */
  declare(digests: Decided['digests']): void
  readonly machine: Machine
  /** Of a simulated machine: the k8s-win on it. What runs is a file of another one. */
  readonly program?: OwnProgram
}

/** Is a simulated machine asked for? Known even where the rest of the command line is wrong. */
export const isSimulated = (argv: readonly string[], environment: NodeJS.ProcessEnv): boolean =>
  isTyped(argv) || Boolean(environment[SIMULATE])

/** A variable that a rehearsal left behind would turn every later command on a Windows host into a rehearsal, unnoticed. */
export function demandMeant(argv: readonly string[], environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): void {
  const profile = environment[SIMULATE]
  if (platform === 'win32' && profile && !isTyped(argv)) throw simulateVariable({profile})
}

const SIMULATE = environmentVariable('simulate')
const isTyped = (argv: readonly string[]): boolean => argv.some((token) => token.startsWith('--simulate='))

/** `readsOnly`: a simulated machine is left as it is, though time passes on it. */
export async function chooseMachine(
  flags: GlobalFlags,
  platform: NodeJS.Platform,
  readsOnly = false,
  architecture: string = process.arch,
): Promise<ChosenMachine> {
  const chosen = await (flags.simulate === undefined
    ? thisMachine(flags, platform, architecture)
    : simulatedMachine(flags.simulate, flags, readsOnly))
  await demandNoAccountVariables(chosen.machine)
  return chosen
}

async function thisMachine(
  flags: GlobalFlags,
  platform: NodeJS.Platform,
  architecture: string,
): Promise<ChosenMachine> {
  demandProfile(flags)
  return {...INSTALLED, declare: () => {}, machine: await demandWindows(platform, architecture)}
}

/** For commands that read files and change nothing: also where there is no Windows, and so no base directory. */
export async function chooseReader(
  flags: GlobalFlags,
  platform: NodeJS.Platform,
): Promise<{readonly machine: Machine; readonly withStored: boolean}> {
  const isNode = flags.simulate !== undefined || platform === 'win32'
  if (!isNode) demandProfile(flags)
  const machine = isNode ? (await chooseMachine(flags, platform, true)).machine : await realMachine()
  return {machine, withStored: isNode}
}

/** For commands that only talk to a cluster: from any system. `readsOnly`: a simulated cluster is left as it is. */
export async function chooseClient(flags: GlobalFlags, readsOnly: boolean): Promise<Machine> {
  if (flags.simulate !== undefined) return (await simulatedMachine(flags.simulate, flags, readsOnly)).machine
  demandProfile(flags)
  return realMachine()
}

/** `machine`: whose registry it is. On a simulated host the variables are those of this process all the same. */
async function demandNoAccountVariables({clock, win32}: Pick<Machine, 'clock' | 'win32'>): Promise<void> {
  const names = optionVariables(process.env).filter((name) => name.toUpperCase() !== TOKEN_VARIABLE)
  // Few commands are started with one.
  if (names.length === 0) return
  const found = await inTime(clock, REGISTRY_MS, [], () => variablesOfAccount(win32, process.env, names))
  if (found.length > 0) throw accountVariables({names: found.join(', ')})
}

const REGISTRY_MS = 30_000

const REHEARSED_ON = 'ws2025'

/** For a rehearsal: opens the simulated host, as it is after a start of Windows. Only in a folder that was named it is kept. */
export async function chooseRehearsal(
  flags: GlobalFlags,
  prepare: NonNullable<SimulatorOptions['prepare']>,
): Promise<() => Promise<ChosenMachine>> {
  const {memoryHost} = await import('../simulator/index.js')
  const dir = flags['simulate-dir'] === undefined ? {dir: memoryHost()} : {}
  return async () => simulatedMachine(flags.simulate ?? REHEARSED_ON, flags, false, {...dir, prepare})
}

/** Who names the folder of a simulated machine, also by its variable, does not mean this one: a reset would be its end. */
function demandProfile(flags: GlobalFlags): void {
  const flag = (['simulate-dir', 'simulate-speed'] as const).find((name) => flags[name] !== undefined)
  if (flag === undefined) return
  const what = flag === 'simulate-dir' ? 'the folder' : 'the speed'
  const reason = `It is ${what} of a simulated machine, and --simulate is not given: this machine would be used.`
  const wanted = `ws2019, ws2019-containerd, ws2022, ws2022-containerd or ws2025, or remove --${flag} and ${environmentVariable(flag)}`
  throw badValue({flag: 'simulate', reason, value: flags[flag] ?? '', wanted, where: `--${flag}`})
}

async function simulatedMachine(
  profile: string,
  flags: GlobalFlags,
  readOnly: boolean,
  own: Partial<Pick<SimulatorOptions, 'dir' | 'prepare'>> = {},
): Promise<ChosenMachine> {
  const dir = simulateDir(flags)
  const {openSimulator, OWN_PROGRAM, PROFILES} = await import('../simulator/index.js')
  if (!Object.hasOwn(PROFILES, profile)) {
    throw badChoice({choices: Object.keys(PROFILES).join(', '), flag: '--simulate', value: profile})
  }
  if (dir.trim() === '') {
    const wanted = 'the path of a folder'
    throw badValue({flag: 'simulate-dir', reason: 'It is empty.', value: dir, wanted, where: '--simulate-dir'})
  }
  const factor = parsedFlag('simulate-speed', flags['simulate-speed'] ?? '0', speedFactor)
  const {openRealClock} = await import('../machine/real/clock.js')
  const speed = {factor, real: openRealClock()}
  const declaredDigests: Partial<Decided['digests']> = {}
  const options = {declaredDigests, dir, profile, readOnly, speed, ...own}
  const machine = await openSimulator(options).catch((error: unknown) => {
    if (error instanceof K8sWinError) throw error
    throw simulatorUnusable({dir, reason: error instanceof Error ? error.message : String(error)}, {cause: error})
  })
  return {
    called: startedHere(),
    declare: (digests) => Object.assign(declaredDigests, digests),
    machine,
    // A command that only reads may have created nothing.
    next: readOnly
      ? []
      : [`See ${dir}/machine.json, the simulated host, and ${dir}/transcript.ndjson, every request to it.`],
    program: {command: [OWN_PROGRAM], file: OWN_PROGRAM},
  }
}
