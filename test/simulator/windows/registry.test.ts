// Registry, environment and security descriptors of the simulated host.
import {beforeEach, describe, expect, it} from 'vitest'

import type {Win32} from '../../../src/machine/win32.js'
import {createWin32} from '../../../src/simulator/windows/win32.js'
import {codeOf, serviceConfig} from '../node.js'
import type {TestStage} from '../stage.js'
import {makeStage} from '../stage.js'

const SERVICES = String.raw`SYSTEM\CurrentControlSet\Services`
const ENVIRONMENT = String.raw`SYSTEM\CurrentControlSet\Control\Session Manager\Environment`
let stage: TestStage
let win32: Win32

beforeEach(async () => {
  stage = await makeStage()
  win32 = createWin32(stage)
})

describe('the registry', () => {
  it('compares keys and names without case and keeps the first spelling', async () => {
    await win32.setRegistryValue('HKLM', 'SOFTWARE\\K8s', 'Näme', {data: 'é', type: 'REG_SZ'})
    await win32.setRegistryValue('HKLM', 'software\\k8S\\', 'NÄME', {data: 'ü', type: 'REG_SZ'})
    expect(await win32.registryValues('HKLM', '\\SOFTWARE\\K8S')).toEqual({Näme: {data: 'ü', type: 'REG_SZ'}})
    await win32.deleteRegistryValue('HKLM', 'SOFTWARE\\K8S', 'näme')
    expect(await win32.registryValue('HKLM', 'SOFTWARE\\K8S', 'Näme')).toBeUndefined()
    expect(await codeOf(win32.deleteRegistryValue('HKLM', 'SOFTWARE\\K8S', 'Näme'))).toBe(2)
  })

  it('has a key for its values, for the keys below it, or empty', async () => {
    stage.world.registry[String.raw`HKLM\SOFTWARE\A\B`] = {}
    const there = [String.raw`software\a\b`, String.raw`SOFTWARE\A`, 'SOFTWARE', `${SERVICES}\\Docker`, ENVIRONMENT]
    for (const key of there) expect(await win32.registryKeyExists('HKLM', key), key).toBe(true)
    for (const key of [String.raw`SOFTWARE\A\C`, String.raw`SOFTWARE\A\B\C`, `${SERVICES}\\nobody`]) {
      expect(await win32.registryKeyExists('HKLM', key), key).toBe(false)
    }
  })

  it('lists the keys directly below a key', async () => {
    stage.world.registry[String.raw`HKU\S-1-5-21\Volatile Environment\1\deep`] = {}
    stage.world.registry[String.raw`HKU\S-1-5-21\Volatile Environment\2`] = {}
    stage.world.registry[String.raw`HKU\S-1-5-21\Volatile Environments`] = {}
    expect(await win32.registryKeys('HKU', String.raw`s-1-5-21\volatile environment`)).toEqual(['1', '2'])
    expect(await win32.registryKeys('HKU', 'S-1-5-22')).toEqual([])
  })

  it('shows services, and a change there is a change of the service', async () => {
    await win32.createService('mine', serviceConfig('C:\\x.exe', {dependencies: ['docker'], failureFlag: true}))
    expect(await win32.registryValues('HKLM', `${SERVICES}\\Mine`)).toMatchObject({
      DependOnService: {data: ['docker'], type: 'REG_MULTI_SZ'},
      FailureActionsOnNonCrashFailures: {data: 1, type: 'REG_DWORD'},
      ImagePath: {data: 'C:\\x.exe', type: 'REG_EXPAND_SZ'},
      Start: {data: 2, type: 'REG_DWORD'},
    })
    await win32.setRegistryValue('HKLM', `${SERVICES}\\mine`, 'imagepath', {data: 'C:\\y.exe', type: 'REG_EXPAND_SZ'})
    expect(await win32.queryServiceConfig('mine')).toMatchObject({imagePath: 'C:\\y.exe'})
  })

  it('shows firewall rules as the firewall stores them', async () => {
    stage.world.firewall['a rule'] = [
      {
        action: 'allow',
        description: 'who made it',
        direction: 'in',
        enabled: true,
        localPort: '10250',
        name: 'a rule',
        profiles: 'any',
        protocol: 'TCP',
      },
      {
        action: 'block',
        description: '',
        direction: 'out',
        enabled: false,
        localPort: '1-5,9',
        name: 'a rule',
        profiles: 'domain',
        protocol: 'UDP',
      },
    ]
    const values = await win32.registryValues(
      'HKLM',
      `${SERVICES}\\SharedAccess\\Parameters\\FirewallPolicy\\FirewallRules`,
    )
    const ours = Object.entries(values).filter(([, {data}]) => String(data).includes('a rule'))
    expect(ours.map(([, {data}]) => data)).toEqual([
      'v2.29|Action=Allow|Active=TRUE|Dir=In|Protocol=6|LPort=10250|Name=a rule|Desc=who made it|',
      'v2.29|Action=Block|Active=FALSE|Dir=Out|Protocol=17|Profile=Domain|LPort2_10=1-5|LPort=9|Name=a rule|',
    ])
    expect(ours.every(([name]) => /^\{[\dA-F-]{36}\}$/.test(name))).toBe(true)
  })
})

