// stop, start and restart on a node that is set up.
import {beforeAll, describe, expect, test} from 'vitest'
import {layoutOf} from '../../../src/config/layout.js'
import type {ClusterPod} from '../../../src/simulator/cluster/state.js'
import type {World} from '../../../src/simulator/world.js'
import {EVENT_SOURCE} from '../../../src/machine/win32.js'
import {openSimulator} from '../../../src/simulator/simulator.js'
import {pauseWatch, readPause, resumeWatch} from '../../../src/runs/watch/pause.js'
import {reboot} from '../../boot/reboot.js'
import {nodeWithPod} from '../../fixtures/node-with-pod.js'
import {resetOn} from '../../reset/reset-run.js'
import {schemaErrors} from '../../schemas.js'
import {setupOn} from '../../setup/in-process.js'
import {statusOn} from '../../status/status-on.js'
import {HostFolder, profileOf} from '../../steps/host-folder.js'
import {pod} from '../../upgrade/node-at.js'
import {InterruptedError} from '../../../src/pipeline/run/to-user-error.js'
import {recoverOn} from '../recover-on.js'
import {repairOn} from '../watch/repair-on.js'
import {daemonsOn, type DaemonsWatch} from './daemons-on.js'
import {sample} from '../../sample.js'

const BASE = String.raw`C:\k`
const {pause, stopped} = layoutOf(BASE)
const COMMON = ['kubelet', 'flanneld', 'kubeproxy']
const ALL = [...COMMON, 'containerd']
const signal = new AbortController().signal

const nodes = new Map<string, HostFolder>()
const nodeOn = (profile: string): HostFolder => nodes.get(profile)!.copy()
const node = (): HostFolder => nodeOn('ws2022-containerd')
beforeAll(async () => {
  for (const profile of ['ws2022-containerd', 'ws2019']) {
    const host = HostFolder.empty()
    expect((await setupOn(host.dir, {}, {}, profile)).result.error).toBeUndefined()
    nodes.set(profile, host)
  }
})

const statesOf = ({world: {services}}: HostFolder, names: readonly string[] = COMMON): unknown[] =>
  names.map((name) => services[name]?.state)
const running = (names: readonly string[] = COMMON): string[] => names.map(() => 'running')
const halted = (names: readonly string[] = COMMON): string[] => names.map(() => 'stopped')
const nodeObject = ({cluster}: World) => cluster.nodes.find(({name}) => name === 'win-1')
const isCordoned = ({world}: HostFolder): boolean => nodeObject(world)?.unschedulable === true
const statusOf = async (host: HostFolder) => (await statusOn(host.dir, {profile: profileOf(host.dir)})).document
const requestOn = async ({dir}: HostFolder) => ({
  environment: {},
  machine: await openSimulator({dir, profile: profileOf(dir)}),
  signal,
})
/** Windows events of its own about a pause. */
const pauseEvents = ({world}: HostFolder): number =>
  Object.values(world.os.eventLogs ?? {})
    .flat()
    .filter(({id, provider}) => provider === EVENT_SOURCE && id === 12).length
const recordOf = async (host: HostFolder): Promise<unknown> => {
  const {machine} = await requestOn(host)
  const bytes = await machine.files.read(stopped)
  return bytes && (JSON.parse(bytes.toString()) as unknown)
}

/** Those that were not evicted. */
const podsOf = ({world}: HostFolder): unknown[] =>
  (world.cluster.pods ?? []).filter(({deletedAt}) => deletedAt === undefined)
const podOf = (more: Partial<ClusterPod> = {}): ClusterPod => ({...pod('a'), ...more})
const alone = (): ClusterPod => {
  const {owner: _, ...rest} = pod('a')
  return rest
}

/** Runs it, and demands that it succeeds with a valid document. */
async function done(host: HostFolder, words: string, watch?: DaemonsWatch) {
  const {result} = await daemonsOn(host.dir, words, watch)
  expect(result.error).toBeUndefined()
  expect(schemaErrors('result', result)).toEqual([])
  return result
}

