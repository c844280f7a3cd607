// A week of a node in one process, on simulated time: what breaks, what people do and when the cluster is away is random. The
// node is healthy in the end, and watch has done nothing that somebody did not want. Of the time in which nothing happens
// most is slept through.
import {describe, expect, test} from 'vitest'
import {DAEMONS, daemonsOf} from '../../../src/config/daemons.js'
import {IPAM_STORE} from '../../../src/config/layout.js'
import {KUBE_PROXY} from '../../../src/config/model.js'
import {resolveReset} from '../../../src/config/reset-options.js'
import type {GivenOptions} from '../../../src/config/options.js'
import type {Effect} from '../../../src/machine/intercept.js'
import {createRedactor} from '../../../src/output/text/redact.js'
import {EventBus} from '../../../src/pipeline/run/events.js'
import {runReset} from '../../../src/runs/reset/reset.js'
import {runSetup} from '../../../src/runs/setup/setup.js'
import {MOST_REPAIRS} from '../../../src/runs/watch/judge.js'
import {pauseWatch, resumeWatch} from '../../../src/runs/watch/pause.js'
import {assets} from '../../fixtures/assets.js'
import {isWhole} from '../../sample.js'
import {lookAt} from '../../status/look.js'
import {halt} from '../../steps/drifts/services.js'
import {BASE_DIR, WatchedHost} from './watched-host.js'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
/** After which what somebody stopped may be started again. */
const ORDERLY_MS = 10 * MINUTE
const SYSTEM = String.raw`C:\Windows\System32`

/** The release that it is set up with, where it is upgraded meanwhile. */
const PROFILES: Readonly<Record<string, GivenOptions>> = {
  ws2019: {release: '1.22.17'},
  'ws2019-containerd': {},
  ws2022: {},
  'ws2022-containerd': {release: '1.35.8'},
  ws2025: {},
}
const NEWER: Readonly<Record<string, string>> = {ws2019: '1.23.17', 'ws2022-containerd': '1.36.4'}

/** The same in every run. */
function dice(seed: number): <T>(sides: readonly T[]) => T {
  let state = seed
  return (sides) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return sides[Math.floor((state / 2 ** 31) * sides.length)]!
  }
}

class Week {
  readonly against: string[] = []
  readonly #stopped = new Map<string, number>()
  readonly #throw: ReturnType<typeof dice>
  #isPaused = false

  constructor(
    readonly host: WatchedHost,
    seed: number,
  ) {
    this.#throw = dice(seed)
    host.onRepair = (effect) => this.#judge(effect)
  }

