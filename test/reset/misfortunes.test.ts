// reset where something is in the way: what can go goes, what is left is listed, and running it again continues.
import {describe, expect, test} from 'vitest'
import {CrashError, type Fault, faultyMachine} from '../fakes/faulty.js'
import {interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {Win32Error} from '../../src/machine/win32.js'
import {InterruptedError} from '../../src/pipeline/run/to-user-error.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {setupOn} from '../setup/in-process.js'
import {SimulatedHost} from '../setup/simulated-host.js'
import {resetOn} from './reset-run.js'
import {setUpHost} from './set-up-host.js'
import {differences, wholeHost} from './whole-host.js'

const PURGE = {given: {purge: true}} as const
const {before, copy} = setUpHost()
const states = ({result}: Awaited<ReturnType<typeof resetOn>>): Record<string, string> =>
  Object.fromEntries(result.steps.map(({id, state}) => [id, state]))
const failing =
  (what: string, subject: string, error: Error) =>
  (machine: Machine): Machine =>
    faultyMachine(machine, [
      {at: (effect) => effect.what === what && effect.args[0] === subject, does: error, when: 'before'},
    ])

describe('a service', () => {
  test('that cannot be deleted is listed with exit code 7, and the rest goes; again, and it is done', async () => {
    const host = copy()
    const wrap = failing('deleteService', 'flanneld', new Win32Error('DeleteService', 5, 'flanneld'))
    const end = await resetOn(host.dir, {...PURGE, wrap})
    expect(end.result).toMatchObject({
      changesPending: true,
      error: {id: 'RESET_INCOMPLETE'},
      exitCode: 7,
      outcome: 'failed',
      recap: {failed: 1},
    })
    expect(end.result.error?.cause).toContain('flanneld-service ("Remove the service flanneld")')
    expect(end.result.errors?.map(({id}) => id)).toEqual(['RESET_INCOMPLETE', 'SERVICE_REFUSED'])
    expect(states(end)).toMatchObject({
      'flanneld-service': 'failed',
      'kubelet-service': 'changed',
      'kubernetes-binaries': 'changed',
      records: 'not-run',
    })
    expect(Object.keys(host.world.services)).toContain('flanneld')
    expect((await resetOn(host.dir, PURGE)).result).toMatchObject({exitCode: 0})
    expect(differences(before(), wholeHost(host))).toEqual([])
  })

  test('that does not stop keeps what it needs, and what needs it; the rest goes', async () => {
    const host = copy()
    const wrap = failing('stopService', 'kubelet', new Win32Error('ControlService', 1052, 'kubelet'))
    const end = await resetOn(host.dir, {...PURGE, wrap})
    expect(end.result.exitCode).toBe(7)
    expect(end.result.errors?.[1]).toMatchObject({id: 'SERVICE_WILL_NOT_STOP'})
    expect(states(end)).toMatchObject({
      containers: 'not-run',
      daemons: 'failed',
      'kubelet-service': 'not-run',
      'kubernetes-binaries': 'not-run',
      'machine-environment': 'changed',
      'node-registered': 'not-run',
      'overlay-network': 'not-run',
      records: 'not-run',
    })
    expect(host.world.services.kubelet?.state).toBe('running')
    expect((await resetOn(host.dir, PURGE)).result).toMatchObject({exitCode: 0})
    expect(differences(before(), wholeHost(host))).toEqual([])
  })
})

describe('Docker', () => {
  test('review U6: that is stopped keeps containers and images only; when it runs again they go', async () => {
    const host = copy()
    host.edit(({docker, services}) => {
      docker.running = false
      if (services.docker) services.docker.state = 'stopped'
    })
    const end = await resetOn(host.dir, PURGE)
    expect(end.result.exitCode).toBe(7)
    // Three steps fail with it; once is enough.
    expect(end.result.errors?.map(({id}) => id)).toEqual(['RESET_INCOMPLETE', 'DOCKER_STOPPED'])
    expect(states(end)).toMatchObject({
      'base-images': 'failed',
      containers: 'failed',
      'kubelet-service': 'changed',
      'overlay-network': 'changed',
      'pause-image': 'failed',
    })
    host.edit(({docker, services}) => {
      docker.running = true
      if (services.docker) services.docker.state = 'running'
    })
    expect((await resetOn(host.dir, PURGE)).result).toMatchObject({exitCode: 0})
    expect(differences(before(), wholeHost(host)).filter((line) => !line.includes('services > docker'))).toEqual([])
  })

  test('that is not there any more keeps nothing', async () => {
    const host = copy()
    host.edit(({docker, services}) => {
      docker.running = false
      delete services.docker
    })
    const {result, warnings} = await resetOn(host.dir, PURGE)
    expect(result.exitCode).toBe(0)
    expect(warnings.join()).toContain('Docker is no longer installed on this host')
    expect(host.has(String.raw`k\k8s-win`)).toBe(false)
  })
})

test('a host that loses its address with the switch gets it back', async () => {
  const host = copy()
  host.edit(({os}) => (os.vswitch = {...os.vswitch, losesAddress: true}))
  expect((await resetOn(host.dir, PURGE)).result).toMatchObject({exitCode: 0})
  host.edit(({adapters, routes}) => {
    expect(adapters[0]).toMatchObject({addresses: [{address: '10.0.0.5'}], dhcp: false, dnsServers: ['10.0.0.2']})
    expect(routes).toContainEqual(expect.objectContaining({destination: '0.0.0.0/0', nextHop: '10.0.0.1'}))
  })
})

test("and where nothing can be set, it is reported with the way to get it back, by its adapter's own name", async () => {
  const host = copy()
  const {adapters, routes} = (await SimulatedHost.make()).world
  host.edit(({os}) => (os.vswitch = {...os.vswitch, losesAddress: true, refusesSettings: true}))
  const end = await resetOn(host.dir, PURGE)
  expect(end.result.exitCode).toBe(7)
  expect(end.result.errors?.[1]).toMatchObject({id: 'NETWORK_NOT_RESTORED'})
  expect(end.result.errors?.[1]?.fix).toContain(
    'netsh interface ipv4 set address name=Ethernet0 source=static address=10.0.0.5',
  )
  expect(states(end)).toMatchObject({'kubelet-service': 'changed', 'overlay-network': 'failed'})
  host.edit((world) => Object.assign(world, {adapters, routes}))
  expect((await resetOn(host.dir, PURGE)).result).toMatchObject({exitCode: 0})
  expect(differences(before(), wholeHost(host))).toEqual([])
})

describe('a setup that died', () => {
  test.each([
    ['before its first file', 3],
    ['while it downloads', 25],
    ['among its files', 60],
    ['at its services', 90],
    ['at its networks', 110],
  ])('%s is taken apart, and a second reset finds nothing', async (_, nth) => {
    const host = await SimulatedHost.make()
    const fresh = wholeHost(host)
    let count = 0
    const at: Fault['at'] = ({kind}) => kind === 'change' && ++count === nth
    await setupOn(
      host.dir,
      {},
      {wrap: (machine) => faultyMachine(machine, [{at, does: 'crash', when: 'after'}])},
    ).catch((error: unknown) => expect(error).toBeInstanceOf(CrashError))
    expect(count).toBeGreaterThanOrEqual(nth)
    const end = await resetOn(host.dir, PURGE)
    expect(end.result.errors).toBeUndefined()
    expect(differences(fresh, wholeHost(host))).toEqual([])
    expect((await resetOn(host.dir, PURGE)).result).toMatchObject({exitCode: 0, recap: {changed: 0}})
  })
})

test('of a base directory that the node has left is refused: first it goes from where it is', async () => {
  const host = copy()
  host.edit(({services}) => {
    for (const name of ['kubelet', 'flanneld', 'kubeproxy']) {
      const service = services[name]
      if (service)
        service.config = {...service.config, imagePath: service.config.imagePath.replaceAll('C:\\k\\', 'C:\\k 2\\')}
    }
  })
  const at = wholeHost(host)
  const {result} = await resetOn(host.dir, PURGE)
  expect(result).toMatchObject({error: {id: 'NODE_ELSEWHERE'}, exitCode: 3})
  expect(result.error?.fix).toContain(String.raw`--base-dir "C:\k 2"`)
  expect(Object.keys(host.world.services)).toEqual(expect.arrayContaining(['kubelet', 'flanneld', 'kubeproxy']))
  expect(differences(at, wholeHost(host)).filter((line) => !/k8s-win/.test(line))).toEqual([])
})

test('a user who is not an administrator is refused, and nothing is changed', async () => {
  const host = copy()
  host.edit(({os}) => (os.administrator = false))
  const at = wholeHost(host)
  const {result} = await resetOn(host.dir)
  expect(result).toMatchObject({error: {id: 'NOT_ADMINISTRATOR'}, exitCode: 3, steps: []})
  expect(differences(at, wholeHost(host))).toEqual([])
})

test('while another run holds the lock nothing is done', async () => {
  const host = copy()
  const other = await openSimulator({dir: host.dir, profile: 'ws2019'})
  const release = await other.win32.takeMutex(String.raw`Global\k8s-win`)
  expect((await resetOn(host.dir)).result).toMatchObject({error: {id: 'LOCK_HELD'}, exitCode: 11})
  await release?.()
  expect((await resetOn(host.dir)).result.exitCode).toBe(0)
})

test('Ctrl-C ends it after the operation that is under way, with 130, and the next reset continues', async () => {
  const host = copy()
  const abort = new AbortController()
  const wrap = (machine: Machine): Machine =>
    interceptMachine(machine, async ({args, what}, perform) => {
      if (what === 'deleteService' && args[0] === 'flanneld') abort.abort(new InterruptedError())
      return perform()
    })
  const end = await resetOn(host.dir, {...PURGE, signal: abort.signal, wrap})
  expect(end.result).toMatchObject({error: {id: 'INTERRUPTED'}, exitCode: 130, outcome: 'interrupted'})
  expect(states(end)).toMatchObject({'kubelet-service': 'not-run', 'kubeproxy-service': 'changed'})
  expect((await resetOn(host.dir, PURGE)).result.exitCode).toBe(0)
  expect(differences(before(), wholeHost(host))).toEqual([])
})

test('--timeout ends it with 6', async () => {
  const host = copy()
  const {result} = await resetOn(host.dir, {given: {timeout: '2s'}})
  expect(result).toMatchObject({error: {id: 'TIMEOUT_PASSED'}, exitCode: 6})
  expect((await resetOn(host.dir)).result.exitCode).toBe(0)
})
