// Load balancers that went while no watch ran: no round of the next one has seen them, so it compares all of them once.
import {afterEach, beforeEach, expect, test} from 'vitest'
import type {WatchState} from '../../../src/runs/watch/model.js'
import {healthFile} from '../../../src/runs/watch/state-files.js'
import {BASE_DIR, WatchedHost} from './watched-host.js'

const MINUTE = 60_000

let host: WatchedHost
afterEach(() => host.stop())

/** A watch has run, and was stopped. */
beforeEach(async () => {
  host = await WatchedHost.setUp()
  const health = healthFile({baseDir: BASE_DIR, machine: host.machine, redact: (text) => text})
  const reporters = () => [health, {report: async (state: WatchState) => void host.states.push(state)}]
  Object.assign(host.changes, {reporters})
  await host.pass(5 * MINUTE)
  expect(host.repairs).toEqual([])
  await host.stop()
})

test('review W3-9: load balancers that were lost while no watch ran are created again', async () => {
  host.world.hns.policyLists = []
  await host.pass(10 * MINUTE)
  expect(host.repairs).toMatchObject([{steps: ['kubeproxy-service']}])
  expect(host.world.hns.policyLists).not.toEqual([])
  expect(host.state).toMatchObject({repairs: [{outcome: 'repaired', what: 'load balancers'}], verdict: 'healthy'})
})

test('review W3-9: where none was lost the next watch compares them once, and changes nothing', async () => {
  const {processId} = host.world.services['kubeproxy']!
  await host.pass(40 * MINUTE)
  expect(host.repairs).toMatchObject([{steps: ['kubeproxy-service']}])
  expect(host.world.services['kubeproxy']!.processId).toBe(processId)
  expect(host.state).toMatchObject({repairs: [], troubles: [], verdict: 'healthy'})
})

test('review W3-9: a kube-proxy that is started before they are compared creates them anew', async () => {
  await host.pass(20_000)
  await host.machine.win32.stopService('kubeproxy')
  await host.pass(8000)
  await host.machine.win32.startService('kubeproxy')
  await host.pass(10 * MINUTE)
  expect(host.repairs).toEqual([])
})
