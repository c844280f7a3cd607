// A simulated node that watch runs on in this process: its world can be changed while it runs, and its time passes quickly.
import {expect} from 'vitest'
import type {GivenOptions} from '../../../src/config/options.js'
import type {StepId} from '../../../src/config/step-ids.js'
import {type Effect, interceptMachine} from '../../../src/machine/intercept.js'
import type {Machine} from '../../../src/machine/machine.js'
import {runInspect} from '../../../src/runs/watch/inspect.js'
import type {ChildOutcome, WatchState} from '../../../src/runs/watch/model.js'
import {runRepair} from '../../../src/runs/watch/repair.js'
import {runWatch, type WatchInput} from '../../../src/runs/watch/watch.js'
import {openSimulator} from '../../../src/simulator/simulator.js'
import {reboot} from '../../../src/simulator/windows/restart.js'
import type {World} from '../../../src/simulator/world.js'
import {MemoryHost} from '../../fakes/memory-host.js'
import {assets} from '../../fixtures/assets.js'
import {setupOn} from '../../setup/in-process.js'
import {HostFolder} from '../../steps/host-folder.js'

export const BASE_DIR = String.raw`C:\k`

/** Its world is the one of whoever opened it last, not a copy. */
class LiveHost extends MemoryHost {
  live: World | undefined

  override openStore(...args: Parameters<MemoryHost['openStore']>): ReturnType<MemoryHost['openStore']> {
    const store = super.openStore(...args)
    this.live = store.world
    return store
  }
}

export interface Began {
  readonly at: number
  readonly steps: readonly StepId[]
  /** Which of those that were started one after the other. */
  readonly watch: AbortController
}

export class WatchedHost {
  /** Of the watch itself, not of its repairs. */
  readonly effects: Effect[] = []
  readonly states: WatchState[] = []
  readonly repairs: Began[] = []
  /** Called before each effect of a repair. */
  onRepair: ((effect: Effect) => void) | undefined
  /** To the API server, by repairs. */
  readonly requests: Effect[] = []
  #stop = new AbortController()
  #watching: Promise<void> | undefined

  private constructor(
    readonly folder: HostFolder,
    readonly profile: string,
    public machine: Machine,
    readonly changes: Partial<WatchInput>,
  ) {}

  static async setUp(
    profile = 'ws2019',
    changes: Partial<WatchInput> = {},
    given: GivenOptions = {},
  ): Promise<WatchedHost> {
    const folder = new HostFolder(new LiveHost())
    const {result} = await setupOn(folder.dir, given, {}, profile)
    expect(result.error).toBeUndefined()
    const host = new WatchedHost(folder, profile, await openSimulator({dir: folder.dir, profile}), changes)
    return host
  }

  get world(): World {
    return (this.folder.dir as LiveHost).live!
  }

  get state(): WatchState {
    return this.states.at(-1)!
  }

  /** Windows starts again: `change` is what happens before its services do. */
  async restart(end: 'power' | 'shutdown', change: (world: World) => void = () => {}): Promise<void> {
    await this.stop()
    if (end === 'power') (this.folder.dir as LiveHost).losePower(Infinity)
    this.folder.edit((world) => {
      reboot(world)
      change(world)
    })
    this.machine = await openSimulator({dir: this.folder.dir, profile: this.profile})
  }

  /** The machine slept: its clock goes on, and nothing else. */
  async sleep(ms: number): Promise<void> {
    await this.stop()
    this.folder.edit(({os}) => void (os.time += ms))
    this.machine = await openSimulator({dir: this.folder.dir, profile: this.profile})
  }

  start(): void {
    this.#stop = new AbortController()
    this.#watching = runWatch(this.input(this.#stop.signal))
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#watching
  }

  /** Time passes, with the watch at work. */
  async pass(ms: number): Promise<void> {
    if (!this.#watching || this.#stop.signal.aborted) this.start()
    await this.machine.clock.sleep(ms)
  }

  input(signal: AbortSignal): WatchInput {
    const machine = interceptMachine(this.machine, (effect, perform) => {
      this.effects.push(effect)
      return perform()
    })
    return {
      assets,
      baseDir: BASE_DIR,
      inspect: (stopped) => runInspect({...this.#child, machine: this.machine, signal: stopped}),
      machine,
      repair: (steps, stopped) => this.#repair(steps, stopped),
      reporters: () => [{report: async (state) => void this.states.push(state)}],
      signal,
      ...this.changes,
    }
  }

  async #repair(steps: readonly StepId[], signal: AbortSignal): Promise<ChildOutcome> {
    const {clock} = this.machine
    this.repairs.push({at: clock.now(), steps, watch: this.#stop})
    const machine = interceptMachine(this.machine, (effect, perform) => {
      this.onRepair?.(effect)
      if (isRequest(effect)) this.requests.push(effect)
      return perform()
    })
    return runRepair({...this.#child, machine, signal}, steps)
  }

  readonly #child = {assets, baseDir: BASE_DIR, caller: {processId: process.pid, user: 'tester'}}
}

/** To the API server. */
export const isRequest = ({args: [url = ''], via}: Effect): boolean => via === 'http' && url.startsWith('https:')
