// A node with containerd, changed behind our back: setup repairs exactly that, and containerd, whose stop ends the pods, is
// stopped only for its own program and configuration.
import {beforeAll, describe, expect, it, test} from 'vitest'
import type {StepResult} from '../../src/pipeline/run/events.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import type {ServiceEntry, World} from '../../src/simulator/world.js'
import {sample} from '../sample.js'
import {HostFolder} from '../steps/host-folder.js'
import {setupOn} from './in-process.js'

const PROFILE = 'ws2022-containerd'
const CONFLIST = String.raw`k\cni\config\10-flannel.conflist`
const IMAGE = 'mcr.microsoft.com/windows/nanoserver'
const ENDS_PODS = 'end what runs in containerd, of which the kubelet starts its pods again: default/web'

const setup = async (host: HostFolder, dryRun = false) => (await setupOn(host.dir, {}, {dryRun}, PROFILE)).result

let node = HostFolder.empty()
beforeAll(async () => {
  node = HostFolder.empty()
  await openSimulator({dir: node.dir, profile: PROFILE})
  node.edit(({cluster}) => (cluster.pods = [{name: 'web', namespace: 'default', node: 'win-1'}]))
  expect(await setup(node)).toMatchObject({exitCode: 0})
  // The kubelet starts the pod.
  expect(await setup(node)).toMatchObject({recap: {changed: 0}})
  expect(node.world.containerd.sandboxes.map(({name, state}) => [name, state])).toEqual([['web', 'SANDBOX_READY']])
})

const containerdOf = ({services}: World): ServiceEntry => {
  const entry = services['containerd']
  if (!entry) throw new Error('there is no service containerd')
  return entry
}
const changesConfig = (change: Partial<ServiceEntry['config']>) => (host: HostFolder) =>
  host.edit((world) => {
    const entry = containerdOf(world)
    entry.config = {...entry.config, ...change}
  })
const untags = (isGone: (tag: string) => boolean) => (host: HostFolder) =>
  host.edit(({containerd}) => {
    for (const image of containerd.images) image.tags = image.tags.filter((tag) => !isGone(tag))
    containerd.images = containerd.images.filter(({tags}) => tags.length > 0)
  })
const changedIn = (steps: readonly StepResult[]): string[] =>
  steps.filter(({state}) => state === 'changed' || state === 'would-change').map(({id}) => id)

type Drift = readonly [name: string, make: (host: HostFolder) => void, steps: readonly string[]]

/** Of the containerd that runs, and of its pods. */
const identityOf = ({world}: HostFolder): unknown => [
  containerdOf(world).startedAt,
  world.containerd.sandboxes.map(({id}) => id),
]

async function repair(host: HostFolder, steps: readonly string[]): Promise<readonly StepResult[]> {
  const result = await setup(host)
  expect({error: result.error, exitCode: result.exitCode}).toEqual({exitCode: 0})
  expect(changedIn(result.steps)).toEqual(steps)
  expect((await setup(host)).recap).toMatchObject({changed: 0})
  return result.steps
}

const FILES = {
  crictl: String.raw`k\containerd\bin\crictl.exe`,
  crictlConfig: String.raw`k\containerd\crictl.yaml`,
  ctr: String.raw`k\containerd\bin\ctr.exe`,
}

/** Several at once: each belongs to a step of its own, and no other step changes anything. */
describe('is repaired while containerd and the pods continue', () => {
  it.each<readonly [names: string, makes: readonly Drift['1'][], steps: readonly string[]]>(
    sample(
      [
        [
          'crictl.yaml changed, another start type, the sandbox image removed',
          [
            (host) => host.put(FILES.crictlConfig, 'timeout: x\n'),
            changesConfig({startType: 'demand'}),
            untags((tag) => tag.includes('/pause:')),
          ],
          ['containerd-config', 'containerd-service', 'sandbox-image'],
        ],
        [
          'ctr.exe replaced, crictl.yaml removed, the tag latest removed, the CNI configuration removed',
          [
            (host) => host.put(FILES.ctr, 'MZ'),
            (host) => host.remove(FILES.crictlConfig),
            untags((tag) => tag === `${IMAGE}:latest`),
            (host) => host.remove(CONFLIST),
          ],
          ['containerd-binaries', 'containerd-config', 'base-images', 'cni-config', 'node-ready'],
        ],
        [
          'crictl.exe replaced, a base image removed, the CNI configuration changed',
          [
            (host) => host.put(FILES.crictl, 'MZ'),
            untags((tag) => tag.startsWith(IMAGE)),
            (host) => host.put(CONFLIST, '{}'),
          ],
          ['containerd-binaries', 'base-images', 'cni-config', 'node-ready'],
        ],
      ],
      2,
    ),
  )('%s', async (_, makes, steps) => {
    const host = node.copy()
    for (const make of makes) make(host)
    const before = identityOf(host)
    const plan = await setup(host, true)
    expect(changedIn(plan.steps)).toEqual(steps)
    expect(JSON.stringify(plan.steps)).not.toContain(ENDS_PODS)
    await repair(host, steps)
    expect(identityOf(host)).toEqual(before)
  })
})

