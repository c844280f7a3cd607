// The loop on a simulated node: what it costs while nothing is wrong, what it repairs, and what it survives.
import {afterEach, describe, expect, test} from 'vitest'
import {layoutOf} from '../../../src/config/layout.js'
import type {StepId} from '../../../src/config/step-ids.js'
import {daemonUnwell} from '../../../src/errors/unhealthy-node.js'
import {FileError} from '../../../src/machine/files.js'
import {interceptMachine} from '../../../src/machine/intercept.js'
import {withinOnce} from '../../../src/host/wait.js'
import type {Machine} from '../../../src/machine/machine.js'
import {healthFile, readHealth} from '../../../src/runs/watch/state-files.js'
import {MOST_REPAIRS} from '../../../src/runs/watch/judge.js'
import type {WatchState} from '../../../src/runs/watch/model.js'
import {openObserver, type WatchedNode} from '../../../src/runs/watch/observe.js'
import {writePause} from '../../../src/runs/watch/pause.js'
import {openReporters} from '../../../src/runs/watch/reporters.js'
import {openWatch, runWatch} from '../../../src/runs/watch/watch.js'
import type {World} from '../../../src/simulator/world.js'
import {isWhole, turn} from '../../sample.js'
import {statusOn} from '../../status/status-on.js'
import {halt} from '../../steps/drifts/services.js'
import {BASE_DIR, isRequest, WatchedHost} from './watched-host.js'

const SECOND = 1000
const MINUTE = 60 * SECOND
const {nodeConfig, nodeConfigCopy} = layoutOf(BASE_DIR)
/** npm run test:crash has a thousand of them. */
const ROUNDS = isWhole ? 1000 : 50
/** Without anything to do. */
const [QUIET, QUIET_MS] = isWhole ? ['an hour', 60 * MINUTE] : ['half an hour', 30 * MINUTE]
const NOTHING_FOUND = {changed: 0, exitCode: 0, problems: []}

let host: WatchedHost
afterEach(() => host.stop())

/** It ended, and nothing starts it again. */
function dies({services}: World, name: string, exitCode = 1067): void {
  const entry = services[name]
  if (!entry) throw new Error(`no service ${name}`)
  halt(entry, host.world)
  entry.exitCode = exitCode
}

const statesOf = (name: string) => host.world.services[name]?.state

describe('while nothing is wrong', () => {
  test.each(['ws2019', 'ws2022-containerd'])(
    `${ROUNDS} rounds send no request, start nothing and read no digest: %s`,
    async (profile) => {
      host = await WatchedHost.setUp(profile)
      // Only its clock runs: each check is a whole one.
      let ahead = 0
      const input = host.input(new AbortController().signal)
      const {clock: simulated} = input.machine
      const clock = {...simulated, elapsed: () => simulated.elapsed() + ahead, now: () => simulated.now() + ahead}
      const watch = openWatch({...input, inspect: async () => NOTHING_FOUND, machine: {...input.machine, clock}})
      for (let round = 0; round < ROUNDS; round++) {
        await watch.check()
        ahead += 15 * SECOND
      }
      expect(host.states).toHaveLength(ROUNDS)
      expect(new Set(host.states.map(({verdict}) => verdict))).toEqual(new Set(['healthy']))
      expect(host.effects.filter(isRequest)).toEqual([])
      expect(host.effects.filter(({via, what}) => via === 'run' || what === 'digest')).toEqual([])
      expect(host.effects.filter(({kind}) => kind === 'change')).toEqual([])
    },
  )

  test('states are read every 2 s, and the rest every 15 s', async () => {
    host = await WatchedHost.setUp()
    await host.pass(MINUTE)
    const reads = (call: string, first: string) =>
      host.effects.filter(({args, what}) => what === call && args[0] === first).length
    // Each read takes its own time.
    expect(reads('queryServiceStatus', 'kubelet')).toBeGreaterThanOrEqual(25)
    expect(reads('queryServiceStatus', 'kubelet')).toBeLessThanOrEqual(40)
    expect(reads('queryServiceConfig', 'kubelet')).toBeLessThanOrEqual(4 * 5)
    expect(reads('hnsCall', 'GET')).toBeLessThanOrEqual(4 * 5)
  })

  test(`${QUIET} asks the cluster nothing, and inspects the rest`, async () => {
    let inspections = 0
    const inspect = async () => {
      inspections++
      return NOTHING_FOUND
    }
    host = await WatchedHost.setUp('ws2019', {inspect})
    await host.pass(QUIET_MS)
    expect(host.effects.filter(isRequest)).toEqual([])
    expect(host.repairs).toEqual([])
    expect(inspections).toBeGreaterThanOrEqual(1)
    expect(inspections).toBeLessThanOrEqual(4)
  })
})

