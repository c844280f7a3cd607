// The first way: setup called in this process, on the simulator.
import {watchSimulated} from '../../src/cli/run/watch-simulated.js'
import {resolveReset} from '../../src/config/options/reset-options.js'
import {type Effect, interceptMachine, readOnlyMachine} from '../../src/machine/intercept.js'
import type {Assets, Machine} from '../../src/machine/machine.js'
import {thisCaller} from '../../src/machine/real/assets.js'
import {createRedactor} from '../../src/output/text/redact.js'
import {EventBus} from '../../src/pipeline/run/events.js'
import {InterruptedError} from '../../src/pipeline/run/to-user-error.js'
import {type DaemonsCommand, runDaemons} from '../../src/runs/daemons/change-daemons.js'
import {ALL, daemonsNamed} from '../../src/runs/daemons/daemon-names.js'
import {runReset} from '../../src/runs/reset/reset.js'
import {runSetup} from '../../src/runs/setup/setup.js'
import {runVerify} from '../../src/runs/verify/verify.js'
import {OWN_PROGRAM} from '../../src/simulator/profiles/drive.js'
import {assets as packaged, runFrom} from '../fixtures/assets.js'
import {CrashError, faultyMachine} from '../fakes/faulty.js'
import {givenOf} from '../setup/in-process.js'
import {MemoryHost} from '../fakes/memory-host.js'
import {HostFolder} from '../steps/host-folder.js'
import {effectText} from './log-lines.js'
import type {EndedRun} from './run-record.js'
import type {Moment, Way} from './scenario.js'
import {secondRun} from './second-run.js'
import {SimulatedTruth} from './simulated-host.js'

const VERIFY_MS = 600_000

const inProcessWith = (assets: Assets): Way => ({
  async open(scenario) {
    // As a process finds it: of today, when some releases are past their end of life.
    const folder = new HostFolder(Object.assign(new MemoryHost(), {bornAt: Date.now()}))
    const host = await SimulatedTruth.make(scenario, folder, assets)
    return {
      ...host.common,
      run: (command, args) =>
        watched(host, () => {
          if (command === 'reset') return resetInProcess(host, args)
          return command === 'verify' ? verifyInProcess(host, args) : daemonsInProcess(host, command)
        }),
      setup: (args, moment, by) =>
        args.includes('--dry-run')
          ? setupInProcess(host, args, moment, by)
          : watched(host, () => setupInProcess(host, args, moment, by)),
    }
  },
})

/** As a command does on a simulated host, whose watch runs in its process; not after a run that was killed. */
async function watched<T extends EndedRun | undefined>(host: SimulatedTruth, run: () => Promise<T>): Promise<T> {
  const watch = async (): Promise<void> => watchSimulated({assets: host.assets, machine: await host.machine()})
  await watch()
  const ended = await run()
  if (ended) await watch()
  return ended
}

/** As the lab has it: a k8s-win that cannot be a service, so that the node is not watched. */
export const inProcess = inProcessWith(packaged)

/** As a process on the simulator has it. */
export const inProcessInstalled = inProcessWith(runFrom(OWN_PROGRAM))

/** Its options are switches, besides the base directory and the kubeconfig of an administrator. */
async function resetInProcess(host: SimulatedTruth, args: readonly string[]): Promise<EndedRun> {
  const machine = await host.machine()
  const switches = args.filter((arg, index) => arg.startsWith('--') && !args[index + 1]?.includes('\\'))
  const [baseDir, kubeconfig] = [valueOf(args, '--base-dir'), valueOf(args, '--kubeconfig')]
  const result = await runReset({
    assets: host.assets,
    ...(baseDir !== undefined && {baseDir}),
    bus: new EventBus(() => machine.clock.now()),
    environment: {},
    kubeconfig,
    machine,
    options: resolveReset(Object.fromEntries(switches.map((arg) => [arg.slice('--'.length), true])), {}),
    redactor: createRedactor(),
    signal: new AbortController().signal,
  })
  return {code: result.exitCode, log: host.logOf(result), result}
}

const valueOf = (args: readonly string[], flag: string): string | undefined =>
  args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined

/** Its option is the kubeconfig. */
async function verifyInProcess(host: SimulatedTruth, args: readonly string[]): Promise<EndedRun> {
  const machine = await host.machine()
  const result = await runVerify({
    assets: host.assets,
    bus: new EventBus(() => machine.clock.now()),
    environment: {},
    kubeconfig: valueOf(args, '--kubeconfig'),
    machine,
    redactor: createRedactor(),
    signal: new AbortController().signal,
    timeoutMs: VERIFY_MS,
  })
  return {code: result.exitCode, log: host.logOf(result), result}
}

async function daemonsInProcess(host: SimulatedTruth, command: DaemonsCommand): Promise<EndedRun> {
  const machine = await host.machine()
  const result = await runDaemons(command, {
    assets: host.assets,
    bus: new EventBus(() => machine.clock.now()),
    daemons: daemonsNamed(ALL),
    machine,
    redactor: createRedactor(),
    signal: new AbortController().signal,
    yes: false,
  })
  return {code: result.exitCode, log: host.logOf(result), result}
}

/** Undefined where it was killed. */
export async function setupInProcess(
  host: SimulatedTruth,
  args: readonly string[],
  moment?: Moment,
  by?: 'upgrade',
): Promise<EndedRun | undefined> {
  const machine = await host.machine({readOnly: args.includes('--dry-run')})
  const stop = new AbortController()
  let meanwhile: EndedRun | undefined
  const happen = async (then: Exclude<Moment['then'], 'killed'>): Promise<void> => {
    if (then === 'interrupted') stop.abort(new InterruptedError())
    else if ('removed' in then) await machine.files.remove(then.removed)
    else meanwhile = await setupBeside(host, args, then.setup)
  }
  try {
    const ended = await run(host, args, moment ? withMoment(machine, moment, happen) : machine, stop.signal, by)
    return {...ended, ...(meanwhile && {meanwhile})}
  } catch (error) {
    if (error instanceof CrashError) return undefined
    throw error
  }
}

/** Whatever it would change is a bug of k8s-win, and it rejects with it. */
async function setupBeside(host: SimulatedTruth, first: readonly string[], args: readonly string[]): Promise<EndedRun> {
  const machine = readOnlyMachine(await host.machine())
  return secondRun(await run(host, args, machine, new AbortController().signal), process.pid, first)
}

async function run(
  host: SimulatedTruth,
  args: readonly string[],
  machine: Machine,
  signal: AbortSignal,
  by?: 'upgrade',
): Promise<EndedRun> {
  const result = await runSetup({
    assets: host.assets,
    bus: new EventBus(() => machine.clock.now()),
    dryRun: args.includes('--dry-run'),
    given: givenOf(args),
    holder: {command: ['k8s-win', by ?? 'setup', '--json', ...args].join(' '), ...thisCaller()},
    machine,
    redactor: createRedactor(),
    signal,
    ...(by && {upgrade: {}}),
  })
  return {code: result.exitCode, log: host.logOf(result), result}
}

function withMoment(
  machine: Machine,
  {at, then}: Moment,
  happen: (then: Exclude<Moment['then'], 'killed'>) => Promise<void>,
): Machine {
  const isIt = (effect: Effect): boolean => effectText(effect).includes(at)
  if (then === 'killed') return faultyMachine(machine, [{at: isIt, does: 'crash', when: 'after'}])
  return interceptMachine(machine, async (effect, perform) => {
    const result = await perform()
    if (isIt(effect)) await happen(then)
    return result
  })
}