  /** Everything that can happen; its answer takes it back. */
  readonly events: Readonly<Record<string, (name: string) => Promise<(() => Promise<unknown>) | void>>> = {
    'cluster is away': async () => {
      this.host.world.cluster.reachable = false
      return async () => void (this.host.world.cluster.reachable = true)
    },
    crash: async (name) => {
      const {process, processId = 0} = this.host.world.services[name] ?? {}
      const id = String(process?.childProcessId ?? processId)
      await this.host.machine.run(`${SYSTEM}\\taskkill.exe`, ['/F', '/PID', id], {deadlineMs: MINUTE, effect: 'change'})
    },
    death: async (name) => {
      const entry = this.host.world.services[name]
      if (!entry || entry.state === 'stopped') return
      halt(entry, this.host.world)
      entry.exitCode = 1067
    },
    'load balancers are removed': async () => void (this.host.world.hns.policyLists = []),
    'HNS restarts': async () => {
      const {clock, win32} = this.host.machine
      await win32.stopService('hns')
      await clock.sleep(5000)
      await win32.startService('hns')
    },
    'the source VIP is lost': async () => this.host.machine.files.remove(`${IPAM_STORE}\\vxlan0`),
    'the gateway is lost': async () => {
      const {world} = this.host
      world.routes = world.routes.filter(({destination}) => destination !== '0.0.0.0/0')
      world.adapters = world.adapters.map((one) => ({...one, gateways: []}))
    },
    'somebody stops it': async (name) => {
      await this.host.machine.win32.stopService(name).catch(() => {})
      this.#stopped.set(name, this.host.machine.clock.now())
      return async () => void this.#stopped.delete(name)
    },
    'somebody disables it': async (name) => {
      const {win32} = this.host.machine
      await win32.changeService(name, {startType: 'disabled'})
      await win32.stopService(name).catch(() => {})
      return async () => {
        await this.host.machine.win32.changeService(name, {startType: 'automatic'})
        await this.host.machine.win32.startService(name).catch(() => {})
      }
    },
    'somebody pauses it': async () => {
      await pauseWatch({...this.#request, forMs: 2 * HOUR})
      this.#isPaused = true
      return async () => {
        this.#isPaused = false
        await resumeWatch(this.#request)
      }
    },
    setup: async () => void (await this.#setUp({})),
    upgrade: async () => {
      const release = NEWER[this.host.profile]
      if (release !== undefined) await this.#setUp({release})
    },
    'reset and setup': async () => {
      const options = resolveReset({yes: true}, {})
      const {exitCode} = await runReset({...this.#run, environment: {}, kubeconfig: undefined, options})
      expect([0, 6]).toContain(exitCode)
      await this.#setUp(NEWER[this.host.profile] === undefined ? {} : {release: NEWER[this.host.profile]!})
    },
    'Windows restarts': () => this.host.restart('shutdown'),
    'the power fails': () => this.host.restart('power'),
  }

  /** One or two things, then time for repairs, then what people did is taken back. */
  async happen(): Promise<string> {
    const names = daemonsOf({containerd: {isOurs: true}, runtime: this.#runtime} as never).map(({service}) => service)
    const told: string[] = []
    const back: (() => Promise<unknown>)[] = []
    for (const left of this.#throw([1, 2]) === 1 ? [0] : [1, 0]) {
      const [event, name] = [this.#throw(Object.keys(this.events)), this.#throw(names)]
      told.push(`${event} (${name})`)
      const undo = await this.events[event]!(name)
      if (undo) back.unshift(undo)
      await this.host.pass(left === 0 ? 25 * MINUTE : this.#throw([10_000, MINUTE, 6 * MINUTE]))
    }
    for (const undo of back) await undo()
    return told.join(', ')
  }

  get #runtime(): string {
    return this.host.world.services['containerd'] ? 'containerd' : 'docker'
  }

  get #request() {
    return {baseDir: BASE_DIR, environment: {}, machine: this.host.machine, signal: new AbortController().signal}
  }

  get #run() {
    const {machine} = this.host
    const bus = new EventBus(() => machine.clock.now())
    return {assets, bus, machine, redactor: createRedactor(), signal: new AbortController().signal}
  }

  async #setUp(given: GivenOptions): Promise<void> {
    await runSetup({...this.#run, given})
    this.#stopped.clear()
  }

  /** What a repair does to a service. */
  #judge({args: [name = ''], kind, via, what}: Effect): void {
    const {clock} = this.host.machine
    const {config, state} = this.host.world.services[name] ?? {}
    const note = (why: string): void => void this.against.push(`${what} ${name}: ${why}`)
    if (kind !== 'change' || via !== 'win32') return
    if (this.#isPaused) note('paused')
    // Another source VIP is an argument of kube-proxy.
    if (what === 'changeService' && name !== KUBE_PROXY) note('changed')
    if (what === 'stopService' && ['containerd', 'docker'].includes(name)) note('a runtime')
    if (what !== 'startService') return
    if (config?.startType !== 'automatic') note(String(config?.startType))
    const since = this.#stopped.get(name)
    if (state === 'stopped' && since !== undefined && clock.now() - since < ORDERLY_MS) note('stopped by somebody')
  }
}

const SAMPLE: readonly (readonly [string, number])[] = [
  ['ws2019', 2],
  ['ws2022-containerd', 2],
]
const WHOLE = Object.keys(PROFILES).map((profile) => [profile, 84] as const)

describe.each(isWhole ? WHOLE : SAMPLE)('%s, %d times something happens', (profile, count) => {
  test('the node is healthy in the end, and nobody was acted against', {timeout: HOUR}, async () => {
    const host = await WatchedHost.setUp(profile, {}, PROFILES[profile])
    const week = new Week(host, Number(process.env['FC_SEED'] ?? 7) + profile.length)
    const log: string[] = []
    for (let nth = 0; nth < count; nth++) {
      log.push(await week.happen())
      if (isWhole) await host.sleep(HOUR)
    }
    await host.pass(count > 2 ? 75 * MINUTE : 15 * MINUTE)
    const {troubles, verdict} = host.state
    await host.stop()
    expect(week.against, log.join('\n')).toEqual([])
    expect({ids: troubles.map(({error}) => error.id), verdict}, log.join('\n')).toEqual({ids: [], verdict: 'healthy'})
    const {document} = await lookAt(host.folder.dir, {profile})
    expect(document.problems.map(({id, subject}) => `${id} ${subject}`)).toEqual([])
    // Without health.json, a watch that was started anew remembers none of them.
    for (const {step} of DAEMONS) {
      const own = host.repairs.filter(({steps}) => steps.includes(step))
      for (const {at, watch} of own) {
        const hour = own.filter((one) => one.watch === watch && one.at >= at && one.at < at + HOUR)
        expect(hour.length).toBeLessThanOrEqual(MOST_REPAIRS)
      }
    }
    // A suspicion costs a comparison with the cluster, a healthy hour nothing.
    expect(host.requests.length).toBeLessThanOrEqual(80 * host.repairs.length)
  })
})
