import koffi from 'koffi'
import {describe, expect, it} from 'vitest'
import {serviceStructs} from '../../../../src/machine/real/win32/service-structs.js'
import {openServices} from '../../../../src/machine/real/win32/services.js'
import {wideList, wideString} from '../../../../src/machine/real/win32/text.js'
import type {ServiceConfig} from '../../../../src/machine/win32.js'
import {fakeNative, pointerTo} from './fake-native.js'
import type {Played} from './fake-native.js'

const structs = serviceStructs(koffi)
const yes = {result: 1}
const config: ServiceConfig = {
  account: 'LocalSystem',
  dependencies: ['docker'],
  description: 'kubelet, managed by k8s-win',
  displayName: 'kubelet',
  failureActions: {resetAfterSeconds: 3600, restartDelaysMs: [10_000]},
  failureFlag: true,
  imagePath: '"C:\\k\\kubelet.exe" --windows-service',
  startType: 'automatic',
}

/** A service manager in which everything succeeds, unless played otherwise. Counts open handles. */
function manager(played: Readonly<Record<string, Played>> = {}) {
  const open = new Set<bigint>()
  let last = 100n
  const handle = () => {
    open.add(++last)
    return {result: last}
  }
  const fake = fakeNative({
    ChangeServiceConfig2W: () => yes,
    ChangeServiceConfigW: () => yes,
    CloseServiceHandle: (closed: bigint) => ({result: open.delete(closed) ? 1 : 0}),
    CreateServiceW: handle,
    DeleteService: () => yes,
    OpenSCManagerW: handle,
    OpenServiceW: handle,
    StartServiceW: () => yes,
    ...played,
  })
  return {...fake, open, services: openServices(fake.native)}
}

describe('making a service', () => {
  it('passes everything on, and closes what it opened', async () => {
    let created: unknown[] = []
    const details: unknown[] = []
    const {open, services} = manager({
      ChangeServiceConfig2W: (_, level, info) => (details.push([level, info]), yes),
      CreateServiceW: (...args) => ((created = args), open.add(7n), {result: 7n}),
    })
    await services.createService('kubelet', config)
    expect(created.slice(1, 3)).toEqual(['kubelet', 'kubelet'])
    expect(created.slice(4, 8)).toEqual([0x10, 2, 1, config.imagePath])
    expect(created.slice(8)).toEqual([null, null, wideList(['docker']), 'LocalSystem', ''])
    expect(details).toMatchObject([
      [1, {description: config.description}],
      [2, {actionCount: 1, resetPeriod: 3600}],
      [4, {value: 1}],
      [3, {value: 0}],
    ])
    expect(open.size).toBe(0)
  })

  it('that exists, or is being deleted, has the true code', async () => {
    for (const code of [1072, 1073]) {
      const {open, services} = manager({CreateServiceW: () => ({lastError: code, result: null})})
      const made = services.createService('kubelet', config)
      await expect(made).rejects.toMatchObject({call: 'CreateServiceW', code, subject: 'kubelet'})
      expect(open.size).toBe(0)
    }
  })

  it('takes it away again where its details are refused', async () => {
    const {calls, open, services} = manager({ChangeServiceConfig2W: () => ({lastError: 5, result: 0})})
    await expect(services.createService('kubelet', config)).rejects.toMatchObject({
      call: 'ChangeServiceConfig2W',
      code: 5,
    })
    expect(calls).toContain('DeleteService')
    expect(open.size).toBe(0)
  })

  it('does without a failure flag where the service manager has none', async () => {
    const {services} = manager({ChangeServiceConfig2W: (_, level) => (level > 2 ? {lastError: 124, result: 0} : yes)})
    await expect(services.createService('kubelet', config)).resolves.toBeUndefined()
  })

  it('leaves the password of an account that has one', async () => {
    let password: unknown = 'unset'
    const {services} = manager({ChangeServiceConfigW: (...args) => ((password = args[9]), yes)})
    await services.changeService('kubelet', {...config, account: 'DOMAIN\\svc'})
    expect(password).toBeNull()
  })
})