describe('what died', () => {
  test('a daemon is started when the service manager has had its time', async () => {
    host = await WatchedHost.setUp()
    await host.pass(20 * SECOND)
    const components = ['kubelet', 'flanneld', 'kubeproxy', 'runtime', 'network', 'node']
    expect(host.state).toMatchObject({components, troubles: [], verdict: 'healthy'})
    dies(host.world, 'kubelet')
    await host.pass(30 * SECOND)
    expect(host.state).toMatchObject({
      troubles: [{component: 'kubelet', reason: 'KubeletStopped'}],
      verdict: 'recovering',
    })
    expect(host.repairs).toEqual([])
    await host.pass(90 * SECOND)
    expect(host.repairs).toMatchObject([{steps: ['kubelet-service']}])
    expect(host.state).toMatchObject({repairs: [{outcome: 'repaired', what: 'kubelet'}], verdict: 'healthy'})
  })

  test('the overlay network, after HNS was restarted', async () => {
    host = await WatchedHost.setUp('ws2022-containerd')
    await host.pass(20 * SECOND)
    await host.machine.win32.stopService('hns')
    await host.pass(10 * SECOND)
    await host.machine.win32.startService('hns')
    await host.pass(8 * MINUTE)
    expect(host.world.hns.networks.map(({Name}) => Name)).toContain('vxlan0')
    expect(host.state).toMatchObject({troubles: [], verdict: 'healthy'})
  })

  test('load balancers that a user removed', async () => {
    host = await WatchedHost.setUp()
    await host.pass(3 * MINUTE)
    host.world.hns.policyLists = []
    await host.pass(8 * MINUTE)
    expect(host.repairs).toMatchObject([{steps: ['kubeproxy-service']}])
    expect(host.world.hns.policyLists).not.toEqual([])
    expect(host.state).toMatchObject({repairs: [{outcome: 'repaired', what: 'load balancers'}], verdict: 'healthy'})
  })
})

test('a flanneld that shawl restarts again and again', async () => {
  host = await WatchedHost.setUp('ws2019', {repair: async () => NOTHING_FOUND})
  await host.pass(80 * SECOND)
  for (let kills = 0; kills < 20; kills++) {
    const id = String(host.world.services['flanneld']?.process?.childProcessId)
    const {exitCode} = await host.machine.run(String.raw`C:\Windows\System32\taskkill.exe`, ['/F', '/PID', id], {
      deadlineMs: MINUTE,
      effect: 'change',
    })
    expect(exitCode).toBe(0)
    await host.pass(16 * SECOND)
  }
  expect(host.states.flatMap(({troubles}) => troubles.map(({reason}) => reason))).toContain('FlanneldCrashing')
})

test('the endpoint of the source VIP is compared as load balancers are', async () => {
  let watched: WatchedNode | undefined
  const reporters = (node: WatchedNode): [] => {
    watched = node
    return []
  }
  host = await WatchedHost.setUp('ws2019', {reporters})
  await host.pass(20 * SECOND)
  const {hns} = await openObserver(watched!, withinOnce(host.machine.clock, 1000)).observe()
  expect(hns?.balancers).toContain('the endpoint of 10.244.3.2')
})

