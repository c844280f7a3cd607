// The service control manager: the true codes, dependencies, deletion and failure actions.
import {beforeEach, describe, expect, it} from 'vitest'

import type {Win32} from '../../../src/machine/win32.js'
import {createWin32} from '../../../src/simulator/windows/win32.js'
import {codeOf, serviceConfig} from '../node.js'
import type {TestStage} from '../stage.js'
import {install, makeStage} from '../stage.js'

const PROGRAM = String.raw`C:\svc\some service.exe`
const QUOTED = `"${PROGRAM}" --run`
let stage: TestStage
let win32: Win32

beforeEach(async () => {
  stage = await makeStage()
  win32 = createWin32(stage)
  await install(stage, PROGRAM, 'some-service', '1.0.0')
})

const state = async (name: string) => (await win32.queryServiceStatus(name))?.state

describe('codes', () => {
  it('1060 for a service that is not there', async () => {
    expect(await codeOf(win32.startService('none'))).toBe(1060)
    expect(await codeOf(win32.stopService('none'))).toBe(1060)
    expect(await codeOf(win32.changeService('none', serviceConfig(QUOTED)))).toBe(1060)
    expect(await codeOf(win32.deleteService('none'))).toBe(1060)
    expect(await codeOf(win32.dependentServices('none'))).toBe(1060)
    expect(await win32.queryServiceConfig('none')).toBeUndefined()
    expect(await win32.queryServiceStatus('none')).toBeUndefined()
  })

  it('1073 for a name that is taken, in any case', async () => {
    await win32.createService('Mine', serviceConfig(QUOTED))
    expect(await codeOf(win32.createService('MINE', serviceConfig(QUOTED)))).toBe(1073)
    expect(await win32.queryServiceConfig('mine')).toMatchObject({imagePath: QUOTED})
    expect(await win32.queryServiceStatus('mine')).toMatchObject({state: 'stopped', win32ExitCode: 1077})
  })

  it('1056 when it runs, 1062 when it does not, 1061 on the way', async () => {
    await win32.createService('mine', serviceConfig(QUOTED))
    expect(await codeOf(win32.stopService('mine'))).toBe(1062)
    await win32.startService('mine')
    expect(await state('mine')).toBe('start-pending')
    expect(await codeOf(win32.stopService('mine'))).toBe(1061)
    await stage.elapse(500)
    expect(await state('mine')).toBe('running')
    expect(await codeOf(win32.startService('mine'))).toBe(1056)
    await win32.stopService('mine')
    expect(await state('mine')).toBe('stop-pending')
    await stage.elapse(1500)
    expect(await win32.queryServiceStatus('mine')).toMatchObject({processId: 0, state: 'stopped', win32ExitCode: 0})
  })

  it('1058 for a disabled one, 2 for a missing program', async () => {
    await win32.createService('off', serviceConfig(QUOTED, {startType: 'disabled'}))
    await win32.createService('empty', serviceConfig(String.raw`C:\none.exe`))
    expect(await codeOf(win32.startService('off'))).toBe(1058)
    expect(await codeOf(win32.startService('empty'))).toBe(2)
  })

  it('1053 for a program that is not a service', async () => {
    await install(stage, String.raw`C:\svc\host-local.exe`, 'host-local', 'v1.9.1')
    await win32.createService('mine', serviceConfig(String.raw`C:\svc\host-local.exe`))
    expect(await codeOf(win32.startService('mine'))).toBe(1053)
  })

  it('5 for every change by a user who is not an administrator', async () => {
    await win32.createService('mine', serviceConfig(QUOTED))
    stage.world.os.administrator = false
    const changes = [
      win32.createService('x', serviceConfig(QUOTED)),
      win32.changeService('mine', serviceConfig(QUOTED)),
      win32.startService('mine'),
      win32.stopService('mine'),
      win32.deleteService('mine'),
      win32.setRegistryValue('HKLM', 'SOFTWARE\\X', 'a', {data: 'b', type: 'REG_SZ'}),
      win32.deleteRegistryValue('HKLM', 'SOFTWARE\\X', 'a'),
      win32.setSecurity('C:\\k', 'D:P(A;;FA;;;BA)'),
    ]
    expect(await Promise.all(changes.map(codeOf))).toEqual(changes.map(() => 5))
    expect(await win32.queryServiceConfig('mine')).toBeDefined()
    expect(await win32.isAdministrator()).toBe(false)
  })
})

