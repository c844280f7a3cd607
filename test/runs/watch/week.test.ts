// A week of a node in one process, on simulated time: what breaks, what users do and how the cluster answers is random. The
// node is healthy in the end, and watch has acted against no intent. A quarter of an hour after something happened, and until
// something else does, watch checks the node once a minute (see `pass`), as nothing is expected to change; before, it works
// at its own pace.
import {expect, test} from 'vitest'
import {DAEMONS, daemonsOf} from '../../../src/config/daemons.js'
import {IPAM_STORE} from '../../../src/config/layout.js'
import {KUBE_PROXY} from '../../../src/config/model.js'
import {resolveReset} from '../../../src/config/options/reset-options.js'
import type {GivenOptions} from '../../../src/config/options/options.js'
import {FileError} from '../../../src/machine/files.js'
import {HttpError, type HttpResponse} from '../../../src/machine/http.js'
import {type Effect, interceptMachine} from '../../../src/machine/intercept.js'
import type {Machine} from '../../../src/machine/machine.js'
import {createRedactor} from '../../../src/output/text/redact.js'
import {EventBus, type RunResultDocument} from '../../../src/pipeline/run/events.js'
import {runReset} from '../../../src/runs/reset/reset.js'
import {runSetup} from '../../../src/runs/setup/setup.js'
import {MOST_REPAIRS} from '../../../src/runs/watch/judge.js'
import {pauseWatch, resumeWatch} from '../../../src/runs/watch/pause.js'
import {assets} from '../../fixtures/assets.js'
import {isWhole} from '../../sample.js'
import {statusOn} from '../../status/status-on.js'
import {halt} from '../../steps/drifts/services.js'
import {BASE_DIR, isRequest, WatchedHost} from './watched-host.js'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** After which what a user stopped may be started again. */
const ORDERLY_MS = 10 * MINUTE
const SYSTEM = String.raw`C:\Windows\System32`

/** The releases before and after an upgrade. */
const RELEASES: Readonly<Record<string, readonly [before: string, after: string]>> = {
  ws2019: ['1.22.17', '1.23.17'],
  'ws2019-containerd': ['1.33.13', '1.34.11'],
  ws2022: ['1.23.16', '1.23.17'],
  'ws2022-containerd': ['1.35.8', '1.36.4'],
  ws2025: ['1.35.8', '1.36.4'],
}

/** What an API server, or what answers in its place, may say. */
const HOSTILE: readonly (Pick<HttpResponse, 'status'> & {body: string; headers?: Record<string, string>})[] = [
  {body: 'later', headers: {'retry-after': '99999999'}, status: 429},
  {body: '<html>Bad gateway</html>', status: 502},
  {body: 'null', status: 200},
  {
    body: '{"items": 5, "kind": "\u0007", "metadata": {"uid": []}, "spec": null, "status": {"conditions": {}}}',
    status: 200,
  },
  {body: '[', status: 200},
  {body: '{"kind": "Status", "message": "no", "reason": "Forbidden"}', status: 403},
]

type Fault = 'full disk' | 'hostile' | 'hung HNS' | 'slow'
type Undo = (() => Promise<unknown>) | void

class Week {
  readonly against: string[] = []
  readonly log: string[] = []
  /** By what was run: how often, and its exit codes. */
  readonly runs: string[] = []
  readonly #draw: <T>(sides: readonly T[]) => T
  #deck: string[] = []
  readonly #stopped = new Map<string, number>()
  #isPaused = false
  /** What the clock of the host shows, compared with the time that has passed. */
  #aheadMs = 0
  readonly #faults = new Map<Fault, Promise<void>>()
  #unfinished: GivenOptions | undefined

  constructor(
    readonly host: WatchedHost,
    seed: number,
  ) {
    this.#draw = dice(seed)
    host.onRepair = (effect) => this.#judge(effect)
    host.hasReporters = true
    host.wrap = (machine) => this.#faulty(machine)
    host.machine = host.wrap(host.machine)
  }