describe('intent', () => {
  test('what a user stopped is started after 10 minutes, and what is disabled stays', async () => {
    host = await WatchedHost.setUp()
    await host.pass(20 * SECOND)
    await host.machine.win32.stopService('kubelet')
    await host.machine.win32.changeService('flanneld', {startType: 'disabled'})
    await host.machine.win32.stopService('flanneld')
    await host.pass(9 * MINUTE)
    expect([statesOf('kubelet'), statesOf('flanneld')]).toEqual(['stopped', 'stopped'])
    expect(host.state.verdict).toBe('degraded')
    await host.pass(4 * MINUTE)
    expect([statesOf('kubelet'), statesOf('flanneld')]).toEqual(['running', 'stopped'])
    expect(host.state).toMatchObject({troubles: [{reason: 'FlanneldDisabled'}], verdict: 'degraded'})
  })
})

test('a flanneld that a user stops while it waits for the API server is ended by Ctrl-C, and is started after 10 minutes', async () => {
  host = await WatchedHost.setUp()
  host.world.cluster.reachable = false
  await host.machine.win32.stopService('flanneld')
  await host.pass(5 * SECOND)
  await host.machine.win32.startService('flanneld')
  await host.pass(20 * SECOND)
  await host.machine.win32.stopService('flanneld')
  await host.pass(9 * MINUTE)
  expect(host.world.services['flanneld']).toMatchObject({exitCode: 1066, serviceExitCode: 0xc000013a, state: 'stopped'})
  expect(host.repairs.flatMap(({steps}) => steps)).not.toContain('flanneld-service')
  await host.pass(2 * MINUTE)
  expect(host.repairs.flatMap(({steps}) => steps)).toContain('flanneld-service')
})

