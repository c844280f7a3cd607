// A restart that a program announces on the simulated host.
import {expect, it} from 'vitest'
import {openSimulator} from '../../../src/simulator/simulator.js'
import {HostFolder} from '../../steps/host-folder.js'

const profile = 'ws2022-containerd'

it('is over when the next program starts, and services that start with Windows run', async () => {
  const host = await HostFolder.fresh((world) => (world.os.features = {containers: 'pending'}), profile)
  const {clock, win32} = await openSimulator({dir: host.dir, profile})
  const announcedAt = clock.now()
  await win32.restartWindows('reason', 30)
  expect(host.world.os).toMatchObject({features: {containers: 'pending'}, restarting: true})
  await expect(win32.restartWindows('reason', 30)).rejects.toMatchObject({call: 'InitiateShutdownW', code: 1190})

  const next = await openSimulator({dir: host.dir, profile})
  expect(next.clock.now() - announcedAt).toBeGreaterThan(30_000)
  expect(await next.win32.queryServiceStatus('hns')).toMatchObject({state: 'running'})
  await expect(next.win32.hnsCall('GET', '/globals/version', '')).resolves.toMatchObject({hresult: 0})
  expect(host.world.os.restarting).toBeUndefined()
})

it('is refused to users', async () => {
  const host = await HostFolder.fresh((world) => (world.os.administrator = false), profile)
  const {win32} = await openSimulator({dir: host.dir, profile})
  await expect(win32.restartWindows('reason', 30)).rejects.toMatchObject({code: 5})
  expect(host.world.os.restarting).toBeUndefined()
})