describe('asking for a service', () => {
  const texts = Object.fromEntries(
    Object.entries({
      account: 'LocalSystem',
      description: 'ours',
      display: 'Kubelet',
      group: '',
      path: config.imagePath,
    }).map(([name, text]) => [name, wideString(text)]),
  ) as Record<'account' | 'description' | 'display' | 'group' | 'path', Buffer>
  const dependencies = wideList(['docker', 'vmcompute'])
  const actions = Buffer.from(Uint32Array.of(1, 5000, 0, 0, 1, 60_000).buffer)

  const queries: Record<string, Played> = {
    QueryServiceConfig2W(_, level: number, data: Buffer) {
      if (level === 1) koffi.encode(data, structs.SERVICE_DESCRIPTIONW, {description: 'ours'})
      else if (level === 4) data.writeInt32LE(1)
      else {
        const empty = {command: null, rebootMessage: null}
        koffi.encode(data, structs.SERVICE_FAILURE_ACTIONSW, {
          ...empty,
          actionCount: 3,
          actions: pointerTo(actions),
          resetPeriod: 60,
        })
      }
      return yes
    },
    QueryServiceConfigW(_, data: Buffer, size: number, needed: number[]) {
      if (size < 10_000) {
        needed[0] = 10_000
        return {lastError: 122, result: 0}
      }
      data.writeUInt32LE(0x10, 0)
      data.writeUInt32LE(2, 4)
      const pointers = [
        [16, texts.path],
        [24, texts.group],
        [40, dependencies],
        [48, texts.account],
        [56, texts.display],
      ] as const
      for (const [offset, bytes] of pointers) data.writeBigUInt64LE(pointerTo(bytes), offset)
      return yes
    },
  }

  it('tells its configuration', async () => {
    const {open, services} = manager(queries)
    expect(await services.queryServiceConfig('kubelet')).toEqual({
      account: 'LocalSystem',
      dependencies: ['docker', 'vmcompute'],
      description: 'ours',
      displayName: 'Kubelet',
      failureActions: {resetAfterSeconds: 60, restartDelaysMs: [5000, 60_000]},
      failureFlag: true,
      imagePath: config.imagePath,
      startType: 'automatic',
    })
    expect(open.size).toBe(0)
  })

  it('tells its state', async () => {
    const {services} = manager({
      QueryServiceStatusEx(_, level, data: Buffer, size: number) {
        expect([level, size, data.length]).toEqual([0, 36, 36])
        data.writeUInt32LE(3, 4)
        data.writeUInt32LE(99, 28)
        return yes
      },
    })
    expect(await services.queryServiceStatus('kubelet')).toMatchObject({processId: 99, state: 'stop-pending'})
  })

  it('that is not there is undefined, and any other refusal an error', async () => {
    const absent = manager({OpenServiceW: () => ({lastError: 1060, result: null})})
    expect(await absent.services.queryServiceConfig('none')).toBeUndefined()
    expect(await absent.services.queryServiceStatus('none')).toBeUndefined()
    expect(absent.open.size).toBe(0)
    const refused = manager({OpenServiceW: () => ({lastError: 5, result: null})})
    await expect(refused.services.queryServiceStatus('k')).rejects.toMatchObject({call: 'OpenServiceW', code: 5})
    const closed = manager({OpenSCManagerW: () => ({lastError: 5, result: null})})
    await expect(closed.services.queryServiceStatus('k')).rejects.toMatchObject({call: 'OpenSCManagerW', code: 5})
  })

  it('tells who depends on it, however many', async () => {
    const names = ['kubelet', 'flanneld'].map(wideString)
    const {services} = manager({
      EnumDependentServicesW(_, state, data: Buffer, size: number, needed: number[], count: number[]) {
        expect(state).toBe(3)
        if (size < 20_000) {
          needed[0] = 20_000
          return {lastError: 234, result: 0}
        }
        for (const [index, name] of names.entries()) data.writeBigUInt64LE(pointerTo(name), index * 48)
        count[0] = names.length
        return yes
      },
    })
    expect(await services.dependentServices('docker')).toEqual(['kubelet', 'flanneld'])
    const none = manager({EnumDependentServicesW: () => yes})
    expect(await none.services.dependentServices('docker')).toEqual([])
  })
})

describe('telling a service', () => {
  it('to start, to stop, to go', async () => {
    const {calls, open, services} = manager({ControlService: (_, control) => ({result: control === 1 ? 1 : 0})})
    await services.startService('kubelet')
    await services.stopService('kubelet')
    await services.deleteService('kubelet')
    expect(calls).toEqual(expect.arrayContaining(['StartServiceW', 'ControlService', 'DeleteService']))
    expect(open.size).toBe(0)
  })

  it.each([1056, 1058, 1069, 1072])('what it refuses with %i is told so', async (code) => {
    const {open, services} = manager({StartServiceW: () => ({lastError: code, result: 0})})
    await expect(services.startService('kubelet')).rejects.toMatchObject({call: 'StartServiceW', code})
    expect(open.size).toBe(0)
  })
})
