// run: a daemon in the foreground of a simulated console.
import {beforeAll, describe, expect, test} from 'vitest'
import {layoutOf} from '../../../src/config/layout.js'
import type {Machine} from '../../../src/machine/machine.js'
import {writeStopped} from '../../../src/runs/daemons/stopped.js'
import {openSimulator} from '../../../src/simulator/simulator.js'
import {schemaErrors} from '../../schemas.js'
import {nodeWithPod} from '../../fixtures/node-with-pod.js'
import {setupOn} from '../../setup/in-process.js'
import {statusOn} from '../../status/status-on.js'
import {HostFolder, profileOf} from '../../steps/host-folder.js'
import {CrashError, faultyMachine} from '../../fakes/faulty.js'
import {recoverOn} from '../recover-on.js'
import {halt} from '../../steps/drifts/services.js'
import {BASE_DIR, WatchedHost} from '../watch/watched-host.js'
import {daemonsOn, runOn} from './daemons-on.js'
import {turn} from '../../sample.js'

const PROFILES = ['ws2022-containerd', 'ws2019']
const FIRST: Readonly<Record<string, string>> = {
  flanneld: 'Installing signal handlers',
  kubelet: 'Starting kubelet main sync loop',
  'kube-proxy': 'I',
}
const {stopped} = layoutOf(BASE_DIR)

const nodes = new Map<string, HostFolder>()
const nodeOn = (profile: string): HostFolder => nodes.get(profile)!.copy()
const node = (): HostFolder => nodeOn('ws2022-containerd')
beforeAll(async () => {
  for (const profile of PROFILES) {
    const host = HostFolder.empty()
    expect((await setupOn(host.dir, {}, {}, profile)).result.error).toBeUndefined()
    nodes.set(profile, host)
  }
})

const stateOf = ({world}: HostFolder, name: string): unknown => world.services[name]?.state
const serviceOf = (name: string): string => (name === 'kube-proxy' ? 'kubeproxy' : name)
const statusOf = async (host: HostFolder) => (await statusOn(host.dir, {profile: profileOf(host.dir)})).document
const hasRecord = async ({dir}: HostFolder): Promise<boolean> =>
  (await (await openSimulator({dir, profile: profileOf(dir)})).files.status(stopped)) !== undefined

describe.each(PROFILES)('on %s', (profile) => {
  test.each(turn(Object.keys(FIRST), PROFILES.indexOf(profile), 2))(
    '%s prints to the console until Ctrl-C, and its service runs again',
    async (name) => {
      const host = nodeOn(profile)
      const logs = host.list(`k\\logs\\${serviceOf(name)}`)
      let seen: unknown
      const {printed, result} = await runOn(host.dir, name, {
        until: FIRST[name]!,
        wrap: (machine) => ({
          ...machine,
          run: async (program, args, options) => {
            if (options.foreground) seen = {args, service: stateOf(host, serviceOf(name))}
            return machine.run(program, args, options)
          },
        }),
      })
      expect(result.error).toBeUndefined()
      expect([result.exitCode, result.outcome]).toEqual([0, 'done'])
      expect(schemaErrors('result', result)).toEqual([])
      expect(printed).toContain(FIRST[name])
      expect(seen).toMatchObject({service: 'stopped'})
      const {args} = seen as {args: string[]}
      expect(args.filter((arg) => /windows-service|log-?(?:dir|file)|logtostderr/.test(arg))).toEqual([])
      expect(args.some((arg) => arg.includes('kubeconfig'))).toBe(true)
      expect([stateOf(host, serviceOf(name)), await hasRecord(host)]).toEqual(['running', false])
      expect(await statusOf(host)).toMatchObject({problems: [], verdict: 'healthy'})
      expect(host.list(`k\\logs\\${serviceOf(name)}`).length).toBeGreaterThanOrEqual(logs.length)
    },
  )
})

test('containerd ends the pods, so it needs --yes', async () => {
  const host = await nodeWithPod()
  expect((await runOn(host.dir, 'containerd')).result).toMatchObject({error: {id: 'PODS_WOULD_END'}, exitCode: 2})
  expect([stateOf(host, 'containerd'), await hasRecord(host)]).toEqual(['running', false])
  const {printed, result} = await runOn(host.dir, 'containerd', {until: 'starting containerd', yes: true})
  expect(result.error).toBeUndefined()
  expect(printed).toContain('starting containerd')
  expect(await statusOf(host)).toMatchObject({problems: [], verdict: 'healthy'})
})

test('Docker is refused', async () => {
  const {result} = await runOn(nodeOn('ws2019').dir, 'containerd', {yes: true})
  expect(result).toMatchObject({error: {id: 'RUNTIME_NOT_MANAGED'}, exitCode: 3})
})

test('without a node it is refused', async () => {
  const {result} = await runOn((await HostFolder.fresh()).dir, 'kubelet')
  expect(result).toMatchObject({error: {id: 'NO_NODE'}, exitCode: 9})
})