describe.each(['ws2022-containerd', 'ws2019'])('on %s', (profile) => {
  test('stop stops in order, start starts in the reverse order, and each changes nothing when it is repeated', async () => {
    const host = nodeOn(profile)
    const calls: string[] = []
    const before: DaemonsWatch['before'] = ({args: [name], what}) => {
      if (/^(?:start|stop)Service$/.test(what)) calls.push(`${what.slice(0, -7)} ${name}`)
    }
    expect((await done(host, 'stop', {before})).recap.changed).toBe(2)
    expect(calls).toEqual(['stop kubeproxy', 'stop flanneld', 'stop kubelet'])
    expect(statesOf(host)).toEqual(halted())
    expect((await done(host, 'stop all', {before})).recap).toMatchObject({changed: 0, failed: 0})
    expect(calls).toHaveLength(3)
    expect((await done(host, 'start', {before})).recap.changed).toBeGreaterThanOrEqual(3)
    expect(calls.slice(3)).toEqual(['start kubelet', 'start flanneld', 'start kubeproxy'])
    expect((await done(host, 'start', {before})).recap).toMatchObject({changed: 0, failed: 0})
    expect(calls).toHaveLength(6)
    expect(await recordOf(host)).toBeUndefined()
    expect(await statusOf(host)).toMatchObject({problems: [], verdict: 'healthy'})
  })

  test('restart stops and starts, and leaves no record', async () => {
    const host = nodeOn(profile)
    const before = host.world.services['flanneld']!.processId
    const result = await done(host, 'restart')
    expect(result.steps.map(({id}) => id)).toEqual([
      'records',
      'daemons',
      'kubelet-service',
      'flanneld-service',
      'overlay-network',
      'source-vip',
      'kubeproxy-service',
    ])
    expect(host.world.services['flanneld']!.processId).not.toBe(before)
    expect([statesOf(host), await recordOf(host)]).toEqual([running(), undefined])
    expect(await statusOf(host)).toMatchObject({problems: [], verdict: 'healthy'})
  })
})

test.each(
  sample(
    [
      ['kubelet', 'kubelet'],
      ['kube-proxy', 'kubeproxy'],
      ['PROXY', 'kubeproxy'],
      ['flannel', 'flanneld'],
    ],
    2,
  ),
)('a daemon is named as logs names it: %s', async (name, service) => {
  const host = node()
  await done(host, `stop ${name}`)
  const others = ALL.filter((one) => one !== service)
  expect([statesOf(host, [service]), statesOf(host, others)]).toEqual([['stopped'], running(others)])
  expect(await statusOf(host)).toMatchObject({paused: {stopped: [service], until: null}})
  await done(host, `start ${name}`)
  expect([statesOf(host, ALL), await recordOf(host)]).toEqual([running(ALL), undefined])
})