  /** Everything that can happen; its answer takes it back. */
  readonly events: Readonly<Record<string, (name: string) => Promise<Undo>>> = {
    'the cluster does not respond': async () => {
      this.host.world.cluster.reachable = false
      return async () => void (this.host.world.cluster.reachable = true)
    },
    'the cluster is slow': async () => this.#begin('slow'),
    'the cluster is hostile': async () => this.#begin('hostile'),
    'HNS hangs': async () => this.#begin('hung HNS'),
    'the disk is full': async () => this.#begin('full disk'),
    'the clock is set': async () => {
      this.#aheadMs = this.#draw([-26 * HOUR, -10 * MINUTE, 10 * MINUTE, 26 * HOUR])
      // A pause ends at a time of the clock.
      this.#isPaused = false
      return async () => void (this.#aheadMs = 0)
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
    'the source VIP is lost': async () => this.host.machine.files.remove(`${IPAM_STORE}\\vxlan0`).catch(() => {}),
    'the gateway is lost': async () => {
      const {world} = this.host
      world.routes = world.routes.filter(({destination}) => destination !== '0.0.0.0/0')
      world.adapters = world.adapters.map((one) => ({...one, gateways: []}))
    },
    'a user stops it': async (name) => {
      const isStopped = await this.host.machine.win32.stopService(name).then(
        () => true,
        () => false,
      )
      if (isStopped) this.#stopped.set(name, this.now)
      return async () => void this.#stopped.delete(name)
    },
    'a user disables it': async (name) => {
      const {win32} = this.host.machine
      await win32.changeService(name, {startType: 'disabled'})
      await win32.stopService(name).catch(() => {})
      return async () => {
        await this.host.machine.win32.changeService(name, {startType: 'automatic'}).catch(() => {})
        await this.host.machine.win32.startService(name).catch(() => {})
      }
    },
    'a user pauses it': async () => {
      const isPaused = await pauseWatch({...this.#request, forMs: 2 * HOUR}).then(
        () => true,
        () => false,
      )
      this.#isPaused = isPaused
      return async () => {
        this.#isPaused = false
        await resumeWatch(this.#request)
      }
    },
    setup: async () => this.#setUp({}),
    upgrade: async () => this.#setUp({release: this.#releases[1]}),
    'reset and setup': async () => {
      const options = resolveReset({yes: true}, {})
      this.#isPaused = false
      this.#note('reset', await runReset({...this.#run, environment: {}, kubeconfig: undefined, options}))
      await this.#setUp({release: this.#releases[0]})
    },
    'Windows restarts': async () => this.#restart('shutdown'),
    'the power fails': async () => this.#restart('power'),
  }

  /** One or two things, then time for repairs, then what lasts is taken back. */
  async happen(): Promise<void> {
    const names = daemonsOf({containerd: {isOurs: true}, runtime: this.#runtime} as never).map(({service}) => service)
    const back: Exclude<Undo, void>[] = []
    const drawn = this.#draw([1, 2]) === 1 ? [this.#next()] : [this.#next(), this.#next()]
    this.log.push('')
    for (const [nth, event] of drawn.entries()) {
      const name = this.#draw(names)
      this.log.push(`${this.log.pop()} ${event} (${name})`)
      const undo = await this.events[event]!(name)
      if (undo) back.unshift(undo)
      if (nth < drawn.length - 1) await this.host.pass(this.#draw([10_000, MINUTE, 6 * MINUTE]))
    }
    await this.host.pass(15 * MINUTE)
    await this.host.pass(10 * MINUTE, true)
    for (const undo of back) await undo()
    // What a fault has kept from its end is run again by a user, and then nothing keeps it.
    if (!this.#unfinished) return
    await this.#setUp(this.#unfinished)
    expect(this.#unfinished, this.told).toBeUndefined()
  }

  /** Of the world outside, which nothing sets. */
  get now(): number {
    return this.host.machine.clock.now() - this.#aheadMs
  }

  get told(): string {
    return `${this.log.join('\n')}\n${this.runs.join(', ')}`
  }

  /** All of them in a random order, and then again. */
  #next(): string {
    if (this.#deck.length === 0) this.#deck = Object.keys(this.events)
    const event = this.#draw(this.#deck)
    this.#deck = this.#deck.filter((one) => one !== event)
    return event
  }

  get #releases(): readonly [string, string] {
    return RELEASES[this.host.profile]!
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
    const result = await runSetup({...this.#run, given})
    this.#note(['setup', given.release].join(' '), result)
    this.#unfinished = result.exitCode === 0 ? undefined : given
    this.#stopped.clear()
  }

  #note(what: string, {error, exitCode}: RunResultDocument): void {
    this.runs.push(`${what}: ${exitCode}${error ? ` ${error.id}` : ''} (${this.log.at(-1)})`)
  }

  async #restart(end: 'power' | 'shutdown'): Promise<void> {
    this.#stopped.clear()
    await this.host.restart(end)
  }

  #begin(fault: Fault): Undo {
    let end = (): void => {}
    this.#faults.set(fault, new Promise((resolve) => void (end = resolve)))
    return async () => {
      this.#faults.delete(fault)
      end()
    }
  }

  #faulty(simulated: Machine): Machine {
    const clock = {...simulated.clock, now: () => simulated.clock.now() + this.#aheadMs}
    const machine = interceptMachine({...simulated, clock}, async (effect, perform) => {
      const {deadlineMs = MINUTE, kind, via, what} = effect
      const has = (fault: Fault): boolean => this.#faults.has(fault)
      if (what === 'hnsCall') await this.#faults.get('hung HNS')
      if (has('full disk') && via === 'files' && kind === 'change' && !what.startsWith('remove'))
        throw new FileError(what, effect.args[0] ?? '', 'ENOSPC')
      if (has('slow') && isRequest(effect)) {
        await clock.sleep(Math.min(deadlineMs, 20_000))
        if (deadlineMs <= 20_000) throw new HttpError(effect.args[0] ?? '', 'ETIMEDOUT', 'not done in time')
      }
      return perform()
    })
    const request: Machine['http']['request'] = async (one) => {
      if (!this.#faults.has('hostile') || !one.url.startsWith(this.host.world.cluster.serverURL))
        return machine.http.request(one)
      const {body, headers = {}, status} = this.#draw(HOSTILE)
      return {body: Buffer.from(body), headers, status}
    }
    return {...machine, http: {...machine.http, request}}
  }

  /** What a repair does to a service. */
  #judge({args: [name = ''], kind, via, what}: Effect): void {
    const {config, state} = this.host.world.services[name] ?? {}
    const note = (why: string): void => void this.against.push(`${what} ${name}: ${why} (${this.log.at(-1)})`)
    if (kind !== 'change' || via !== 'win32') return
    if (this.#isPaused) note('paused')
    // Another source VIP is an argument of kube-proxy.
    if (what === 'changeService' && name !== KUBE_PROXY) note('changed')
    if (what === 'stopService' && ['containerd', 'docker'].includes(name)) note('a runtime')
    if (what !== 'startService') return
    if (config?.startType !== 'automatic') note(String(config?.startType))
    const since = this.#stopped.get(name)
    if (state === 'stopped' && since !== undefined && this.now - since < ORDERLY_MS) note('stopped by a user')
  }
}

/** The same in every run. */
function dice(seed: number): <T>(sides: readonly T[]) => T {
  let state = seed
  return (sides) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return sides[Math.floor((state / 2 ** 31) * sides.length)]!
  }
}

const countsOf = (names: readonly string[]): Record<string, number> =>
  Object.fromEntries([...new Set(names)].sort().map((name) => [name, names.filter((one) => one === name).length]))

const PROFILES = isWhole ? Object.keys(RELEASES) : ['ws2022-containerd']
const [NAME, LENGTH, REST] = isWhole ? ['a week', 7 * DAY, 75 * MINUTE] : ['an hour', HOUR, 15 * MINUTE]

test.each(PROFILES)(`the node is healthy after ${NAME} of %s`, {timeout: 2 * HOUR}, async (profile) => {
  const host = await WatchedHost.setUp(profile, {}, {release: RELEASES[profile]![0]})
  // Other numbers for each profile.
  const week = new Week(host, Number(process.env['FC_SEED'] ?? 7) * 1000 + Object.keys(RELEASES).indexOf(profile))
  const [began, realBegan] = [week.now, Date.now()]
  while (week.now - began < LENGTH - REST) {
    await week.happen()
    if (isWhole) await host.pass(HOUR * (1 + (week.log.length % 3)), true)
    host.effects.length = 0
    expect(week.against, week.told).toEqual([])
  }
  await host.pass(REST, true)
  await host.pass(MINUTE)
  const passed = week.now - began
  const {troubles, verdict} = host.state
  const {document} = await statusOn(host.folder.dir, {profile})
  const condition = host.world.cluster.nodes
    .find(({name}) => name === 'win-1')
    ?.conditions?.find(({type}) => type === 'K8sWinUnhealthy')
  await host.stop()
  const {inspection, repair, watch} = host.requests
  const requests = {inspection: inspection.length, repair: countsOf(repair), watch: countsOf(watch)}
  const told = {
    days: passed / DAY,
    events: week.log.length,
    profile,
    repairs: countsOf(host.repairs.map(({steps}) => steps.join(' '))),
    requests,
    seconds: Math.round((Date.now() - realBegan) / 1000),
  }
  if (isWhole) console.log(JSON.stringify(told, null, 2), week.runs.join('\n'))
  expect(week.against, week.told).toEqual([])
  expect({ids: troubles.map(({error}) => error.id), verdict}, week.told).toEqual({ids: [], verdict: 'healthy'})
  expect(document.problems.map(({id, subject}) => `${id} ${subject}`)).toEqual([])
  expect(condition, week.told).toMatchObject({reason: 'Healthy', status: 'False'})
  expect(passed).toBeGreaterThanOrEqual(LENGTH)
  // Without health.json (reset, a full disk), a watch that was started anew remembers none of them.
  for (const {step} of DAEMONS) {
    const own = host.repairs.filter(({steps}) => steps.includes(step))
    for (const {at, watch: by} of own) {
      const hour = own.filter((one) => one.watch === by && one.at >= at && one.at < at + HOUR)
      expect(hour.length).toBeLessThanOrEqual(MOST_REPAIRS)
    }
  }
  // An inspection asks the cluster nothing, a repair compares with it. Its own Node is read every 2.5 minutes at most, and
  // written when its state has changed, every quarter of an hour at most, and when watch ends.
  expect(inspection).toEqual([])
  expect(repair.length).toBeLessThanOrEqual(80 * host.repairs.length)
  expect(watch.filter((one) => one === 'GET').length).toBeLessThanOrEqual(passed / (2.5 * MINUTE) + 2 * week.log.length)
  expect(watch.filter((one) => one !== 'GET').length).toBeLessThanOrEqual(passed / (15 * MINUTE) + 12 * week.log.length)
})