it('a change of the environment reaches new programs, and no service before a restart of Windows', async () => {
  await win32.setRegistryValue('HKLM', ENVIRONMENT, 'KUBECONFIG', {data: 'C:\\k\\kubeconfig', type: 'REG_SZ'})
  expect(stage.world.environment['KUBECONFIG']).toBeUndefined()
  await win32.broadcastEnvironmentChange()
  expect(stage.world.environment['KUBECONFIG']).toBe('C:\\k\\kubeconfig')
  await win32.stopService('docker')
  await stage.elapse(2000)
  await win32.startService('docker')
  expect(stage.world.services['docker']?.process?.environment).not.toHaveProperty('KUBECONFIG')
})

describe('security', () => {
  it('is inherited from the drive, then from the nearest folder that has its own', async () => {
    expect(await win32.securityOf('C:\\k')).toContain('(A;OICIID;0x1200a9;;;BU)')
    await win32.setSecurity('C:\\K', 'D:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;CI;0x1200a9;;;BU)')
    expect(await win32.securityOf('c:\\k')).toBe('O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;CI;0x1200a9;;;BU)')
    expect(await win32.securityOf('C:\\k\\kubeconfig')).toBe('O:BAD:AI(A;ID;FA;;;SY)(A;ID;FA;;;BA)')
    await stage.files.makeDirectory('C:\\k\\sub')
    expect(await win32.securityOf('C:\\k\\sub')).toContain('(A;CIID;0x1200a9;;;BU)')
  })

  it('is refused for what is not there, and for what is not a descriptor', async () => {
    expect(await codeOf(win32.securityOf('C:\\none'))).toBe(2)
    expect(await codeOf(win32.setSecurity('C:\\none', 'D:P'))).toBe(2)
    expect(await codeOf(win32.setSecurity('C:\\k', 'everyone'))).toBe(1338)
  })
})

it('a mutex has one holder at a time', async () => {
  const release = await win32.takeMutex('Global\\k8s-win')
  expect(await win32.takeMutex('Global\\k8s-win')).toBeUndefined()
  await release?.()
  expect(await win32.takeMutex('Global\\k8s-win')).toBeDefined()
})

it('a mutex is the stage’s where it has one', async () => {
  const asked: string[] = []
  const locked = createWin32({...stage, lock: async (name) => void asked.push(name)})
  expect(await locked.takeMutex('Global\\k8s-win')).toBeUndefined()
  expect(asked).toEqual(['Global\\k8s-win'])
})

it('what is read is a copy', async () => {
  const [adapter] = await win32.adapters()
  ;(adapter as {name: string}).name = 'changed'
  expect(stage.world.adapters[0]?.name).toBe('Ethernet0')
  expect(await win32.routes()).toEqual(stage.world.routes)
  expect(await win32.computerName()).toBe('WIN-1')
})
