// The loop beside people: a pause, and a run that holds the lock.
import {afterEach, expect, test} from 'vitest'
import {layoutOf} from '../../../src/config/layout.js'
import {takeLock} from '../../../src/runs/run-lock.js'
import {pauseWatch, resumeWatch} from '../../../src/runs/watch/pause.js'
import {sample} from '../../sample.js'
import {halt} from '../../steps/drifts/services.js'
import {WatchedHost} from './watched-host.js'

const MINUTE = 60_000

let host: WatchedHost
afterEach(() => host.stop())

async function withDeadKubelet(before: () => Promise<unknown>): Promise<void> {
  host = await WatchedHost.setUp()
  await host.pass(MINUTE / 2)
  await before()
  const {kubelet} = host.world.services
  halt(kubelet!, host.world)
  kubelet!.exitCode = 1067
}

const request = () => ({environment: {}, machine: host.machine, signal: new AbortController().signal})
const stateOf = (name: string) => host.world.services[name]?.state

test('nothing is repaired until the pause has ended by itself', async () => {
  await withDeadKubelet(() => pauseWatch({...request(), forMs: 10 * MINUTE}))
  await host.pass(9 * MINUTE)
  expect(host.repairs).toEqual([])
  expect(host.state).toMatchObject({troubles: [{component: 'kubelet'}], verdict: 'paused'})
  await host.pass(3 * MINUTE)
  expect(host.repairs).toMatchObject([{steps: ['kubelet-service']}])
  expect([stateOf('kubelet'), host.state.verdict]).toEqual(['running', 'healthy'])
})

test.each(sample([-4, -9, -24 * 60], 2))(
  'a clock that is set by %d minutes changes nothing in how long a pause lasts',
  async (jump) => {
    let offset = 0
    host = await WatchedHost.setUp()
    const {machine} = host
    host.machine = {...machine, clock: {...machine.clock, now: () => machine.clock.now() + offset}}
    await host.pass(MINUTE / 2)
    await pauseWatch({...request(), forMs: 10 * MINUTE})
    const {kubelet} = host.world.services
    halt(kubelet!, host.world)
    kubelet!.exitCode = 1067
    await host.pass(5 * MINUTE)
    offset = jump * MINUTE
    await host.pass(4 * MINUTE)
    expect([host.repairs, host.state.verdict]).toEqual([[], 'paused'])
    await host.pass(3 * MINUTE)
    expect([stateOf('kubelet'), host.state.verdict]).toEqual(['running', 'healthy'])
  },
)

test('a clock that was set back while nothing watched: the pause lasts for its own time from then on', async () => {
  let offset = 0
  host = await WatchedHost.setUp()
  const {machine} = host
  host.machine = {...machine, clock: {...machine.clock, now: () => machine.clock.now() + offset}}
  await pauseWatch({...request(), forMs: 5 * MINUTE})
  offset = -60 * MINUTE
  await host.pass(4 * MINUTE)
  expect(host.state.verdict).toBe('paused')
  await host.pass(2 * MINUTE)
  expect(host.state.verdict).toBe('healthy')
})

test('nothing is repaired until a user resumes', async () => {
  await withDeadKubelet(() => pauseWatch(request()))
  await host.pass(30 * MINUTE, true)
  expect([host.repairs, host.state.verdict]).toEqual([[], 'paused'])
  await resumeWatch(request())
  await host.pass(2 * MINUTE)
  expect([stateOf('kubelet'), host.state.verdict]).toEqual(['running', 'healthy'])
})

test('nothing is repaired while another run holds the lock', async () => {
  let free = async (): Promise<void> => {}
  await withDeadKubelet(async () => {
    const lock = await takeLock(host.machine, layoutOf(String.raw`C:\k`).lock)
    free = () => lock.release()
  })
  await host.pass(10 * MINUTE)
  expect([host.repairs, stateOf('kubelet')]).toEqual([[], 'stopped'])
  expect(host.state.detail).toBeDefined()
  await free()
  await host.pass(2 * MINUTE)
  expect([stateOf('kubelet'), host.state.verdict]).toEqual(['running', 'healthy'])
})