test.each<[string, string[], string]>([
  ['kubelet', ['--no-such-flag=1'], 'UNKNOWN_SETTING'],
  ['kubelet', ['--windows-service'], 'SERVICE_FLAG'],
  ['kube-proxy', ['--log-dir=c:\\logs'], 'SERVICE_FLAG'],
  ['containerd', ['--service-name=x'], 'UNKNOWN_SETTING'],
])('a flag that cannot be given is refused before anything is stopped: %s %s', async (name, extra, id) => {
  const host = node()
  const {result} = await runOn(host.dir, name, {extra, yes: true})
  expect(result).toMatchObject({error: {id}, exitCode: 2})
  expect([stateOf(host, serviceOf(name)), await hasRecord(host)]).toEqual(['running', false])
})

test('a flanneld whose flags k8s-win does not know is asked before it is stopped', async () => {
  const host = HostFolder.empty()
  const other = {digest: [`flanneld=sha256:${'8'.repeat(64)}`], 'flannel-version': '0.28.8'}
  expect((await setupOn(host.dir, other, {}, 'ws2022-containerd')).result.error).toBeUndefined()
  const {processId} = host.world.services['flanneld']!
  const {result} = await runOn(host.dir, 'flanneld', {extra: ['--no-such-flag=1']})
  expect(result).toMatchObject({error: {id: 'FLAG_UNKNOWN'}, exitCode: 3})
  expect([host.world.services['flanneld']?.processId, await hasRecord(host)]).toEqual([processId, false])
})

test('a flag that is given replaces the one of the service', async () => {
  const host = node()
  let args: readonly string[] = []
  await runOn(host.dir, 'kubelet', {
    extra: ['--v=6'],
    until: FIRST['kubelet']!,
    wrap: (machine) => ({
      ...machine,
      run: async (program, given, options) => {
        if (options.foreground) args = given
        return machine.run(program, given, options)
      },
    }),
  })
  expect(args.filter((arg) => arg.startsWith('--v='))).toEqual(['--v=6'])
})

test('a daemon that ends by itself is reported, and its service runs again', async () => {
  const host = node()
  const {printed, result} = await runOn(host.dir, 'kubelet', {extra: ['--config=C:\\none.yaml']})
  expect(result).toMatchObject({error: {id: 'DAEMON_EXITED'}, exitCode: 5})
  expect(printed).toContain('none.yaml')
  expect([stateOf(host, 'kubelet'), await hasRecord(host)]).toEqual(['running', false])
})

test('what stop has stopped stays stopped', async () => {
  const host = node()
  await daemonsOn(host.dir, 'stop kubelet')
  const {result} = await runOn(host.dir, 'kubelet', {until: FIRST['kubelet']!})
  expect(result.error).toBeUndefined()
  expect(stateOf(host, 'kubelet')).toBe('stopped')
  expect(await statusOf(host)).toMatchObject({paused: {stopped: ['kubelet']}})
})

/** What a kill leaves while the daemon runs; Windows frees the lock. */
async function killed(): Promise<HostFolder> {
  const host = node()
  const isForeground = ({via, what}: {via: string; what: string}): boolean =>
    via === 'run' && what.endsWith('\\kubelet.exe')
  const wrap = (machine: Machine) => faultyMachine(machine, [{at: isForeground, does: 'crash', when: 'before'}])
  await expect(runOn(host.dir, 'kubelet', {wrap})).rejects.toThrow(CrashError)
  expect([stateOf(host, 'kubelet'), await hasRecord(host)]).toEqual(['stopped', true])
  return host.copy()
}

test.each([
  ['recover', (host: HostFolder) => recoverOn(host.dir)],
  ['setup', (host: HostFolder) => setupOn(host.dir)],
  ['start', (host: HostFolder) => daemonsOn(host.dir, 'start')],
  ['restart', (host: HostFolder) => daemonsOn(host.dir, 'restart kubelet')],
  ['run', (host: HostFolder) => runOn(host.dir, 'kubelet', {until: FIRST['kubelet']!})],
])('the service runs again after a kill and %s', async (_, run) => {
  const host = await killed()
  expect(await statusOf(host)).not.toHaveProperty('paused')
  expect((await run(host)).result.error).toBeUndefined()
  expect([stateOf(host, 'kubelet'), await hasRecord(host)]).toEqual(['running', false])
})

test('the service runs again after a kill within a minute, where the node is watched', async () => {
  const host = await WatchedHost.setUp('ws2022-containerd')
  try {
    await host.pass(60_000)
    const {services} = host.world
    await writeStopped(host.machine.files, BASE_DIR, {
      cordoned: false,
      daemons: {kubelet: 'run'},
      since: host.machine.clock.now(),
    })
    halt(services['kubelet']!, host.world)
    services['kubelet']!.exitCode = 0
    await host.pass(60_000)
    expect([host.world.services['kubelet']?.state, host.state.verdict]).toEqual(['running', 'healthy'])
    expect(await hasRecord(host.folder)).toBe(false)
  } finally {
    await host.stop()
  }
})