describe('it survives', () => {
  /** From `when` on, calls are answered by `fail`. */
  const failing = (isFailing: (what: string) => boolean, fail: () => Promise<never>) => async (): Promise<void> => {
    const {machine} = host
    host.machine = interceptMachine(machine, (effect, perform) => (isFailing(effect.what) ? fail() : perform()))
  }

  test('an HNS that hangs: it is asked once, and the rest is watched', async () => {
    host = await WatchedHost.setUp()
    Object.assign(host.changes, {inspect: async () => NOTHING_FOUND})
    let hanging = 0
    const hang = (): Promise<never> => {
      hanging++
      return new Promise(() => {})
    }
    const {repair} = host.input(new AbortController().signal)
    await failing((what) => what === 'hnsCall', hang)()
    Object.assign(host.changes, {repair: async (steps: never, signal: AbortSignal) => repair(steps, signal)})
    await host.pass(2 * MINUTE)
    expect(host.state).toMatchObject({troubles: [{component: 'network', reason: 'HnsSilent'}], verdict: 'degraded'})
    expect(hanging).toBe(1)
    // Another run ends, and the node is read anew.
    await host.machine.files.write(layoutOf(BASE_DIR).result, '{"command":"recover"}')
    await host.pass(MINUTE)
    expect(hanging).toBe(1)
    dies(host.world, 'kubelet')
    await host.pass(10 * SECOND)
    expect(host.state.troubles.map(({reason}) => reason)).toContain('KubeletStopped')
    await host.pass(5 * MINUTE)
    expect(statesOf('kubelet')).toBe('running')
  })

  test('a disk that cannot be read: it does not know, and then it does', async () => {
    host = await WatchedHost.setUp()
    let isFailing = false
    const {machine} = host
    host.machine = interceptMachine(machine, async ({via, what}, perform) => {
      if (isFailing && via === 'files') throw new FileError(what, 'C:', 'EIO')
      return perform()
    })
    await host.pass(20 * SECOND)
    isFailing = true
    await host.pass(MINUTE)
    expect(host.state.verdict).toBe('unknown')
    isFailing = false
    await host.pass(20 * SECOND)
    expect(host.state.verdict).toBe('healthy')
  })

  test('a full disk: what died is started, the cluster sees it, and health.json is written again', async () => {
    host = await WatchedHost.setUp()
    let isFull = false
    const {machine} = host
    host.machine = interceptMachine(machine, async ({kind, via, what}, perform) => {
      if (isFull && via === 'files' && kind === 'change' && what !== 'remove') throw new FileError(what, 'C:', 'ENOSPC')
      return perform()
    })
    const all = openReporters({baseDir: BASE_DIR, machine: host.machine, redact: (text) => text})
    const reporters = (node: WatchedNode) => [
      ...all(node),
      {report: async (state: WatchState) => void host.states.push(state)},
    ]
    Object.assign(host.changes, {reporters})
    const health = async () => (await readHealth(machine, BASE_DIR))?.verdict
    const condition = () => host.world.cluster.nodes.find(({name}) => name === 'win-1')?.conditions?.at(-1)?.reason
    await host.pass(2 * MINUTE)
    expect([await health(), condition()]).toEqual(['healthy', 'Healthy'])
    isFull = true
    dies(host.world, 'kubelet')
    await host.pass(45 * SECOND)
    expect([await health(), condition()]).toEqual(['healthy', 'KubeletStopped'])
    await host.pass(5 * MINUTE)
    expect(statesOf('kubelet')).toBe('running')
    expect(condition()).toBe('Healthy')
    isFull = false
    await host.pass(20 * SECOND)
    expect(await readHealth(machine, BASE_DIR)).toMatchObject({repairs: [{what: 'kubelet'}], verdict: 'healthy'})
  })

  test.each(turn([-24 * 60 * MINUTE, 24 * 60 * MINUTE], 1))('a clock that is set by %d ms', async (jump) => {
    host = await WatchedHost.setUp()
    const {machine} = host
    let offset = 0
    const clock = {...machine.clock, now: () => machine.clock.now() + offset}
    const input = (): Machine => ({...machine, clock})
    Object.assign(host.changes, {machine: input()})
    await host.pass(20 * SECOND)
    dies(host.world, 'kubelet')
    await machine.win32.stopService('kubeproxy')
    await host.pass(10 * SECOND)
    offset = jump
    await host.pass(100 * SECOND)
    expect([statesOf('kubelet'), statesOf('kubeproxy')]).toEqual(['running', 'stopped'])
  })

  test('a cluster that does not respond: what died is started', async () => {
    host = await WatchedHost.setUp()
    host.world.cluster.reachable = false
    await host.pass(20 * SECOND)
    dies(host.world, 'kubelet')
    await host.pass(5 * MINUTE)
    expect(statesOf('kubelet')).toBe('running')
  })

  test('a cluster that does not respond while flanneld is started: the network is compared later', async () => {
    host = await WatchedHost.setUp()
    host.world.cluster.reachable = false
    dies(host.world, 'flanneld')
    await host.pass(3 * MINUTE)
    expect(statesOf('flanneld')).toBe('running')
    host.world.cluster.reachable = true
    await host.pass(20 * MINUTE)
    expect(host.state).toMatchObject({troubles: [], verdict: 'healthy'})
    expect((await statusOn(host.folder.dir)).document.problems).toEqual([])
  })
})

/** Looks of which each is a whole one: in between only the clock goes on. */
function openLooks(): (count: number, ms?: number) => Promise<void> {
  let ahead = 0
  const input = host.input(new AbortController().signal)
  const {clock: simulated} = input.machine
  const clock = {...simulated, elapsed: () => simulated.elapsed() + ahead, now: () => simulated.now() + ahead}
  const watch = openWatch({...input, machine: {...input.machine, clock}})
  return async (count, ms = 15 * SECOND) => {
    for (let nth = 0; nth < count; nth++) {
      await watch.check()
      ahead += ms
    }
  }
}

/** A child process that ends when `end` is called. */
function openChild() {
  let end: () => void = () => {}
  const calls = {count: 0}
  const run = () =>
    new Promise<typeof NOTHING_FOUND>((resolve) => {
      calls.count++
      end = () => resolve(NOTHING_FOUND)
    })
  return {calls, end: () => end(), run}
}

