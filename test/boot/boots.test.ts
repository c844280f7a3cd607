// A reboot needs no help: after each of these boots the node is what setup made of it, and nothing was run to help it.
import {afterAll, beforeAll, describe, expect, it, onTestFinished} from 'vitest'
import type {Machine} from '../../src/machine/machine.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import type {World} from '../../src/simulator/world.js'
import type {HostFolder} from '../steps/host-folder.js'
import {Rig} from '../steps/rig.js'
import {examine} from '../doctor/doctor-rig.js'
import {healthyNode, statusOn} from '../status/status-on.js'
import {type Boot, reboot} from './reboot.js'

const MINUTE = 60_000
const DAEMONS = ['kubelet', 'flanneld', 'kubeproxy'] as const
let whole: HostFolder

beforeAll(async () => {
  whole = await healthyNode()
}, 180_000)
afterAll(() => whole.discard())

function booted(boot: Boot = {}, change: (world: World) => void = () => {}): HostFolder {
  const host = whole.copy()
  onTestFinished(() => host.discard())
  host.edit((world) => {
    reboot(world, boot)
    change(world)
  })
  return host
}

const open = ({dir}: HostFolder): Promise<Machine> => openSimulator({dir, profile: 'ws2019'})
const isReady = ({world}: HostFolder): boolean | undefined =>
  world.cluster.nodes.find(({name}) => name === 'win-1')?.ready

/** Setup finds nothing to do. */
async function expectWhole(host: HostFolder): Promise<void> {
  expect(isReady(host)).toBe(true)
  const {error, results} = await (await Rig.open({dir: host.dir})).runAll()
  expect(error).toBeUndefined()
  expect(results.filter(({state}) => state !== 'in-place')).toEqual([])
}

describe('review W3: the node becomes Ready by itself', () => {
  it.each<[string, Boot, number]>([
    ['after a boot without trouble', {}, 3],
    ['with Docker ten minutes late', {lateMs: {docker: 10 * MINUTE}}, 13],
    ['with HNS five minutes late', {lateMs: {hns: 5 * MINUTE}}, 9],
    ['with Docker and HNS late', {lateMs: {docker: 4 * MINUTE, hns: 2 * MINUTE}}, 8],
  ])('%s', async (_, boot, minutes) => {
    const host = booted(boot)
    await (await open(host)).clock.sleep(minutes * MINUTE)
    await expectWhole(host)
  })

  it('with the API server twenty minutes late', async () => {
    const host = booted({}, ({cluster}) => void (cluster.reachable = false))
    await (await open(host)).clock.sleep(20 * MINUTE)
    expect(isReady(host)).toBe(false)
    host.edit(({cluster}) => void (cluster.reachable = true))
    await (await open(host)).clock.sleep(3 * MINUTE)
    await expectWhole(host)
  })

  it('with daemons that die at first', async () => {
    const host = booted()
    const machine = await open(host)
    for (let round = 0; round < 3; round++) {
      await machine.clock.sleep(20_000)
      for (const name of DAEMONS) await kill(machine, name)
    }
    await machine.clock.sleep(3 * MINUTE)
    await expectWhole(host)
  })

  it('but not with the dependencies that earlier versions gave the services', async () => {
    const needs: Record<(typeof DAEMONS)[number], string> = {
      flanneld: 'kubelet',
      kubelet: 'docker',
      kubeproxy: 'flanneld',
    }
    const before = whole.copy()
    onTestFinished(() => before.discard())
    before.edit(({services}) => {
      for (const name of DAEMONS) {
        const entry = services[name]
        if (entry) entry.config = {...entry.config, dependencies: [needs[name]]}
      }
    })
    before.edit((world) => reboot(world, {lateMs: {docker: 10 * MINUTE}}))
    await (await open(before)).clock.sleep(15 * MINUTE)
    expect(before.world.services['kubelet']).toMatchObject({exitCode: 1068, state: 'stopped'})
    expect(isReady(before)).toBe(false)
    const repaired = await (await Rig.open({dir: before.dir})).runAll()
    expect(repaired.error).toBeUndefined()
    expect(DAEMONS.map((name) => before.world.services[name]?.config.dependencies)).toEqual([[], [], []])
    before.edit((world) => reboot(world, {lateMs: {docker: 10 * MINUTE}}))
    await (await open(before)).clock.sleep(13 * MINUTE)
    await expectWhole(before)
  })
})

it('review W3: a Docker service that fails its start at boot is named as the cause', async () => {
  const host = booted({failing: ['docker']})
  await (await open(host)).clock.sleep(10 * MINUTE)
  const {document} = await statusOn(host.dir)
  expect(document.problems[0]).toMatchObject({area: 'runtime', subject: 'docker'})
  expect(host.world.services['docker']).toMatchObject({exitCode: 1053, state: 'stopped'})
  expect((await examine(host)).notable).toMatchObject({docker: 'fail'})
  host.edit(({services}) => {
    if (services['docker']) services['docker'].restartAt = 0
  })
  await (await open(host)).clock.sleep(3 * MINUTE)
  await expectWhole(host)
})

async function kill({run, win32}: Machine, name: string): Promise<void> {
  const processId = (await win32.queryServiceStatus(name))?.processId ?? 0
  if (processId === 0) return
  const args = ['/F', '/PID', String(processId)]
  await run(String.raw`C:\Windows\System32\taskkill.exe`, args, {deadlineMs: 10_000, effect: 'change'})
}
