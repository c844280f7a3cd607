// What the service manager stores, lists, refuses and forgets, asked through our own calls. Nothing here is started.
import assert from 'node:assert/strict'
import path from 'node:path'
import {after, before, describe, test} from 'node:test'
import {joinCommandLine} from '../../../src/host/command-line.js'
import {lazyNative} from '../../../src/machine/real/win32/library.js'
import {openServiceManager} from '../../../src/machine/real/win32/services/service-manager.js'
import type {ServiceConfig} from '../../../src/machine/win32.js'
import {openServiceRig, type ServiceRig, SKIP_SERVICES} from './service-rig.js'
import {IS_WINE} from './windows-host.js'

const SERVICE_QUERY_STATUS = 0x4
const SERVICES_KEY = String.raw`SYSTEM\CurrentControlSet\Services`

describe('the service manager', {skip: SKIP_SERVICES}, () => {
  let rig: ServiceRig
  before(async () => {
    rig = await openServiceRig()
  })
  after(() => rig.close())

  test('knows no service that was not made: 1060', async () => {
    const {services} = rig
    const {win32} = rig.machine
    const name = 'k8s-win-lab-nobody'
    assert.equal(await services.status(name), undefined)
    assert.equal(await services.compare(rig.spec(name, ['C:\\x.exe'])), 'absent')
    assert.equal(await services.isOurs(name), false)
    for (const call of ['startService', 'stopService', 'deleteService', 'dependentServices'] as const) {
      await assert.rejects(win32[call](name), {code: 1060}, call)
    }
    await assert.rejects(win32.changeService(name, plain(rig)), {code: 1060})
    await services.stop(name, rig.signal)
    await services.remove(name, rig.signal)
  })

  test('stores a configuration as it was given', async () => {
    const name = 'k8s-win-lab-stored'
    const command = [path.join(rig.folder, 'ü 中.exe'), 'a b', 'c"d', '', 'e\\', '%PATH%', 'f\\"', '—ß']
    const environment = {DOCKER_HOST: 'npipe:////./pipe/x', NODE_NAME: 'ü 中'}
    const spec = rig.spec(name, command, {dependencies: ['RpcSs', 'EventLog'], description: 'Ü 中 "x".', environment})
    await rig.services.ensure(spec, rig.signal)
    assert.deepEqual(await rig.machine.win32.queryServiceConfig(name), {
      account: 'LocalSystem',
      // Wine 10 keeps dependencies in the registry only.
      dependencies: IS_WINE ? [] : ['RpcSs', 'EventLog'],
      description: 'Ü 中 "x". Managed by k8s-win.',
      displayName: name,
      // Wine 10 takes failure actions and stores none, and does not know the failure flag (124).
      failureActions: IS_WINE
        ? {resetAfterSeconds: 0, restartDelaysMs: []}
        : {resetAfterSeconds: 86_400, restartDelaysMs: [5000, 10_000, 30_000]},
      failureFlag: !IS_WINE,
      imagePath: joinCommandLine(command),
      startType: 'automatic',
    } satisfies ServiceConfig)
    const differences = await rig.services.compare(spec)
    assert.deepEqual(
      differences === 'absent' ? differences : differences.map((text) => text.split(' ')[0]),
      IS_WINE ? ['dependencies', 'failureActions', 'failureFlag'] : [],
    )
    assert.equal(await rig.services.isOurs(name), true)
    assert.deepEqual(await rig.machine.win32.registryValue('HKLM', `${SERVICES_KEY}\\${name}`, 'Environment'), {
      data: ['DOCKER_HOST=npipe:////./pipe/x', 'NODE_NAME=ü 中'],
      type: 'REG_MULTI_SZ',
    })
    assert.deepEqual(await rig.services.status(name), {
      processId: 0,
      serviceExitCode: 0,
      state: 'stopped',
      win32ExitCode: 1077,
    })
  })

  test('stores what is changed, and what is taken away', async () => {
    const name = 'k8s-win-lab-changed'
    const first = rig.spec(name, ['C:\\a.exe', '1'], {dependencies: ['RpcSs'], environment: {A: '1', B: '2'}})
    await rig.services.ensure(first, rig.signal)
    await assert.rejects(rig.machine.win32.createService(name, plain(rig)), {code: 1073})
    const long = Array.from({length: 60}, (_, index) => `--flag-${index}=${'x'.repeat(40)} ü`)
    await rig.services.ensure(
      {...first, command: ['C:\\b.exe', ...long], dependencies: [], environment: {}},
      rig.signal,
    )
    const stored = await rig.machine.win32.queryServiceConfig(name)
    assert.equal(stored?.imagePath, joinCommandLine(['C:\\b.exe', ...long]))
    assert.deepEqual(stored.dependencies, [])
    assert.deepEqual(await dependenciesInRegistry(rig, name), [])
    const environment = await rig.machine.win32.registryValue('HKLM', `${SERVICES_KEY}\\${name}`, 'Environment')
    assert.deepEqual(environment?.data, [])
  })

  test('reports who depends on a service', async () => {
    const names = ['k8s-win-lab-a', 'k8s-win-lab-b', 'k8s-win-lab-c'] as const
    for (const [index, name] of names.entries()) {
      const dependencies = index === 0 ? [] : [names[index - 1]!]
      await rig.services.ensure(rig.spec(name, ['C:\\a.exe'], {dependencies}), rig.signal)
      assert.deepEqual(await dependenciesInRegistry(rig, name), dependencies)
    }
    // Wine 10 stores the list and looks at it nowhere.
    const dependents = await rig.machine.win32.dependentServices(names[0])
    assert.deepEqual(dependents, IS_WINE ? [] : [names[2], names[1]])
  })

  test('refuses to stop what does not run: 1062', async () => {
    const name = 'k8s-win-lab-resting'
    await rig.services.ensure(rig.spec(name, ['C:\\a.exe']), rig.signal)
    await assert.rejects(rig.machine.win32.stopService(name), {code: 1062})
    await rig.services.stop(name, rig.signal)
  })

  for (const [title, content, code] of [
    ['is not there', undefined, 2],
    ['is no program', 'not a program', 193],
  ] as const) {
    test(`refuses to start where the program ${title}: ${code}`, async () => {
      const name = `k8s-win-lab-${code}`
      const program = path.join(rig.folder, `${code} ü.exe`)
      if (content !== undefined) await rig.machine.files.write(program, content)
      await rig.services.ensure(rig.spec(name, [program, '--windows-service']), rig.signal)
      await assert.rejects(rig.services.start(name), {call: 'StartServiceW', code})
      assert.equal((await rig.services.status(name))?.state, 'stopped')
      await rig.services.remove(name, rig.signal)
      assert.equal(await rig.services.status(name), undefined)
    })
  }

  describe('forgets a deleted service when its last handle is closed', () => {
    const name = 'k8s-win-lab-held'
    let release: () => void
    let held: Promise<void>

    async function hold(): Promise<void> {
      await rig.services.ensure(rig.spec(name, ['C:\\a.exe']), rig.signal)
      const manager = openServiceManager(await lazyNative('win32')())
      await new Promise<void>((opened) => {
        held = manager.withService(name, SERVICE_QUERY_STATUS, () => {
          opened()
          return new Promise((resolve) => (release = resolve))
        })
      })
      await rig.machine.win32.deleteService(name)
    }

    test('until then it is marked: 1072', async () => {
      await hold()
      const {win32} = rig.machine
      assert.equal((await win32.queryServiceStatus(name))?.state, 'stopped')
      await assert.rejects(win32.deleteService(name), {code: 1072})
      await assert.rejects(win32.createService(name, plain(rig)), {code: 1072})
      await assert.rejects(win32.changeService(name, plain(rig)), {code: 1072})
      const removing = rig.services.remove(name, rig.signal)
      release()
      await held
      await removing
      assert.equal(await rig.services.status(name), undefined)
    })

    test('ensure waits for that, and makes it anew', async () => {
      await hold()
      const ensuring = rig.services.ensure(rig.spec(name, ['C:\\new.exe']), rig.signal)
      await rig.machine.clock.sleep(200)
      release()
      await Promise.all([held, ensuring])
      assert.equal(await rig.services.imagePath(name), '"C:\\new.exe"')
    })
  })
})

async function dependenciesInRegistry({machine}: ServiceRig, name: string): Promise<unknown> {
  const value = await machine.win32.registryValue('HKLM', `${SERVICES_KEY}\\${name}`, 'DependOnService')
  return value?.data ?? []
}

function plain({folder}: ServiceRig): ServiceConfig {
  return {
    account: 'LocalSystem',
    dependencies: [],
    description: '',
    displayName: 'k8s-win lab',
    failureActions: {resetAfterSeconds: 0, restartDelaysMs: []},
    failureFlag: false,
    imagePath: joinCommandLine([path.join(folder, 'x.exe')]),
    startType: 'demand',
  }
}
