import koffi from 'koffi'
import {describe, expect, it} from 'vitest'
import {serviceStructs} from '../../../../src/machine/real/win32/services/service-structs.js'
import {wideList, wideString} from '../../../../src/machine/real/win32/text.js'
import {config, manager, yes} from './fake-manager.js'
import {type Played, pointerTo} from './fake-native.js'

const structs = serviceStructs(koffi)

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

  it('reports its configuration', async () => {
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

  it('reports its state', async () => {
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

  it('reports who depends on it, however many', async () => {
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
