// A simulated host for the tests of steps: fresh, set up to a point, made unhealthy, checked.
import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {onTestFinished} from 'vitest'
import {layoutOf} from '../../src/config/layout.js'
import type {Decided, Node, Registries} from '../../src/config/model.js'
import type {GivenOptions} from '../../src/config/options/options.js'
import {setupConfig} from '../fixtures/setup-config.js'
import {type Host, openHost} from '../../src/host/host.js'
import {assets as packaged} from '../fixtures/assets.js'
import {type Fault, faultyMachine} from '../fakes/faulty.js'
import type {Assets, Machine} from '../../src/machine/machine.js'
import {type EffectEntry, tracedMachine} from '../../src/machine/traced.js'
import {awaitNetwork} from '../../src/pipeline/desired/network/network-guard.js'
import {openJournal} from '../../src/pipeline/ledger/journal.js'
import {EventBus, type TimedEvent} from '../../src/pipeline/run/events.js'
import {runSteps, type StepsOutcome} from '../../src/pipeline/run/run-steps.js'
import {type Finding, isInPlan, type Step, type StepContext, type StepId} from '../../src/pipeline/run/step.js'
import {Facts} from '../../src/preflight/facts.js'
import {resolveNode} from '../../src/preflight/node-config.js'
import {MemoryHost} from '../fakes/memory-host.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import type {World} from '../../src/simulator/world.js'
import {STEPS} from '../../src/steps/index.js'
import {HostFolder, type HostPlace} from './host-folder.js'

/** A folder that goes away with the test. */
export function temporaryFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'k8s-win-'))
  onTestFinished(() => rmSync(dir, {force: true, recursive: true}))
  return dir
}

export class Rig {
  readonly events: TimedEvent[] = []

  private constructor(
    readonly dir: HostPlace,
    readonly effects: readonly EffectEntry[],
    readonly machine: Machine,
    readonly config: Node,
    readonly context: StepContext,
  ) {}

  /** `sicken` changes the host before it is opened. */
  static async open(
    options: {
      assets?: Assets
      dir?: HostPlace
      faults?: readonly Fault[]
      given?: GivenOptions
      /** As if they were read of --registry-config. */
      registries?: Registries | undefined
      sicken?: (world: World) => void
    } = {},
  ): Promise<Rig> {
    const {assets = packaged} = options
    const dir = options.dir ?? new MemoryHost()
    if (options.sicken) {
      await openSimulator({dir, profile: 'ws2019'})
      new HostFolder(dir).edit(options.sicken)
    }

    const {registries} = options
    const setup = {...setupConfig(options.given ?? {}), ...(registries && {registries})}
    const simulated = await openSimulator({declaredDigests: setup.digests, dir, profile: 'ws2019'})
    const sober = openHost(simulated, {assets, baseDir: setup.baseDir, dockerPipe: setup.dockerPipe})
    const config = await lookAround(setup, sober)
    const effects: EffectEntry[] = []
    const machine = tracedMachine(faultyMachine(simulated, options.faults ?? []), (entry) => effects.push(entry))
    const host = openHost(machine, {assets, baseDir: setup.baseDir, dockerPipe: setup.dockerPipe})
    const journal = await openJournal(machine.files, layoutOf(setup.baseDir).journal, () => machine.clock.now())
    const context: StepContext = {
      changed: () => {},
      config,
      host,
      journal,
      progress: () => {},
      signal: new AbortController().signal,
      warn: () => {},
    }
    return new Rig(dir, effects, machine, config, context)
  }

  /** The same host, opened again by another process: nothing in memory survives. */
  reopen(
    options: {faults?: readonly Fault[]; given?: GivenOptions; sicken?: (world: World) => void} = {},
  ): Promise<Rig> {
    return Rig.open({...options, dir: this.dir})
  }

  get world(): World {
    return new HostFolder(this.dir).world
  }

  inspect(step: Step): Promise<Finding> {
    return step.inspect(this.context)
  }

  /** Brings these steps into place, by the pipeline itself. */
  run(...steps: readonly Step[]): Promise<StepsOutcome> {
    const {clock} = this.machine
    const bus = new EventBus(() => clock.now())
    bus.listen((event) => this.events.push(event))
    const {config, host, journal} = this.context
    return runSteps({bus, clock, context: {config, host, journal}, signal: this.context.signal, steps})
  }

  /** Everything in the list before this step. */
  async runBefore(id: StepId): Promise<void> {
    const outcome = await this.run(
      ...STEPS.slice(
        0,
        STEPS.findIndex((step) => step.id === id),
      ).filter((step) => isInPlan(step, this.config)),
    )
    if (outcome.error !== undefined) throw outcome.error as Error
  }

  async runAll(): Promise<StepsOutcome> {
    return this.run(...STEPS.filter((step) => isInPlan(step, this.config)))
  }

  /** What changed the outside world since the rig was opened, the journal aside. */
  get changes(): EffectEntry[] {
    return this.effects.filter((entry) => entry.kind === 'change' && !String(entry.args[0]).endsWith('journal.ndjson'))
  }
}

/** As a run begins: one that finds the host in the cut waits for it to end. */
async function lookAround(setup: Decided, host: Host): Promise<Node> {
  const journal = await openJournal(host.files, layoutOf(setup.baseDir).journal, () => host.clock.now())
  await awaitNetwork({config: setup, host, journal, progress: () => {}, signal: new AbortController().signal})
  return resolveNode(new Facts(setup, host, {all: () => [], entries: () => []}))
}