describe('one thing at a time', () => {
  test('during its own repair it does not ask what it would stand aside for, and inspects nothing', async () => {
    const [repair, inspect] = [openChild(), openChild()]
    host = await WatchedHost.setUp('ws2019', {inspect: inspect.run, repair: repair.run})
    const look = openLooks()
    await look(1)
    dies(host.world, 'kubelet', 1077)
    await look(3)
    expect([repair.calls.count, host.state.verdict]).toEqual([1, 'recovering'])
    const before = host.effects.length
    await look(50, MINUTE)
    const asked = host.effects
      .slice(before)
      .filter(({args, what}) => what === 'isMutexHeld' || args[0] === 'k8s-win-run')
    expect([asked, inspect.calls.count]).toEqual([[], 0])
    repair.end()
    await look(2)
    expect(inspect.calls.count).toBe(1)
  })

  test('an inspection that a repair overtook is made again', async () => {
    const [repair, inspect] = [openChild(), openChild()]
    host = await WatchedHost.setUp('ws2019', {inspect: inspect.run, repair: repair.run})
    const look = openLooks()
    await look(50, MINUTE)
    expect(inspect.calls.count).toBe(1)
    dies(host.world, 'kubelet', 1077)
    await look(3)
    expect(repair.calls.count).toBe(1)
    repair.end()
    await look(1)
    inspect.end()
    await look(2)
    expect(inspect.calls.count).toBe(2)
  })
})

describe('what cannot be known', () => {
  test('whether the node is healthy after its options were removed', async () => {
    host = await WatchedHost.setUp()
    const look = openLooks()
    await look(2)
    await host.machine.files.remove(nodeConfig)
    await look(2)
    expect(host.states.slice(-2).map(({verdict}) => verdict)).toEqual(['unknown', 'unknown'])
  })

  test('options that are damaged are so until they are repaired', async () => {
    host = await WatchedHost.setUp()
    const {files} = host.machine
    const look = openLooks()
    await look(2)
    const content = await files.read(nodeConfig)
    await files.remove(nodeConfigCopy)
    await files.write(nodeConfig, 'not: [options')
    await look(3)
    expect(host.states.slice(-3).map(({verdict}) => verdict)).toEqual(['unknown', 'unknown', 'unknown'])
    await files.write(nodeConfig, content!)
    await look(1)
    expect(host.state.verdict).toBe('healthy')
  })

  test.each([
    ['systemUuid', undefined, 'healthy'],
    ['status', nodeConfig, 'unknown'],
  ])('%s that hangs is asked once', async (call, path, verdict) => {
    host = await WatchedHost.setUp()
    let [hanging, isHanging] = [0, false]
    const {machine} = host
    host.machine = interceptMachine(machine, async ({args, what}, perform) => {
      if (!isHanging || what !== call || (path !== undefined && args[0] !== path)) return perform()
      hanging++
      return new Promise<never>(() => {})
    })
    await host.pass(20 * SECOND)
    isHanging = true
    await host.pass(70 * SECOND)
    expect([hanging, host.state.verdict, host.state.detail !== undefined]).toEqual([1, verdict, true])
  })
})

test('a watch that is started again counts the repairs of the one before, and does not show them as its own', async () => {
  const failure = new Error('it does not start')
  host = await WatchedHost.setUp('ws2019', {repair: () => Promise.reject(failure)})
  const health = healthFile({baseDir: BASE_DIR, machine: host.machine, redact: (text) => text})
  const reporters = () => [health, {report: async (state: WatchState) => void host.states.push(state)}]
  Object.assign(host.changes, {reporters})
  await host.pass(20 * SECOND)
  dies(host.world, 'kubelet', 1077)
  for (let restarts = 0; restarts < 10; restarts++) {
    await host.pass(2 * MINUTE)
    await host.stop()
  }
  // Each of them compares the load balancers, too.
  const own = host.state.repairs.filter(({what}) => what === 'kubelet')
  const outcomes = own.map(({outcome}) => outcome)
  expect(outcomes).toEqual([...Array.from({length: MOST_REPAIRS}, () => 'failed'), 'gave up'])
})