describe('is repaired with a restart of containerd, and the plan says that the pods end', () => {
  it.each<Drift>(
    sample(
      [
        [
          'config.toml changed',
          (host) => host.append(String.raw`k\containerd\config.toml`, '# by hand\n'),
          ['containerd-config', 'containerd-service'],
        ],
        [
          'containerd.exe replaced',
          (host) => host.put(String.raw`k\containerd\bin\containerd.exe`, 'MZ'),
          ['containerd-binaries', 'containerd-service', 'kubelet-service'],
        ],
        [
          'another command line',
          (host) => changesConfig({imagePath: `${containerdOf(host.world).config.imagePath} --log-level debug`})(host),
          ['containerd-service'],
        ],
      ],
      2,
    ),
  )('%s', async (_, make, steps) => {
    const host = node.copy()
    make(host)
    const {startedAt} = containerdOf(host.world)
    const plan = await setup(host, true)
    expect(changedIn(plan.steps)).toEqual(steps)
    const done = await repair(host, steps)
    for (const all of [plan.steps, done]) {
      expect(all.flatMap(({changes}) => changes).filter((line) => line === ENDS_PODS)).toHaveLength(1)
    }
    expect(containerdOf(host.world).startedAt).toBeGreaterThan(startedAt)
    expect(host.world.containerd.sandboxes.map(({state}) => state)).toEqual(['SANDBOX_READY'])
  })
})

describe('whose CNI folder was removed', () => {
  const FOLDER = String.raw`k\cni\config`

  it('gets it back; containerd, which has exited, was restarted by itself', async () => {
    const host = node.copy()
    host.remove(FOLDER)
    const {clock} = await openSimulator({dir: host.dir, profile: PROFILE})
    await clock.sleep(10_000)
    await repair(host, ['cni-config', 'node-ready'])
  })

  it('gets it back, with a restart of a containerd before 2.1, which no longer watches it', async () => {
    const host = await HostFolder.fresh(undefined, PROFILE)
    const given = {'containerd-version': '1.7.25'}
    expect((await setupOn(host.dir, given, {}, PROFILE)).result).toMatchObject({exitCode: 0})
    host.remove(FOLDER)
    await repair(host, ['containerd-config', 'containerd-service', 'cni-config', 'node-ready'])
    expect(host.world.containerd).toMatchObject({running: true, version: 'v1.7.25'})
  })
})

test('a stopped containerd is started; without an answer of it the plan says what it assumes', async () => {
  const host = node.copy()
  const {clock, win32} = await openSimulator({dir: host.dir, profile: PROFILE})
  await win32.changeService('containerd', {failureActions: {resetAfterSeconds: 0, restartDelaysMs: []}})
  await win32.stopService('containerd')
  await clock.sleep(20_000)
  const {events} = await setupOn(host.dir, {}, {dryRun: true}, PROFILE)
  const warnings = events.flatMap((event) => (event.type === 'log' && event.level === 'warn' ? [event.message] : []))
  expect(warnings.join('\n')).toContain('containerd cannot be queried')
  await repair(host, ['containerd-service'])
})

test('a second CNI configuration is refused before anything is changed, also on a node that is set up', async () => {
  const host = node.copy()
  host.put(String.raw`k\cni\config\20-other.conflist`, '{}')
  const before = host.state
  const {error, exitCode} = await setup(host)
  expect({command: error?.command, exitCode, id: error?.id}).toEqual({
    command: String.raw`ren C:\k\cni\config\20-other.conflist 20-other.conflist.off`,
    exitCode: 3,
    id: 'OTHER_CNI_CONFIG',
  })
  expect(host.state).toEqual(before)
})

describe('policies of a pod', () => {
  const policiesOf = ({world}: HostFolder, pod: string): unknown => {
    const sandbox = world.containerd.sandboxes.find(({name}) => name === pod)
    const endpoint = world.hns.endpoints.find(({Name: name}) => name === `${sandbox?.id}_vxlan0`)
    return (endpoint?.['Policies'] as {Type: string}[] | undefined)?.filter(({Type: type}) => type !== 'PA')
  }

  it('are those of 10-flannel.conflist', () => {
    expect(policiesOf(node, 'web')).toEqual([
      {ExceptionList: ['10.244.0.0/16', '10.10.0.0/16'], Type: 'OutBoundNAT'},
      {DestinationPrefix: '10.10.0.0/16', NeedEncap: true, Type: 'ROUTE'},
    ])
  })

  it('in the form of HNS v1 have no effect, which only setup notices', async () => {
    const host = node.copy()
    const policy = {
      name: 'EndpointPolicy',
      value: {ExceptionList: ['10.244.0.0/16', '10.10.0.0/16'], Type: 'OutBoundNAT'},
    }
    const conflist = JSON.parse(host.read(CONFLIST)) as {plugins: {delegate: {policies: unknown[]}}[]}
    for (const {delegate} of conflist.plugins) delegate.policies = [policy, {name: 'EndpointPolicy', value: 'ROUTE'}]
    host.put(CONFLIST, JSON.stringify(conflist))
    host.edit(({cluster}) => cluster.pods?.push({name: 'api', namespace: 'default', node: 'win-1'}))
    const {clock} = await openSimulator({dir: host.dir, profile: PROFILE})
    await clock.sleep(60_000)
    expect(policiesOf(host, 'api')).toEqual([{Type: 'OutBoundNAT'}])
    await repair(host, ['cni-config'])
  })
})
