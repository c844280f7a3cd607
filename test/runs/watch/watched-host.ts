// A simulated node that watch runs on in this process: its world can be changed while it runs, and its time passes quickly.
import {expect} from 'vitest'
import type {GivenOptions} from '../../../src/config/options/options.js'
import type {StepId} from '../../../src/config/step-ids.js'
import {type Effect, interceptMachine} from '../../../src/machine/intercept.js'
import type {Machine} from '../../../src/machine/machine.js'
import {runInspect} from '../../../src/runs/watch/inspect.js'
import type {ChildOutcome, WatchState} from '../../../src/runs/watch/model.js'
import {openReporters} from '../../../src/runs/watch/reporters.js'
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

  /** A week has millions of lines. */
  override record(): void {}
}

/** While nothing happens to the node, watch checks it so often: its longest step of time. */
const QUIET_POLL_MS = 60_000
/** And its daemons advance: the kubelet's heartbeats are as far apart. */
const QUIET_HOP_MS = 10_000

export interface Began {
  /** On the simulator's own clock. */
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
  /** To the API server. */
  readonly requests: Record<'inspection' | 'repair' | 'watch', string[]> = {inspection: [], repair: [], watch: []}
  /** Those of the service, beside `states`. */
  hasReporters = false
  /** Around each simulated machine that is opened. */
  wrap = (machine: Machine): Machine => machine
  machine!: Machine
  #isQuiet = false
  #stop = new AbortController()
  #watching: Promise<void> | undefined

  private constructor(
    readonly folder: HostFolder,
    readonly profile: string,
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
    const host = new WatchedHost(folder, profile, changes)
    await host.#open()
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
    await this.#open()
  }

  async #open(): Promise<void> {
    const {dir} = this.folder
    const hopMs = (): number => (this.#isQuiet ? QUIET_HOP_MS : 1000)
    const speed = {factor: 0, hopMs, real: {now: () => 0, sleep: async () => {}}}
    this.machine = this.wrap(await openSimulator({dir, profile: this.profile, speed}))
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
  async pass(ms: number, isQuiet = false): Promise<void> {
    this.#isQuiet = isQuiet
    if (!this.#watching || this.#stop.signal.aborted) this.start()
    await this.machine.clock.sleep(ms)
  }

  input(signal: AbortSignal): Required<Pick<WatchInput, 'repair'>> & WatchInput {
    const {clock} = this.machine
    const watched = interceptMachine(this.machine, (effect, perform) => {
      this.effects.push(effect)
      if (isRequest(effect)) this.requests.watch.push(effect.what)
      return perform()
    })
    const sleep: Machine['clock']['sleep'] = (ms, own) =>
      clock.sleep(this.#isQuiet && ms === 2000 ? QUIET_POLL_MS : ms, own)
    const machine = {...watched, clock: {...clock, sleep}}
    const shown = openReporters({baseDir: BASE_DIR, machine, redact: (text) => text})
    return {
      assets,
      baseDir: BASE_DIR,
      inspect: (stopped) => runInspect({...this.#child, machine: this.#counted('inspection'), signal: stopped}),
      machine,
      repair: (steps, stopped) => this.#repair(steps, stopped),
      reporters: (node) => [
        {report: async (state) => void this.states.push(state)},
        ...(this.hasReporters ? shown(node) : []),
      ],
      signal,
      ...this.changes,
    }
  }

  async #repair(steps: readonly StepId[], signal: AbortSignal): Promise<ChildOutcome> {
    this.repairs.push({at: this.world.os.time, steps, watch: this.#stop})
    return runRepair({...this.#child, machine: this.#counted('repair', this.onRepair), signal}, steps)
  }

  #counted(who: 'inspection' | 'repair', before?: (effect: Effect) => void): Machine {
    return interceptMachine(this.machine, (effect, perform) => {
      before?.(effect)
      if (isRequest(effect)) this.requests[who].push(effect.what)
      return perform()
    })
  }

  readonly #child = {assets, baseDir: BASE_DIR, caller: {processId: process.pid, user: 'tester'}}
}

/** To the API server. */
export const isRequest = ({args: [url = ''], via}: Effect): boolean => via === 'http' && url.startsWith('https:')