test('a repair that never ends counts, also when its watch ends first', async () => {
  let repairs = 0
  const repair = (steps: readonly StepId[]): Promise<never> => {
    // Each watch compares the load balancers, too.
    if (steps.includes('kubelet-service')) repairs++
    return new Promise(() => {})
  }
  host = await WatchedHost.setUp('ws2019', {repair})
  const health = healthFile({baseDir: BASE_DIR, machine: host.machine, redact: (text) => text})
  const reporters = () => [health, {report: async (state: WatchState) => void host.states.push(state)}]
  Object.assign(host.changes, {reporters})
  await host.pass(20 * SECOND)
  dies(host.world, 'kubelet', 1077)
  for (let restarts = 0; restarts < 12; restarts++) {
    await host.pass(2 * MINUTE)
    await host.stop()
  }
  expect(repairs).toBe(MOST_REPAIRS)
})

test('it ends when whoever started it has ended, and the next one begins', async () => {
  let isLeft = false
  host = await WatchedHost.setUp('ws2019', {isOrphan: async () => isLeft})
  await host.pass(20 * SECOND)
  const next = host.input(new AbortController().signal)
  isLeft = true
  const other = runWatch({...next, isOrphan: async () => host.states.length > 5})
  await host.pass(MINUTE)
  await expect(other).resolves.toBeUndefined()
})

test('what a repair finds in the end is reported', async () => {
  const error = daemonUnwell({said: '', service: 'kubelet'})
  const problems = [{component: 'kubelet', error, reason: 'Drifted'}]
  host = await WatchedHost.setUp('ws2019', {repair: async () => ({changed: 1, exitCode: 0, problems})})
  await host.pass(20 * SECOND)
  dies(host.world, 'kubelet', 1077)
  await host.pass(25 * SECOND)
  expect(host.state.troubles.map(({reason}) => reason)).toContain('Drifted')
})

test.each(turn(['API_SERVER_UNREACHABLE', 'API_SERVER_BUSY'], 0))(
  'while the cluster answers %s nothing is given up',
  async (id) => {
    const problems = [{component: 'kubelet', error: {fix: '', id, message: ''}, reason: 'ApiServer'}]
    host = await WatchedHost.setUp('ws2019', {repair: async () => ({changed: 0, exitCode: 3, problems})})
    await host.pass(20 * SECOND)
    dies(host.world, 'kubelet', 1077)
    await host.pass(40 * MINUTE)
    expect(host.state.repairs.map(({outcome}) => outcome)).toEqual(Array.from({length: MOST_REPAIRS}, () => 'failed'))
  },
)

test('a paused node is inspected', async () => {
  let inspections = 0
  host = await WatchedHost.setUp('ws2019', {inspect: async () => ({...NOTHING_FOUND, changed: 0 * ++inspections})})
  await writePause(host.machine, BASE_DIR, {since: host.machine.clock.now()})
  await host.pass(60 * MINUTE, true)
  expect([host.state.verdict, inspections > 0]).toEqual(['paused', true])
})

test('a repair that ends with an error has failed, whatever has it', async () => {
  const error = daemonUnwell({said: '', service: 'flanneld'})
  const problems = [{component: 'flanneld', error, reason: 'FlanneldUnhealthy'}]
  host = await WatchedHost.setUp('ws2019', {repair: async () => ({changed: 1, exitCode: 6, problems})})
  await host.pass(20 * SECOND)
  dies(host.world, 'kubelet', 1077)
  await host.pass(40 * SECOND)
  expect(host.state.repairs).toMatchObject([{outcome: 'failed', what: 'kubelet', why: error.message}])
})

test('what was found is inspected again when another run has ended', async () => {
  const error = daemonUnwell({said: '', service: 'flanneld'})
  let problems = [{component: 'flanneld', error, reason: 'Drifted'}]
  host = await WatchedHost.setUp('ws2019', {inspect: async () => ({changed: 0, exitCode: 8, problems})})
  const {clock} = host.machine
  host.machine = {...host.machine, clock: {...clock, random: () => 0}}
  await host.pass(16 * MINUTE)
  expect(host.state.verdict).toBe('degraded')
  problems = []
  await host.machine.files.write(layoutOf(BASE_DIR).result, '{"command":"recover"}')
  await host.pass(31 * SECOND)
  expect(host.state.verdict).toBe('healthy')
})

