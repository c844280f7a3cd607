// setup called in this process on a simulated host: quick enough for many hosts, and every effect can be watched.
import {type GivenOptions, type OptionFlag, optionOf} from '../../src/config/options/options.js'
import {setupConfig} from '../fixtures/setup-config.js'
import {type Effect, interceptMachine} from '../../src/machine/intercept.js'
import type {Assets, Machine} from '../../src/machine/machine.js'
import {createRedactor} from '../../src/output/text/redact.js'
import {EventBus, type RunResultDocument, type TimedEvent} from '../../src/pipeline/run/events.js'
import type {LockHolder} from '../../src/runs/run-lock.js'
import type {SetupInput} from '../../src/runs/phases/setup-run.js'
import {runSetup} from '../../src/runs/setup/setup.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import type {World} from '../../src/simulator/world.js'
import {onceOnEqualHosts} from '../fakes/known-runs.js'
import {assets as packaged} from '../fixtures/assets.js'
import {type HostPlace, profileOf} from '../steps/host-folder.js'

export interface Watch {
  /** Those of the package, unless given. */
  readonly assets?: Assets
  /** Called after every effect, with the machine as no one watches it and the host as it is at that moment. */
  after?(effect: Effect, machine: Machine, world: World): Promise<void>
  readonly dryRun?: boolean
  readonly signal?: AbortSignal
  /** What the lock's record says of this run. */
  readonly holder?: LockHolder
  /** As the command upgrade, with its options. */
  readonly upgrade?: SetupInput['upgrade']
  /** Wraps what the run sees, outside of the watching. */
  wrap?(machine: Machine): Machine
}

export interface InProcessRun {
  readonly events: readonly TimedEvent[]
  readonly result: RunResultDocument
}

export async function setupOn(
  dir: HostPlace,
  given: GivenOptions = {},
  watch: Watch = {},
  profile = profileOf(dir),
): Promise<InProcessRun> {
  const {dryRun = false, upgrade, ...watching} = watch
  const perform = (): Promise<InProcessRun> => performSetup(dir, given, watch, profile)
  if (Object.values(watching).some((part) => part !== undefined)) return perform()
  return onceOnEqualHosts(dir, {command: 'setup', dryRun, given, profile, upgrade}, perform)
}

async function performSetup(dir: HostPlace, given: GivenOptions, watch: Watch, profile: string): Promise<InProcessRun> {
  const declaredDigests = given.digest === undefined ? {} : setupConfig(given).digests
  let world: World | undefined
  const prepare = async (host: {readonly world: World}): Promise<void> => void ({world} = host)
  const simulated = await openSimulator({declaredDigests, dir, prepare, profile})
  const watched = interceptMachine(simulated, async (effect, perform) => {
    try {
      return await perform()
    } finally {
      await watch.after?.(effect, simulated, world!)
    }
  })
  const bus = new EventBus(() => simulated.clock.now())
  const events: TimedEvent[] = []
  bus.listen((event) => events.push(event))
  const result = await runSetup({
    assets: watch.assets ?? packaged,
    bus,
    ...(watch.dryRun && {dryRun: true}),
    given,
    ...(watch.holder && {holder: watch.holder}),
    machine: watch.wrap?.(watched) ?? watched,
    redactor: createRedactor(),
    signal: watch.signal ?? new AbortController().signal,
    ...(watch.upgrade && {upgrade: watch.upgrade}),
  })
  return {events, result}
}

/** "--base-dir C:\k --dry-run" as the command line's reader gives it on. */
export function givenOf(args: readonly string[]): GivenOptions {
  const given: Partial<Record<OptionFlag, boolean | string>> = {}
  for (const [index, arg] of args.entries()) {
    if (!arg.startsWith('--')) continue
    const {flag, kind} = optionOf(arg.slice('--'.length) as OptionFlag)
    given[flag] = kind === 'switch' ? true : (args[index + 1] ?? '')
  }

  return given
}
