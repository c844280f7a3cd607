// Services: every difference is seen, what differs is changed, and stopping and deleting wait for the end.
import {describe, expect, it, test} from 'vitest'

import {openServices, OWNERSHIP_MARK, type ServiceSpec} from '../../../src/host/services/services.js'
import type {ServiceConfig} from '../../../src/machine/win32.js'
import {handClock} from '../../fakes/hand-clock.js'
import {type FakeService, serviceManager} from '../../fakes/service-manager.js'

const SPEC: ServiceSpec = {
  command: [String.raw`C:\k\my node\kubelet.exe`, '--v=2', 'a b'],
  description: 'Kubernetes node agent.',
  environment: {NODE_NAME: 'win-1', X: '1'},
  name: 'kubelet',
}
const CONFIG: ServiceConfig = {
  account: 'LocalSystem',
  dependencies: [],
  description: `Kubernetes node agent. ${OWNERSHIP_MARK}`,
  displayName: 'kubelet',
  failureActions: {resetAfterSeconds: 86_400, restartDelaysMs: [5000, 10_000, 30_000]},
  failureFlag: true,
  imagePath: String.raw`"C:\k\my node\kubelet.exe" --v=2 "a b"`,
  startType: 'automatic',
}
const ENVIRONMENT = String.raw`SYSTEM\CurrentControlSet\Services\kubelet\Environment`
const {signal} = new AbortController()

function open(start: Readonly<Record<string, FakeService>> = {}, environment: string[] = ['NODE_NAME=win-1', 'X=1']) {
  const manager = serviceManager(start)
  manager.registry.set(ENVIRONMENT, {data: environment, type: 'REG_MULTI_SZ'})
  const clock = handClock()
  return {...manager, clock, host: openServices(manager.win32, clock)}
}

const kubelet = (part: Partial<FakeService> = {}): {kubelet: FakeService} => ({
  kubelet: {config: CONFIG, state: 'stopped', ...part},
})

describe('a variable whose value is not known', () => {
  const unknown = {...SPEC, environment: {HTTPS_PROXY: undefined, NODE_NAME: 'win-1', NO_PROXY: undefined}}
  const has = ['NODE_NAME=win-1', 'HTTPS_PROXY=http://proxy:3128']

  test('is no difference, whether the service has it or not', async () => {
    expect(await open(kubelet(), has).host.compare(unknown)).toEqual([])
  })

  test('stays as the service has it when another one changes', async () => {
    const manager = open(kubelet(), has)
    await manager.host.ensure({...unknown, environment: {...unknown.environment, NODE_NAME: 'win-2'}}, signal)
    expect(manager.registry.get(ENVIRONMENT)?.data).toEqual(['HTTPS_PROXY=http://proxy:3128', 'NODE_NAME=win-2'])
  })

  test('is none for a new service', async () => {
    const manager = open({}, [])
    await manager.host.ensure(unknown, signal)
    expect(manager.registry.get(ENVIRONMENT)?.data).toEqual(['NODE_NAME=win-1'])
  })

  test('is shown with what the service has', async () => {
    const {host} = open(kubelet(), has)
    expect(await host.environment(unknown)).toEqual({HTTPS_PROXY: 'http://proxy:3128', NODE_NAME: 'win-1'})
  })
})

describe('compare', () => {
  it('sees nothing where all is as wanted, whatever the order of its fields', async () => {
    expect(await open(kubelet()).host.compare(SPEC)).toEqual([])
    const {resetAfterSeconds, restartDelaysMs} = CONFIG.failureActions
    const config = {...CONFIG, failureActions: {restartDelaysMs, resetAfterSeconds}}
    expect(await open(kubelet({config})).host.compare(SPEC)).toEqual([])
    expect(await open(kubelet(), ['X=1', 'NODE_NAME=win-1']).host.compare(SPEC)).toEqual([])
  })

  it('sees that there is none', async () => {
    expect(await open().host.compare(SPEC)).toBe('absent')
  })

  it.each([
    {account: String.raw`NT AUTHORITY\LocalService`},
    {dependencies: ['docker']},
    {description: 'Kubernetes node agent.'},
    {displayName: 'Kubelet'},
    {failureActions: {...CONFIG.failureActions, resetAfterSeconds: 0}},
    {failureActions: {...CONFIG.failureActions, restartDelaysMs: [5000]}},
    {failureFlag: false},
    {imagePath: String.raw`C:\k\my node\kubelet.exe --v=2 "a b"`},
    {startType: 'demand'},
  ] as Partial<ServiceConfig>[])('sees %o', async (part) => {
    const seen = await open(kubelet({config: {...CONFIG, ...part}})).host.compare(SPEC)
    expect(seen).toHaveLength(1)
    expect(seen[0]).toMatch(new RegExp(`^${String(Object.keys(part)[0])} is .*, wanted `))
  })

  it.each([[[]], [['NODE_NAME=win-1']], [['NODE_NAME=win-2', 'X=1']], [['NODE_NAME=win-1', 'X=1', 'Y=1']]])(
    'sees the environment %o',
    async (environment) => {
      const seen = await open(kubelet(), environment).host.compare(SPEC)
      expect(seen).toHaveLength(1)
      expect(seen[0]).toMatch(/^environment is /)
    },
  )
})