test('a node whose options are damaged when the service starts is unknown, and its repairs are kept', async () => {
  host = await WatchedHost.setUp()
  const {files} = host.machine
  const {health, nodeConfig} = layoutOf(BASE_DIR)
  const all = openReporters({baseDir: BASE_DIR, machine: host.machine, redact: (text) => text})
  Object.assign(host.changes, {reporters: all})
  const at = new Date(host.machine.clock.now()).toISOString()
  const repairs = [{at, outcome: 'repaired', what: 'kubelet'}]
  await files.write(health, JSON.stringify({at, problems: [], repairs, since: at, verdict: 'healthy'}))
  const stored = (await files.read(nodeConfig)) ?? ''
  await files.remove(nodeConfigCopy)
  await files.write(nodeConfig, 'this: [is not')
  const shown = () => readHealth(host.machine, BASE_DIR)
  await host.pass(MINUTE)
  expect(await shown()).toMatchObject({detail: expect.any(String) as string, repairs, verdict: 'unknown'})
  await files.write(nodeConfig, stored)
  await host.pass(MINUTE)
  expect(await shown()).toMatchObject({repairs, verdict: 'healthy'})
})

test('two watches: the second ends', async () => {
  host = await WatchedHost.setUp()
  await host.pass(SECOND)
  const other = new AbortController()
  await expect(runWatch(host.input(other.signal))).rejects.toMatchObject({id: 'WATCH_RUNNING'})
})

test('at an orderly stop the reporters are told, and a repair is aborted', async () => {
  const told: string[] = []
  const repair = (_: readonly string[], signal: AbortSignal) =>
    new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
  const reporters = () => [{end: async () => void told.push('end'), report: async () => void told.push('report')}]
  host = await WatchedHost.setUp('ws2019', {repair, reporters})
  await host.pass(20 * SECOND)
  dies(host.world, 'kubelet', 1077)
  await host.pass(MINUTE)
  await host.stop()
  expect(told.at(-1)).toBe('end')
})

test('at an orderly stop the reporters end within the 4 s that shawl gives, also during a repair and a check that hangs', async () => {
  let [ended, isHanging] = [Infinity, false]
  const repair = (_: readonly string[], signal: AbortSignal) =>
    new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => void host.machine.clock.sleep(MINUTE).then(reject))
    })
  const reporters = () => [
    {
      end: async () => void (ended = host.machine.clock.now()),
      report: () => (isHanging ? new Promise<void>(() => {}) : Promise.resolve()),
    },
  ]
  host = await WatchedHost.setUp('ws2019', {repair, reporters})
  await host.pass(20 * SECOND)
  dies(host.world, 'kubelet', 1077)
  await host.pass(MINUTE)
  isHanging = true
  await host.pass(16 * SECOND)
  const at = host.machine.clock.now()
  await host.stop()
  expect(ended - at).toBeLessThan(SECOND)
  expect(host.machine.clock.now() - at).toBeLessThan(4 * SECOND)
})

describe('Windows starts', () => {
  const isReady = ({cluster, hns, services}: World): boolean =>
    cluster.nodes.some(({name, ready}) => name === 'win-1' && ready) &&
    hns.networks.some(({Name}) => Name === 'vxlan0') &&
    hns.policyLists.length > 0 &&
    Object.values(services).every(({config, state}) => config.startType !== 'automatic' || state === 'running')

  async function readyAfter(pass: (ms: number) => Promise<void>): Promise<number> {
    for (let waited = 0; waited < 600; waited++) {
      if (isReady(host.world)) return waited
      await pass(SECOND)
    }
    return Infinity
  }

  test.each([
    ['ws2019', 'shutdown'],
    ['ws2022-containerd', 'power'],
  ] as const)('and what Windows has not started is ready in time: %s, %s', async (profile, end) => {
    host = await WatchedHost.setUp(profile)
    await host.restart(end)
    const alone = await readyAfter((ms) => host.machine.clock.sleep(ms))
    await host.restart(end, ({services}) => {
      for (const name of ['kubelet', 'flanneld', 'kubeproxy']) delete services[name]?.restartAt
    })
    const watched = await readyAfter((ms) => host.pass(ms))
    expect(watched).toBeLessThanOrEqual(alone + 30)
  })
})
