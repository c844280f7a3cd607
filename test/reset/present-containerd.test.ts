// reset of a node whose containerd was on the host before: it is the user's, and so is its service.
import {expect, onTestFinished, test} from 'vitest'
import {openSimulator} from '../../src/simulator/simulator.js'
import {hostWith} from '../fixtures/present-containerd.js'
import {setupOn} from '../setup/in-process.js'
import type {HostFolder} from '../steps/host-folder.js'
import {resetOn} from './reset-run.js'
import {CONTAINERD_PROFILE as PROFILE} from './set-up-host.js'

async function node(): Promise<HostFolder> {
  const host = await hostWith()
  onTestFinished(() => host.discard())
  expect((await setupOn(host.dir)).result.error).toBeUndefined()
  return host
}

test('one that is stopped is to be started, not deleted; then reset finishes', async () => {
  const host = await node()
  const {clock, win32} = await openSimulator({dir: host.dir, profile: PROFILE})
  await win32.stopService('kubelet')
  await win32.stopService('containerd')
  await clock.sleep(60_000)
  const {result, warnings} = await resetOn(host.dir, {given: {yes: true}})
  expect(result.exitCode).toBe(7)
  const stopped = result.errors?.find(({id}) => id === 'CONTAINERD_STOPPED')
  for (const text of [stopped?.fix, warnings.join()]) expect(text).toContain('net start containerd')
  expect(JSON.stringify([result, warnings])).not.toMatch(/sc\.exe delete|k8s-win logs containerd/)
  const later = await openSimulator({dir: host.dir, profile: PROFILE})
  await later.win32.startService('containerd')
  await later.clock.sleep(5000)
  expect((await resetOn(host.dir, {given: {yes: true}})).result.error).toBeUndefined()
})

test('its images do not stay, and are not said to', async () => {
  const host = await node()
  for (const given of [{'dry-run': true}, {}]) {
    const {events} = await resetOn(host.dir, {given})
    const message = 'this stays: downloads, logs (--purge removes them)'
    expect(events.at(-2)).toMatchObject({level: 'info', message, type: 'log'})
  }
  expect(host.world.containerd.images).toEqual([])
})

test('no step says that containerd is stopped or removed', async () => {
  const host = await node()
  for (const given of [{'dry-run': true}, {purge: true}]) {
    const {events, result} = await resetOn(host.dir, {given})
    const titles = new Map(result.steps.map(({id, title}) => [id, title]))
    expect([...titles.values()].filter((title) => /(?:remove|stop).*containerd/i.test(title))).toEqual([])
    expect(titles.get('containerd-service')).toBe('Keep the containerd of this host')
    expect(titles.get('containerd-config')).toBe('Remove crictl.yaml')
    const started = events.find((event) => event.type === 'run-started')
    expect(started?.steps).toEqual([...titles].map(([id, title]) => ({id, title})))
  }
})