test('review P3-5: what differs is in words, not in JSON', async () => {
  const config = {
    ...CONFIG,
    dependencies: ['docker', 'nsi'],
    failureActions: {resetAfterSeconds: 0, restartDelaysMs: []},
  }
  const seen = await open(kubelet({config}), ['A=b']).host.compare(SPEC)
  expect(seen).toHaveLength(3)
  expect([...seen].join('\n')).toContain('dependencies is docker, nsi, wanted ')
  expect([...seen].join('\n')).toContain('environment is A=b, wanted NODE_NAME=win-1, X=1')
  expect([...seen].join('\n')).not.toMatch(/["[\]{}]/)
})

describe('ensure', () => {
  it('makes nothing where a variable could not be passed on', async () => {
    const {calls, host} = open()
    await expect(host.ensure({...SPEC, environment: {A: 'b\0C=d'}}, signal)).rejects.toBeInstanceOf(TypeError)
    expect(calls).toEqual([])
  })

  it('creates it with its environment', async () => {
    const {calls, host, registry, services} = open({}, [])
    await host.ensure(SPEC, signal)
    expect(services.get('kubelet')?.config).toEqual(CONFIG)
    expect(registry.get(ENVIRONMENT)).toEqual({data: ['NODE_NAME=win-1', 'X=1'], type: 'REG_MULTI_SZ'})
    expect(calls).toEqual(['create kubelet', `set ${ENVIRONMENT}`])
    expect(await host.compare(SPEC)).toEqual([])
    expect(await host.isOurs('kubelet')).toBe(true)
    expect(await host.imagePath('kubelet')).toBe(CONFIG.imagePath)
  })

  it('changes one that is there, and leaves an environment that is right', async () => {
    const {calls, host} = open(kubelet({config: {...CONFIG, startType: 'disabled'}}))
    await host.ensure(SPEC, signal)
    expect(calls).toEqual(['change kubelet'])
    expect(await host.compare(SPEC)).toEqual([])
  })

  it('creates one that is gone between the query and the change', async () => {
    const {calls, clock, win32} = open(kubelet({config: {...CONFIG, startType: 'demand'}}))
    const changeService = async (name: string, config: Partial<ServiceConfig>): Promise<void> => {
      await win32.deleteService(name)
      expect(await win32.queryServiceStatus(name)).toBeUndefined()
      return win32.changeService(name, config)
    }
    await openServices({...win32, changeService}, clock).ensure(SPEC, signal)
    expect(calls).toContain('create kubelet')
  })

  it('waits until one that is marked for deletion is gone, then creates it', async () => {
    const {calls, clock, host} = open(kubelet({heldFor: 10, markedForDeletion: true}))
    await host.ensure(SPEC, signal)
    expect(calls).toEqual(['change kubelet', 'create kubelet'])
    expect(clock.now()).toBeGreaterThan(1000)
  })

  it('gives up after a minute on one that something holds', async () => {
    const {clock, host} = open(kubelet({heldFor: 1e6, markedForDeletion: true}))
    await expect(host.ensure(SPEC, signal)).rejects.toMatchObject({code: 1072})
    expect(clock.now()).toBe(60_000)
  })
})

describe('stop', () => {
  const chain = (state: FakeService['state']): Record<string, FakeService> => ({
    flanneld: {config: {...CONFIG, dependencies: ['kubelet']}, state, stopsAfter: 3},
    kubelet: {config: CONFIG, state, stopsAfter: 3},
    kubeproxy: {config: {...CONFIG, dependencies: ['flanneld']}, state, stopsAfter: 3},
  })

  it('stops what depends on it first, one after another', async () => {
    const {calls, host, services} = open(chain('running'))
    await host.stop('kubelet', signal)
    expect(calls).toEqual(['stop kubeproxy', 'stop flanneld', 'stop kubelet'])
    expect([...services.values()].map(({state}) => state)).toEqual(['stopped', 'stopped', 'stopped'])
  })

  it('stops none that has stopped, is stopping, or is not there', async () => {
    for (const state of ['stopped', 'stop-pending'] as const) {
      const {calls, host} = open(chain(state))
      await host.stop('kubelet', signal)
      expect(calls).toEqual([])
    }

    await open().host.stop('kubelet', signal)
  })

  it('asks one that is starting until it listens', async () => {
    const {calls, host, services} = open(kubelet({state: 'start-pending'}))
    await host.stop('kubelet', signal)
    expect(services.get('kubelet')?.state).toBe('stopped')
    expect(calls.at(-1)).toBe('stop kubelet')
  })

  it('is content with a process that ended before it had answered', async () => {
    const {host, services} = open(kubelet({endsUnanswered: true, state: 'running'}))
    await host.stop('kubelet', signal)
    expect(services.get('kubelet')?.state).toBe('stopped')
  })

  it('waits for one whose handler returns too late, which stops all the same', async () => {
    const {calls, host, services} = open(kubelet({answersLate: true, state: 'running', stopsAfter: 3}))
    await host.stop('kubelet', signal)
    expect(services.get('kubelet')?.state).toBe('stopped')
    expect(calls).toEqual(['stop kubelet'])
  })

  it('says of one whose handler never returns that it does not stop', async () => {
    const {host} = open(kubelet({refusesToStop: 1053, state: 'running'}))
    await expect(host.stop('kubelet', signal)).rejects.toMatchObject({
      id: 'SERVICE_WILL_NOT_STOP',
      reason: '60 s after the stop request it is running.',
    })
  })

  it('gives up after a minute, or when it is aborted', async () => {
    const stubborn = open(kubelet({state: 'running', stopsAfter: 1e6}))
    await expect(stubborn.host.stop('kubelet', signal)).rejects.toMatchObject({
      id: 'SERVICE_WILL_NOT_STOP',
      reason: '60 s after the stop request it is stop-pending.',
    })
    expect(stubborn.clock.now()).toBe(60_000)
    const {host} = open(kubelet({state: 'running', stopsAfter: 1e6}))
    await expect(host.stop('kubelet', AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough')
  })

  it('says what to do about one that takes no stop requests', async () => {
    const {host} = open(kubelet({refusesToStop: 1052, state: 'running'}))
    await expect(host.stop('kubelet', signal)).rejects.toMatchObject({
      fix: expect.stringContaining('taskkill /F /PID') as string,
      id: 'SERVICE_WILL_NOT_STOP',
      reason: 'It does not accept stop requests (Windows error 1052).',
    })
  })

  it('stops a dependent again that came back in the meantime', async () => {
    const config = {...CONFIG, dependencies: ['kubelet']}
    const {calls, host, services} = open({
      flanneld: {config, state: 'running'},
      ...kubelet({revives: 'flanneld', state: 'running'}),
    })
    await host.stop('kubelet', signal)
    expect(calls).toEqual(['stop flanneld', 'stop kubelet', 'stop flanneld', 'stop kubelet'])
    expect([...services.values()].map(({state}) => state)).toEqual(['stopped', 'stopped'])
  })
})

describe('rest', () => {
  it('takes the failure actions off before it asks, also of what depends on it', async () => {
    const config = {...CONFIG, dependencies: ['kubelet']}
    const {calls, host, services} = open({flanneld: {config, state: 'running'}, ...kubelet({state: 'running'})})
    await host.rest('kubelet', signal)
    expect(calls).toEqual(['change flanneld', 'stop flanneld', 'change kubelet', 'stop kubelet'])
    for (const {config: rests} of services.values()) {
      expect(rests).toMatchObject({failureActions: {restartDelaysMs: []}, failureFlag: false})
    }
  })

  it('changes nothing of one without failure actions, and asks none that is not there', async () => {
    const failureActions = {resetAfterSeconds: 0, restartDelaysMs: []}
    const {calls, host} = open(kubelet({config: {...CONFIG, failureActions}, state: 'running'}))
    await host.rest('kubelet', signal)
    await host.rest('nobody', signal)
    expect(calls).toEqual(['stop kubelet'])
  })

  it('waits for one that has failed and is on its way back, and stops it', async () => {
    const {calls, clock, host, services} = open(kubelet({comesBackAfter: 20, exitCode: 1067}))
    await host.rest('kubelet', signal)
    expect(calls).toEqual(['change kubelet', 'stop kubelet'])
    expect(services.get('kubelet')?.state).toBe('stopped')
    expect(clock.now()).toBeLessThan(30_000)
  })

  it('waits no longer than its failure actions would have taken', async () => {
    const {clock, host} = open(kubelet({exitCode: 1067}))
    await host.rest('kubelet', signal)
    expect(clock.now()).toBe(31_000)
    const calm = open(kubelet({exitCode: 1077}))
    await calm.host.rest('kubelet', signal)
    expect(calm.clock.now()).toBe(0)
  })
})

describe("review N6: services that are not k8s-win's", () => {
  const foreign = (dependency: string, state: FakeService['state'] = 'running'): FakeService => ({
    config: {...CONFIG, dependencies: [dependency], description: 'Somebody’s agent', startType: 'demand'},
    state,
  })

  it.each(['rest', 'stop'] as const)(
    'are stopped before ours (%s) and started after it, and never changed',
    async (way) => {
      const agents = {agent: foreign('kubelet'), idle: foreign('kubelet', 'stopped'), probe: foreign('agent')}
      const before = Object.values(agents).map(({config}) => config)
      const {calls, host, services} = open({...agents, ...kubelet({state: 'running'})})
      await host[way]('kubelet', signal)
      expect(calls.filter((call) => !call.endsWith(' kubelet'))).toEqual(['stop probe', 'stop agent'])
      expect(host.stopped()).toEqual(['probe', 'agent'])
      await host.start('kubelet')
      expect(await host.startAgain([])).toEqual({failed: [], started: ['agent', 'probe']})
      expect(['agent', 'idle', 'probe'].map((name) => services.get(name)?.state)).toEqual([
        'running',
        'stopped',
        'running',
      ])
      expect(Object.keys(agents).map((name) => services.get(name)?.config)).toEqual(before)
      expect(await host.startAgain([])).toEqual({failed: [], started: []})
    },
  )

  it('wait for the one of k8s-win that they depend on, and those to be taken over are not started', async () => {
    const flanneld = {config: {...CONFIG, dependencies: ['kubelet']}, state: 'running'} as const
    const {host, services} = open({agent: foreign('flanneld'), flanneld, proxy: foreign('kubelet'), ...kubelet()})
    await host.rest('kubelet', signal)
    await host.start('kubelet')
    expect(await host.startAgain(['proxy'])).toEqual({failed: [], started: []})
    await host.start('flanneld')
    expect(await host.startAgain(['proxy'])).toEqual({failed: [], started: ['agent']})
    expect(services.get('proxy')?.state).toBe('stopped')
  })

  it('that do not start again are named', async () => {
    const {host, services} = open({agent: foreign('kubelet'), ...kubelet({state: 'running'})})
    await host.stop('kubelet', signal)
    services.delete('agent')
    expect(await host.startAgain([])).toEqual({failed: ['agent'], started: []})
  })
})

describe('remove', () => {
  it('stops again what was started while it was deleted', async () => {
    const {calls, host, services} = open(kubelet({startedOnDelete: true}))
    await host.remove('kubelet', signal)
    expect(calls).toEqual(['delete kubelet', 'stop kubelet'])
    expect(services.has('kubelet')).toBe(false)
  })

  it('stops it, deletes it, and waits until it is gone', async () => {
    const {calls, host, services} = open(kubelet({heldFor: 4, state: 'running'}))
    await host.remove('kubelet', signal)
    expect(calls).toEqual(['stop kubelet', 'delete kubelet'])
    expect(services.has('kubelet')).toBe(false)
  })

  it('is content with one that is gone between the query and the question for what depends on it', async () => {
    const {clock, services, win32} = open(kubelet({heldFor: 2, markedForDeletion: true}))
    const dependentServices = async (name: string): Promise<string[]> => {
      services.delete(name)
      return win32.dependentServices(name)
    }
    await openServices({...win32, dependentServices}, clock).remove('kubelet', signal)
    expect(services.has('kubelet')).toBe(false)
  })

  it('is content where there is none, and reports where it does not go', async () => {
    await open().host.remove('kubelet', signal)
    await expect(open(kubelet({heldFor: 1e6})).host.remove('kubelet', signal)).rejects.toMatchObject({code: 1072})
  })
})

it('start waits for one that a killed run has asked to stop', async () => {
  const {host, services} = open(kubelet({state: 'stop-pending', stopsAfter: 3}))
  await host.start('kubelet', signal)
  expect(services.get('kubelet')?.state).toBe('running')
})

it('start is content with one that runs, and reports any other refusal', async () => {
  await open(kubelet({state: 'running'})).host.start('kubelet')
  await expect(open().host.start('kubelet')).rejects.toMatchObject({code: 1060})
})

it("a service that something else made is not k8s-win's", async () => {
  const {host} = open(kubelet({config: {...CONFIG, description: 'Kubelet'}}))
  expect([await host.isOurs('kubelet'), await host.isOurs('nobody')]).toEqual([false, false])
})
