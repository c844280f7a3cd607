import {describe, expect, it} from 'vitest'
import {openServices} from '../../../../../src/machine/real/win32/services/services.js'
import {wideList} from '../../../../../src/machine/real/win32/text.js'
import {config, manager, yes} from '../fake-manager.js'

/** Description, failure actions, their flag: by level of ChangeServiceConfig2W. */
const DETAILS = [
  [1, {description: config.description}],
  [2, {actionCount: 1, resetPeriod: 3600}],
  [4, {value: 1}],
]
const NO_CHANGE = 0xffff_ffff

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
    expect(details).toMatchObject(DETAILS)
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

  it('gets all of its configuration again where it changes', async () => {
    let changed: unknown[] = []
    const details: unknown[] = []
    const {open, services} = manager({
      ChangeServiceConfig2W: (_, level, info) => (details.push([level, info]), yes),
      ChangeServiceConfigW: (...args) => ((changed = args), yes),
    })
    await services.changeService('kubelet', config)
    expect(changed.slice(1)).toEqual([
      NO_CHANGE,
      2,
      NO_CHANGE,
      config.imagePath,
      null,
      null,
      wideList(['docker']),
      'LocalSystem',
      '',
      'kubelet',
    ])
    // Nothing of level 3: whoever wants a delayed start keeps it.
    expect(details).toMatchObject(DETAILS)
    expect(details).toHaveLength(DETAILS.length)
    expect(open.size).toBe(0)
  })

  it('review N6: what is not named stays as it is', async () => {
    let changed: unknown[] = []
    const levels: unknown[] = []
    const {services} = manager({
      ChangeServiceConfig2W: (_, level) => (levels.push(level), yes),
      ChangeServiceConfigW: (...args) => ((changed = args), yes),
    })
    await services.changeService('kubelet', {failureActions: {resetAfterSeconds: 0, restartDelaysMs: []}})
    expect(changed.slice(1)).toEqual([NO_CHANGE, NO_CHANGE, NO_CHANGE, null, null, null, null, null, null, null])
    expect(levels).toEqual([2])
    await services.changeService('kubelet', {dependencies: []})
    expect(changed.slice(7)).toEqual([wideList([]), null, null, null])
    expect(levels).toEqual([2])
  })

  it('leaves the password of an account that has one', async () => {
    let password: unknown = 'unset'
    const {services} = manager({ChangeServiceConfigW: (...args) => ((password = args[9]), yes)})
    await services.changeService('kubelet', {...config, account: 'DOMAIN\\svc'})
    expect(password).toBeNull()
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

  it.each([1056, 1058, 1069, 1072])('what it refuses with %i is reported so', async (code) => {
    const {open, services} = manager({StartServiceW: () => ({lastError: code, result: 0})})
    await expect(services.startService('kubelet')).rejects.toMatchObject({call: 'StartServiceW', code})
    expect(open.size).toBe(0)
  })
})

it('connects to the service manager alone the first time', async () => {
  const {native} = manager()
  let connecting = 0
  const together: number[] = []
  const services = openServices(async () => {
    const {bind, koffi} = await native()
    const slowly: typeof bind = (library, name, ...types) => {
      const call = bind(library, name, ...types)
      return async (...args) => {
        if (name !== 'OpenSCManagerW') return call(...args) as never
        together.push(++connecting)
        await new Promise(setImmediate)
        connecting--
        return call(...args) as never
      }
    }
    return {bind: slowly, koffi}
  })
  await Promise.all(['kubelet', 'flanneld', 'kubeproxy'].map((name) => services.startService(name)))
  expect(together).toEqual([1, 1, 2])
})
