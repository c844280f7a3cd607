// recover and the container runtime: what would end pods is left to --yes, which names them, and the rest is repaired.
import {beforeAll, describe, expect, it} from 'vitest'
import {FITTING, hostWith} from '../fixtures/present-containerd.js'
import {nodeWithPod} from '../fixtures/node-with-pod.js'
import {setupOn} from '../setup/in-process.js'
import {statusOn} from '../status/status-on.js'
import {halt} from '../steps/drifts/services.js'
import {HostFolder} from '../steps/host-folder.js'
import type {ServiceEntry, World} from '../../src/simulator/world.js'
import {recoverOn} from './recover-on.js'

const PROFILE = 'ws2022-containerd'
const PROGRAM = String.raw`k\containerd\bin\containerd.exe`
const KEPT = 'RUNTIME_NOT_RESTARTED'

let node = HostFolder.empty()
beforeAll(async () => {
  node = await nodeWithPod()
})

const entryOf = ({services}: World, name: string): ServiceEntry => {
  const entry = services[name]
  if (!entry) throw new Error(`there is no service ${name}`)
  return entry
}
const hang = (world: World): void => {
  world.containerd.running = false
  entryOf(world, 'containerd').listening = []
}
const idsOf = async (host: HostFolder, yes: boolean): Promise<string[]> => {
  const {error, errors = error ? [error] : []} = (await recoverOn(host.dir, {yes})).result
  return errors.map(({id}) => id)
}
/** Of containerd, the kubelet and the pods. */
const runningIn = ({world}: HostFolder): unknown => [
  entryOf(world, 'containerd').processId,
  entryOf(world, 'kubelet').processId,
  world.containerd.sandboxes.map(({id, state}) => [id, state]),
]

describe('a containerd that hangs', () => {
  it('is left running, and the pods that its restart would end are named as the cluster lists them', async () => {
    const host = node.copy()
    host.edit(hang)
    const before = runningIn(host)
    const {result} = await recoverOn(host.dir)
    expect(result).toMatchObject({error: {command: 'k8s-win recover --yes', id: KEPT}, exitCode: 6})
    expect(result.error?.cause).toContain('default/web')
    expect(runningIn(host)).toEqual(before)
  })

  it('is restarted with --yes, and the run lists that the pods ended', async () => {
    const host = node.copy()
    host.edit(hang)
    const {result} = await recoverOn(host.dir, {yes: true})
    expect(result).toMatchObject({exitCode: 0})
    const changes = result.steps.flatMap((step) => step.changes)
    expect(changes.filter((change) => change.startsWith('end what runs in containerd'))).toHaveLength(1)
  })

  it('does not keep the rest from being repaired, and a kubelet that cannot start without it is named after it', async () => {
    const host = node.copy()
    host.edit((world) => {
      hang(world)
      for (const name of ['kubelet', 'flanneld', 'kubeproxy']) halt(entryOf(world, name), world)
    })
    expect((await idsOf(host, false))[0]).toBe(KEPT)
    for (const name of ['flanneld', 'kubeproxy']) expect(entryOf(host.world, name).state).toBe('running')
    expect(await idsOf(host, true)).toEqual([])
  })
})

