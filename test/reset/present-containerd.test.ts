// reset of a node whose containerd was on the host before: it is the user's, and so is its service.
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest'
import {openSimulator} from '../../src/simulator/simulator.js'
import {hostWith} from '../fixtures/present-containerd.js'
import {setupOn} from '../setup/in-process.js'
import type {HostFolder} from '../steps/host-folder.js'
import {resetOn} from './reset-run.js'
import {CONTAINERD_PROFILE as PROFILE} from './set-up-host.js'
import {turn} from '../sample.js'

let set: HostFolder
beforeAll(async () => {
  set = await hostWith()
  expect((await setupOn(set.dir)).result.error).toBeUndefined()
})
afterAll(() => set.discard())

function node(): HostFolder {
  const host = set.copy()
  onTestFinished(() => host.discard())
  return host
}

test('one that is stopped is to be started, not deleted; then reset finishes', async () => {
  const host = node()
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
  const host = node()
  for (const given of [{'dry-run': true}, {}]) {
    const {events} = await resetOn(host.dir, {given})
    const message = 'this stays: downloads, logs (--purge removes them)'
    expect(events.at(-2)).toMatchObject({level: 'info', message, type: 'log'})
  }
  expect(host.world.containerd.images).toEqual([])
})

test('one whose service was deleted keeps its data: what is in it is named, in the plan too', async () => {
  const host = node()
  const {clock, win32} = await openSimulator({dir: host.dir, profile: PROFILE})
  for (const name of ['kubelet', 'containerd']) await win32.stopService(name)
  await clock.sleep(60_000)
  await win32.deleteService('containerd')
  await clock.sleep(60_000)
  for (const given of [{'dry-run': true}, {purge: true}]) {
    const {result, warnings} = await resetOn(host.dir, {given})
    expect([result.error, warnings]).toEqual([undefined, [expect.any(String)]])
    for (const name of [
      'registry.k8s.io/pause:',
      'windows/nanoserver:ltsc2022',
      String.raw`C:\ProgramData\containerd\root`,
    ])
      expect(warnings[0]).toContain(name)
  }
})

describe('crictl that was changed:', () => {
  const YAML = String.raw`k\containerd\crictl.yaml`
  test.each<[string, (host: HostFolder) => void]>(
    turn(
      [
        ['broken', (host) => host.put(YAML, 'runtime-endpoint: [')],
        ['deleted', (host) => host.remove(YAML)],
      ],
      0,
    ),
  )('its configuration is written again where it was %s', async (_, change) => {
    const host = node()
    change(host)
    const {result, warnings} = await resetOn(host.dir, {given: {purge: true}})
    expect([result.error, warnings]).toEqual([undefined, []])
    expect(host.world.containerd.images).toEqual([])
    expect(host.has(YAML)).toBe(false)
  })

  const CRICTL = String.raw`k\containerd\bin\crictl.exe`
  test.each<[string, (host: HostFolder) => void]>([
    ['was deleted', (host) => host.remove(CRICTL)],
    ['is another one', (host) => host.put(CRICTL, 'MZ another program')],
  ])('where its program %s, reset brings it back first', async (_, change) => {
    const host = node()
    change(host)
    const {result, warnings} = await resetOn(host.dir, {given: {purge: true}})
    expect([result.error, warnings]).toEqual([undefined, []])
    expect(host.has(CRICTL)).toBe(false)
  })

  test('without ctr.exe, which is of the host, reset asks for that', async () => {
    const host = node()
    host.remove(String.raw`Program Files\containerd\ctr.exe`)
    const {result} = await resetOn(host.dir, {given: {purge: true}})
    expect(result.errors?.at(-1)).toMatchObject({
      fix: expect.stringMatching(/^Restore .*ctr\.exe/) as string,
      id: 'CONTAINERD_ABSENT',
    })
  })
})

test.each(turn([['journal.ndjson'], ['journal.ndjson', 'node.yaml']], 1))(
  'beside a node with Docker that has lost %s %s it stays with its images, and nothing of Docker is skipped',
  async (...lost) => {
    const host = await hostWith({profile: 'ws2022'})
    onTestFinished(() => host.discard())
    const tags = ['nanoserver:ltsc2022', 'nanoserver:latest'].map((name) => `mcr.microsoft.com/windows/${name}`)
    const image = {digests: [], id: `sha256:${'0a'.repeat(32)}`, osVersion: '10.0.20348.288', size: 1, tags}
    host.edit(({containerd}) => containerd.images.push(image))
    expect((await setupOn(host.dir, {release: '1.23.17'})).result.error).toBeUndefined()
    const {containerd: before, services} = host.world
    for (const name of lost) host.remove(`k\\k8s-win\\${name}`)
    const {result} = await resetOn(host.dir, {given: {purge: true, yes: true}})
    expect(result.error?.id).toBe('RESET_UNPROVEN')
    expect(host.world.containerd.images).toEqual(before.images)
    expect(host.world.services.containerd?.processId).toBe(services.containerd?.processId)
    expect(result.steps.filter(({state}) => state === 'skipped' || state === 'failed')).toEqual([])
  },
)

test('no step says that containerd is stopped or removed', async () => {
  const host = node()
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