describe('the pause of stop', () => {
  test('is shown by status, also after a restart of Windows, and ends with start', async () => {
    const host = node()
    await done(host, 'stop')
    const {machine} = await requestOn(host)
    expect(await readPause(machine, BASE)).toMatchObject({stopped: COMMON})
    expect(await statusOf(host)).toMatchObject({exitCode: 8, paused: {stopped: COMMON, until: null}})
    host.edit((world) => reboot(world))
    await (await requestOn(host)).machine.clock.sleep(180_000)
    // Windows starts automatic services.
    expect(statesOf(host)).toEqual(running())
    expect(await statusOf(host)).toMatchObject({paused: {stopped: COMMON}})
    await done(host, 'start')
    expect(await statusOf(host)).not.toHaveProperty('paused')
    expect(pauseEvents(host)).toBe(2)
  })

  test('ends when the last daemon runs again', async () => {
    const host = node()
    await done(host, 'stop')
    await done(host, 'start flanneld')
    expect(await statusOf(host)).toMatchObject({paused: {stopped: ['kubelet', 'kubeproxy']}})
    await done(host, 'start')
    expect(await statusOf(host)).not.toHaveProperty('paused')
  })

  test('is beside a pause of the user, which stays', async () => {
    const host = node()
    await pauseWatch({...(await requestOn(host)), forMs: 24 * 3_600_000})
    await done(host, 'stop')
    await done(host, 'start')
    const {paused} = await statusOf(host)
    expect(paused).toMatchObject({until: expect.any(String) as string})
    expect(paused).not.toHaveProperty('stopped')
    expect(await (await requestOn(host)).machine.files.status(pause)).toBeDefined()
  })

  test('does not end with resume', async () => {
    const host = node()
    await done(host, 'stop kubelet')
    await expect(resumeWatch(await requestOn(host))).rejects.toMatchObject({exitCode: 3, id: 'DAEMONS_STOPPED'})
    expect(await recordOf(host)).toMatchObject({daemons: {kubelet: 'stop'}})
  })

  test.each([
    ['recover', (host: HostFolder) => recoverOn(host.dir)],
    ['setup', (host: HostFolder) => setupOn(host.dir)],
  ])('ends with %s, which starts what is stopped and uncordons the node', async (_, run) => {
    const host = node()
    await done(host, 'stop', {drainMs: 60_000})
    expect(isCordoned(host)).toBe(true)
    expect((await run(host)).result.error).toBeUndefined()
    expect([statesOf(host), isCordoned(host), await recordOf(host)]).toEqual([running(), false, undefined])
  })

  test('ends with the node', async () => {
    const host = node()
    await done(host, 'stop')
    await resetOn(host.dir)
    expect(await (await requestOn(host)).machine.files.status(stopped)).toBeUndefined()
  })

  test('of a damaged record lasts until start', async () => {
    const host = node()
    host.put(stopped.slice(3), '{')
    expect(await statusOf(host)).toMatchObject({paused: {stopped: COMMON}, verdict: 'healthy'})
    await done(host, 'start')
    expect(await statusOf(host)).not.toHaveProperty('paused')
  })
})