describe('dependencies', () => {
  beforeEach(async () => {
    await win32.createService('base', serviceConfig(QUOTED))
    await win32.createService('middle', serviceConfig(QUOTED, {dependencies: ['BASE']}))
    await win32.createService('top', serviceConfig(QUOTED, {dependencies: ['middle']}))
  })

  it('are started first', async () => {
    await win32.startService('top')
    await stage.elapse(1000)
    expect([await state('base'), await state('middle'), await state('top')]).toEqual(['running', 'running', 'running'])
  })

  it('cannot be stopped under a dependent: 1051', async () => {
    await win32.startService('top')
    await stage.elapse(1000)
    expect(await win32.dependentServices('base')).toEqual(['top', 'middle'])
    expect(await codeOf(win32.stopService('base'))).toBe(1051)
    for (const name of ['top', 'middle', 'base']) {
      await win32.stopService(name)
      await stage.elapse(1500)
    }

    expect(await state('base')).toBe('stopped')
  })

  it('that fail keep a service from starting: 1068, and 1075 where one is gone', async () => {
    await win32.changeService('base', serviceConfig(String.raw`C:\none.exe`))
    expect(await codeOf(win32.startService('top'))).toBe(1068)
    await win32.deleteService('base')
    expect(await codeOf(win32.startService('middle'))).toBe(1075)
  })
})

describe('deletion', () => {
  it('waits for a running service, which is then marked: 1072', async () => {
    await win32.createService('mine', serviceConfig(QUOTED))
    await win32.setRegistryValue('HKLM', 'SYSTEM\\CurrentControlSet\\Services\\mine', 'Environment', {
      data: ['A=b'],
      type: 'REG_MULTI_SZ',
    })
    await win32.startService('mine')
    await stage.elapse(500)
    await win32.deleteService('mine')
    expect(await codeOf(win32.deleteService('mine'))).toBe(1072)
    expect(await codeOf(win32.createService('mine', serviceConfig(QUOTED)))).toBe(1072)
    expect(await codeOf(win32.changeService('mine', serviceConfig(QUOTED)))).toBe(1072)
    expect(await codeOf(win32.startService('mine'))).toBe(1058)
    expect(await state('mine')).toBe('running')
    await win32.stopService('mine')
    await stage.elapse(1500)
    expect(await win32.queryServiceStatus('mine')).toBeUndefined()
    expect(await win32.registryValues('HKLM', 'SYSTEM\\CurrentControlSet\\Services\\mine')).toEqual({})
  })

  it('of a stopped service is done at once', async () => {
    await win32.createService('mine', serviceConfig(QUOTED))
    await win32.deleteService('mine')
    expect(await win32.queryServiceConfig('mine')).toBeUndefined()
  })
})

it('Docker follows its service', async () => {
  await win32.stopService('docker')
  await stage.elapse(1500)
  expect(stage.world.docker.running).toBe(false)
  await win32.startService('docker')
  await stage.elapse(500)
  expect(stage.world.docker.running).toBe(true)
})

it('a later change of the configuration does not reach the running process', async () => {
  await win32.createService('mine', serviceConfig(QUOTED))
  await win32.startService('mine')
  await win32.changeService('mine', serviceConfig(`"${PROGRAM}" --other`))
  expect(stage.world.services['mine']?.process?.arguments).toEqual(['--run'])
})
