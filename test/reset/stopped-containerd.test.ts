// containerd is k8s-win's own: where it is stopped, reset starts it to remove pods and images through it.
import {expect, test} from 'vitest'
import {interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {type ServiceStartType, Win32Error} from '../../src/machine/win32.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import type {HostFolder} from '../steps/host-folder.js'
import {resetOn} from './reset-run.js'
import {CONTAINERD_PROFILE as PROFILE, setUpHost} from './set-up-host.js'

const {copy} = setUpHost({}, undefined, PROFILE)

async function stopped(startType: ServiceStartType = 'automatic'): Promise<HostFolder> {
  const host = copy()
  const {clock, win32} = await openSimulator({dir: host.dir, profile: PROFILE})
  await win32.changeService('containerd', {startType})
  await win32.stopService('kubelet')
  await win32.stopService('containerd')
  await clock.sleep(60_000)
  return host
}

test('containerd that is stopped is started, and stopped again when its images are gone', async () => {
  const host = await stopped()
  const {result} = await resetOn(host.dir, {given: {purge: true, yes: true}})
  expect(result.exitCode).toBe(0)
  expect(host.world.containerd).toMatchObject({images: [], installed: false, running: false})
  const last = (what: string, arg: string): number =>
    host.transcript.findLastIndex((line) => line.what === what && line.args.includes(arg))
  const removed = last(String.raw`C:\k\containerd\bin\crictl.exe`, 'rmi')
  expect(last('startService', 'containerd')).toBeLessThan(removed)
  expect(last('stopService', 'containerd')).toBeGreaterThan(removed)
})

test('containerd that a user disabled is started too: it is removed in the end', async () => {
  const host = await stopped('disabled')
  const {result} = await resetOn(host.dir, {given: {purge: true, yes: true}})
  expect(result.exitCode).toBe(0)
  expect(host.world.services['containerd']).toBeUndefined()
})

test('containerd that hangs is restarted', async () => {
  const host = copy()
  host.edit(({containerd}) => (containerd.running = false))
  const {result} = await resetOn(host.dir, {given: {purge: true, yes: true}})
  expect(result.exitCode).toBe(0)
  expect(host.world.containerd).toMatchObject({images: [], installed: false})
})

test('containerd that cannot be started is named, with what is left in it, which stays', async () => {
  const host = await stopped()
  const wrap = (machine: Machine): Machine =>
    interceptMachine(machine, async ({args, what}, perform) => {
      if (what === 'startService' && args[0] === 'containerd') throw new Win32Error('StartService', 1053, 'containerd')
      return perform()
    })
  const {result} = await resetOn(host.dir, {given: {yes: true, 'keep-images': false}, wrap})
  expect(result).toMatchObject({exitCode: 7})
  expect(new Set(result.errors?.map(({id}) => id))).toEqual(new Set(['RESET_INCOMPLETE', 'CONTAINERD_STOPPED']))
})