describe('stop --drain', () => {
  test('cordons and evicts before it stops, and start uncordons', async () => {
    const host = node()
    host.edit(({cluster}) => (cluster.pods = [podOf()]))
    const result = await done(host, 'stop', {drainMs: 60_000})
    expect(result.steps.map(({id}) => id)).toEqual(['records', 'drain', 'daemons'])
    expect([isCordoned(host), podsOf(host)]).toEqual([true, []])
    expect((await done(host, 'stop', {drainMs: 60_000})).recap.changed).toBe(0)
    await done(host, 'start kubelet')
    expect(isCordoned(host)).toBe(true)
    await done(host, 'start')
    expect(isCordoned(host)).toBe(false)
  })

  test('leaves a node cordoned that a user had cordoned', async () => {
    const host = node()
    host.edit((world) => (nodeObject(world)!.unschedulable = true))
    await done(host, 'stop', {drainMs: 60_000})
    await done(host, 'start')
    expect(isCordoned(host)).toBe(true)
  })

  test('restart --drain lets the node take pods again', async () => {
    const host = node()
    host.edit(({cluster}) => (cluster.pods = [podOf()]))
    await done(host, 'restart', {drainMs: 60_000})
    expect([isCordoned(host), statesOf(host), podsOf(host)]).toEqual([false, running(), []])
  })

  test('pods that nothing recreates are evicted with --yes only', async () => {
    const host = node()
    host.edit(({cluster}) => (cluster.pods = [alone()]))
    const {result} = await daemonsOn(host.dir, 'stop', {drainMs: 60_000})
    expect(result).toMatchObject({error: {id: 'PODS_WITHOUT_CONTROLLER'}, exitCode: 3})
    expect([statesOf(host), isCordoned(host), await recordOf(host)]).toEqual([running(), false, undefined])
    await done(host, 'stop', {drainMs: 60_000, yes: true})
    expect(podsOf(host)).toEqual([])
  })

  test('a drain that takes too long stops nothing; start undoes it', async () => {
    const host = node()
    host.edit(({cluster}) => (cluster.pods = [podOf({finalizers: ['example.com/x']})]))
    const {result} = await daemonsOn(host.dir, 'stop', {drainMs: 30_000})
    expect(result).toMatchObject({error: {id: 'DRAIN_TIMED_OUT'}, exitCode: 6})
    expect([statesOf(host), isCordoned(host)]).toEqual([running(), true])
    // Nothing is stopped, so nothing is paused.
    expect(JSON.stringify(await recordOf(host))).toContain('"cordoned":true,"daemons":{}')
    await done(host, 'start')
    expect([isCordoned(host), await recordOf(host)]).toEqual([false, undefined])
  })

  test('a drain that takes too long pauses nothing where a user had cordoned the node', async () => {
    const host = node()
    host.edit((world) => {
      world.cluster.pods = [podOf({finalizers: ['example.com/x']})]
      nodeObject(world)!.unschedulable = true
    })
    expect((await daemonsOn(host.dir, 'stop', {drainMs: 30_000})).result.exitCode).toBe(6)
    expect([statesOf(host), isCordoned(host), await recordOf(host)]).toEqual([running(), true, undefined])
    expect(await statusOf(host)).not.toHaveProperty('paused')
  })

  test('a node that may not be cordoned: who cordons it later does so on purpose', async () => {
    const host = node()
    const {permissions} = host.world.cluster
    host.edit(({cluster}) => (cluster.permissions = ['get nodes', 'list nodes', 'list pods']))
    const {result} = await daemonsOn(host.dir, 'stop', {drainMs: 30_000})
    expect(result).toMatchObject({error: {id: 'DRAIN_FORBIDDEN'}, exitCode: 3})
    expect([statesOf(host), isCordoned(host), await recordOf(host)]).toEqual([running(), false, undefined])
    host.edit((world) => {
      world.cluster.permissions = permissions
      nodeObject(world)!.unschedulable = true
    })
    expect((await recoverOn(host.dir)).result.exitCode).toBe(0)
    expect(isCordoned(host)).toBe(true)
  })

  test.each(['stop', 'restart'])(
    'a %s whose drain takes too long: a repair by watch leaves the node cordoned',
    async (command) => {
      const host = node()
      host.edit(({cluster}) => (cluster.pods = [podOf({finalizers: ['example.com/x']})]))
      expect((await daemonsOn(host.dir, command, {drainMs: 30_000})).result.exitCode).toBe(6)
      const before = await recordOf(host)
      // As after every Service that was deleted: the load balancers are compared.
      expect(await repairOn(host.dir, {steps: ['kubeproxy-service']})).toMatchObject({changed: 0, exitCode: 0})
      expect([isCordoned(host), await recordOf(host)]).toEqual([true, before])
      await done(host, 'start')
      expect(isCordoned(host)).toBe(false)
    },
  )

  test('a restart that was killed is completed by a repair by watch, with its cordon', async () => {
    const host = node()
    const stop = new AbortController()
    await daemonsOn(host.dir, 'restart', {
      before: ({what}) => void (what === 'startService' && stop.abort(new InterruptedError())),
      drainMs: 60_000,
      signal: stop.signal,
    })
    expect(isCordoned(host)).toBe(true)
    expect((await repairOn(host.dir)).exitCode).toBe(0)
    expect([isCordoned(host), statesOf(host), await recordOf(host)]).toEqual([false, running(), undefined])
  })
})