describe('review R3-13: where no pod ends, nothing is asked', () => {
  const CONFIG = String.raw`k\containerd\config.toml`
  const withoutPods = (world: World): void => {
    world.containerd.sandboxes = []
    world.cluster.pods = []
  }

  it('a containerd that hangs without pods is restarted', async () => {
    const host = node.copy()
    host.edit((world) => {
      withoutPods(world)
      hang(world)
    })
    const {result} = await recoverOn(host.dir)
    expect(result.exitCode).toBe(0)
    expect(
      result.steps.flatMap(({changes}) => changes).filter((change) => change.startsWith('end what runs in containerd')),
    ).toEqual([])
  })

  it('a configuration that was broken and is restored, while containerd did not run', async () => {
    const host = node.copy()
    host.edit(withoutPods)
    host.put(CONFIG, 'nonsense = [')
    host.edit((world) => {
      const {process} = entryOf(world, 'containerd')
      if (process) process.childProcessId = 0
      hang(world)
    })
    expect(await idsOf(host, false)).toEqual([])
    expect(host.read(CONFIG)).toBe(node.read(CONFIG))
    expect((await statusOn(host.dir, {profile: PROFILE})).document.problems).toEqual([])
  })

  it('a process that has started since the files were written has read them', async () => {
    const host = node.copy()
    host.put(CONFIG, 'nonsense = [')
    expect(await idsOf(host, false)).toEqual([KEPT])
    const drifted = (await statusOn(host.dir, {profile: PROFILE})).document.problems
    expect(drifted.map(({subject}) => subject)).toEqual(['containerd-service'])
    // It ends, and shawl starts it again: its pods stay.
    host.edit((world) => {
      entryOf(world, 'containerd').startedAt += 60_000
    })
    expect((await statusOn(host.dir, {profile: PROFILE})).document.problems).toEqual([])
    const before = runningIn(host)
    expect(await idsOf(host, false)).toEqual([])
    expect(runningIn(host)).toEqual(before)
  })
})

describe('a dry run', () => {
  it.each([
    ['containerd hangs', PROFILE, KEPT, hang],
    ['Docker is stopped', 'ws2019', 'DOCKER_STOPPED', ({docker}: World) => void (docker.running = false)],
  ])('names the runtime and plans the rest where %s', async (_, profile, id, make) => {
    const host = profile === PROFILE ? node.copy() : await HostFolder.fresh(() => {}, profile)
    expect((await setupOn(host.dir, {}, {}, profile)).result.exitCode).toBe(0)
    host.edit((world) => {
      make(world)
      halt(entryOf(world, 'flanneld'), world)
    })
    const before = host.world
    const {result} = await recoverOn(host.dir, {dryRun: true})
    expect(result).toMatchObject({error: {id}, exitCode: 6})
    expect(result.steps.find((step) => step.id === 'flanneld-service')?.state).toBe('would-change')
    expect(host.world.services).toEqual(before.services)
  })
})

describe('a containerd.exe that was replaced', () => {
  it('stays while pods run, and is repaired with --yes', async () => {
    const host = node.copy()
    host.put(PROGRAM, 'MZ')
    const before = runningIn(host)
    expect(await idsOf(host, false)).toEqual([KEPT])
    expect(runningIn(host)).toEqual(before)
    expect(host.read(PROGRAM)).toBe('MZ')
    expect(await idsOf(host, true)).toEqual([])
    expect(host.read(PROGRAM)).toBe(node.read(PROGRAM))
  })

  it('is repaired without --yes while containerd is stopped', async () => {
    const host = node.copy()
    host.put(PROGRAM, 'MZ')
    host.edit((world) => halt(entryOf(world, 'containerd'), world))
    expect(await idsOf(host, false)).toEqual([])
    expect(host.read(PROGRAM)).toBe(node.read(PROGRAM))
  })
})

describe('a containerd that k8s-win did not install', () => {
  it.each([
    ['stopped', 'CONTAINERD_UNFIT', (world: World): void => halt(entryOf(world, 'containerd'), world)],
    ['hanging', 'CONTAINERD_STOPPED', hang],
  ])('is only named where it is %s, also with --yes', async (_, id, make) => {
    const [layout] = Object.values(FITTING)
    if (!layout) throw new Error('there is no layout')
    const host = await hostWith(layout)
    expect((await setupOn(host.dir)).result.exitCode).toBe(0)
    host.edit((world) => {
      make(world)
      halt(entryOf(world, 'flanneld'), world)
    })
    const before = entryOf(host.world, 'containerd').processId
    const {result} = await recoverOn(host.dir, {yes: true})
    expect(result).toMatchObject({error: {id}, exitCode: 6})
    expect(entryOf(host.world, 'containerd').processId).toBe(before)
    expect(entryOf(host.world, 'flanneld').state).toBe('running')
    host.discard()
  })
})