describe('reset --purge', () => {
  test('removes the logs of these commands, too', async () => {
    const host = node()
    for (const command of ['stop', 'start', 'restart']) await done(host, command)
    expect(host.list(String.raw`k\logs\k8s-win`).join(' ')).toMatch(/restart-.* start-.* stop-/)
    const {result, warnings} = await resetOn(host.dir, {given: {purge: true}})
    expect([result.exitCode, warnings.filter((text) => text.includes('not created by k8s-win'))]).toEqual([0, []])
    expect(host.has(String.raw`k\logs`)).toBe(false)
  })
})

describe('containerd', () => {
  test('is stopped by its name and with --yes only, and its pods are named', async () => {
    const host = await nodeWithPod()
    const {result} = await daemonsOn(host.dir, 'stop containerd')
    expect(result).toMatchObject({error: {id: 'PODS_WOULD_END'}, exitCode: 2})
    expect(result.error?.cause).toContain('default/web')
    expect([statesOf(host, ALL), await recordOf(host)]).toEqual([running(ALL), undefined])
    await done(host, 'stop containerd', {yes: true})
    expect(statesOf(host, ['containerd'])).toEqual(['stopped'])
    expect((await done(host, 'stop containerd')).recap.changed).toBe(0)
    // Without a name, too: the others need it.
    await done(host, 'start')
    expect([statesOf(host, ALL), await recordOf(host)]).toEqual([running(ALL), undefined])
  })

  test('where no pod runs nothing is asked', async () => {
    const host = node()
    const {steps} = await done(host, 'stop containerd')
    expect(statesOf(host, ['containerd'])).toEqual(['stopped'])
    expect(
      steps.flatMap(({changes}) => changes).filter((change) => change.startsWith('end what runs in containerd')),
    ).toEqual([])
  })

  test.each(['stop', 'start', 'restart'])('Docker is refused: %s', async (command) => {
    const host = nodeOn('ws2019')
    const {result} = await daemonsOn(host.dir, `${command} containerd`, {yes: true})
    expect(result).toMatchObject({error: {id: 'RUNTIME_NOT_MANAGED'}, exitCode: 3})
    expect(host.world.services['docker']?.state).toBe('running')
  })
})

describe.each(['stop', 'start', 'restart'])('%s is refused', (command) => {
  test('without a node', async () => {
    const host = await HostFolder.fresh()
    expect((await daemonsOn(host.dir, command)).result).toMatchObject({error: {id: 'NO_NODE'}, exitCode: 9})
  })

  test.each<[string, (world: World) => void, string]>([
    ['to who is no administrator', ({os}) => void (os.administrator = false), 'NOT_ADMINISTRATOR'],
    ['on a copy', ({os}) => void (os.systemUuid = '564d1234-5678-9abc-def0-123456789abc'), 'NODE_IS_A_COPY'],
  ])('%s', async (_, edit, id) => {
    const host = node()
    host.edit(edit)
    expect((await daemonsOn(host.dir, command)).result).toMatchObject({error: {id}, exitCode: 3})
    expect([statesOf(host), await recordOf(host)]).toEqual([running(), undefined])
  })
})

test('a service that its failure actions are about to start stays stopped', async () => {
  const host = node()
  host.edit(({os, services}) => {
    const entry = services['kubelet']!
    Object.assign(entry, {exitCode: 1067, processId: 0, restartAt: os.time + 2000, stage: '', state: 'stopped'})
    delete entry.process
    delete entry.listening
  })
  await done(host, 'stop kubelet')
  const {machine} = await requestOn(host)
  await machine.clock.sleep(60_000)
  expect(statesOf(host, ['kubelet'])).toEqual(['stopped'])
})

test('what the last setup reported stays known', async () => {
  const host = node()
  await done(host, 'stop')
  await done(host, 'start')
  const {machine} = await requestOn(host)
  const result = JSON.parse((await machine.files.read(layoutOf(BASE).result))!.toString()) as Record<string, unknown>
  expect(result).toMatchObject({command: 'start', lastRun: {command: 'setup'}})
})
