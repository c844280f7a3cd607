// Services that run: what arrives at their programs, how they stop, die and are killed, and what is left to read then.
import assert from 'node:assert/strict'
import path from 'node:path'
import {after, before, describe, test} from 'node:test'
import {DAEMON, type Daemon} from '../../../src/config/daemons.js'
import {lastLogLines} from '../../../src/host/services/daemon-log.js'
import {openFiles} from '../../../src/machine/real/files.js'
import {windowsKillTree} from '../../../src/machine/real/run.js'
import {applyService, inspectService} from '../../../src/pipeline/desired/services/service.js'
import {hurried, isAlive, openServiceRig, type ServiceRig, SKIP_PROCESSES} from './service-rig.js'
import {serviceStep} from './service-step.js'
import {IS_WINE} from './windows-host.js'

const SYSTEM = 'C:\\Windows\\System32'
const RUNS = ({state}: {state: string}) => state === 'running'
const RESTS = ({state}: {state: string}) => state === 'stopped'

describe('a service that runs', {skip: SKIP_PROCESSES}, () => {
  let rig: ServiceRig
  let program: string
  let logs: string
  // Without kube-log-runner, as the kubelet up to 1.25.
  const daemon: Daemon = {...DAEMON.kubelet, service: 'lab ü', wrapper: 'shawl'}
  before(async () => {
    rig = await openServiceRig()
    program = await rig.program('kubelet.exe')
    logs = path.join(rig.folder, 'logs', daemon.service)
    await rig.machine.files.makeDirectory(logs)
  })
  after(() => rig.close())

  async function start(name: string, args: readonly string[] = []): Promise<void> {
    await rig.services.ensure(rig.spec(name, [program, '--windows-service', ...args]), rig.signal)
    await rig.services.start(name)
  }

  test('gets its arguments and its environment', async () => {
    const name = 'k8s-win-lab-told'
    const file = path.join(rig.folder, 'told.json')
    const args = ['--windows-service', `--lab-tell=${file}`, 'a b', 'c"d', '', 'e\\', 'f\\\\" g', '—ß中', '--x=']
    const spec = rig.spec(name, [program, ...args], {environment: {EMPTY: '', NODE_NAME: 'ü 中 "x"'}})
    await rig.services.ensure(spec, rig.signal)
    await rig.services.start(name)
    const {argv, environment, pid} = await rig.told(file)
    assert.deepEqual(argv, [program, ...args])
    // Wine 10 does not read the value Environment of a service's key.
    assert.equal(environment.includes('NODE_NAME=ü 中 "x"'), !IS_WINE)
    const status = await rig.status(name, RUNS)
    assert.deepEqual(status, {processId: pid, serviceExitCode: 0, state: 'running', win32ExitCode: 0})
    await assert.rejects(rig.machine.win32.startService(name), {code: 1056})
    await rig.services.start(name)
    await rig.services.stop(name, rig.signal)
    assert.deepEqual(await rig.services.status(name), {...status, processId: 0, state: 'stopped'})
  })

  test('may take its time to stop', async () => {
    const name = 'k8s-win-lab-slow'
    await start(name, ['--lab-slow-stop=700'])
    await rig.status(name, RUNS)
    await rig.machine.win32.stopService(name)
    assert.equal((await rig.services.status(name))?.state, 'stop-pending')
    await assert.rejects(rig.machine.win32.stopService(name), {code: 1061})
    await rig.services.stop(name, rig.signal)
    assert.equal((await rig.services.status(name))?.state, 'stopped')
  })

  test('is deleted when it has stopped', async () => {
    const name = 'k8s-win-lab-deleted'
    await start(name)
    const config = (await rig.machine.win32.queryServiceConfig(name))!
    await rig.machine.win32.deleteService(name)
    assert.equal((await rig.services.status(name))?.state, 'running')
    await assert.rejects(rig.machine.win32.createService(name, config), {code: 1072})
    await rig.services.remove(name, rig.signal)
    assert.equal(await rig.services.status(name), undefined)
  })

  test('starts and stops with those it depends on', async () => {
    const [below, above] = ['k8s-win-lab-below', 'k8s-win-lab-above'] as const
    const command = [program, '--windows-service']
    await rig.services.ensure(rig.spec(below, command), rig.signal)
    await rig.services.ensure(rig.spec(above, command, {dependencies: [below]}), rig.signal)
    await rig.services.start(above)
    await rig.status(above, RUNS)
    // Wine 10 ignores dependencies: it starts one without the other, and stops one under the other.
    assert.equal((await rig.services.status(below))?.state, IS_WINE ? 'stopped' : 'running')
    await rig.services.start(below)
    await rig.status(below, RUNS)
    if (!IS_WINE) await assert.rejects(rig.machine.win32.stopService(below), {code: 1051})
    await rig.services.stop(below, rig.signal)
    assert.equal((await rig.services.status(above))?.state, IS_WINE ? 'running' : 'stopped')
  })

  test('has 1053 where its program ends before it connects, or never does', async () => {
    for (const [name, args] of [
      ['k8s-win-lab-early', ['--windows-service', '--lab-die=3']],
      ['k8s-win-lab-silent', [`--lab-tell=${path.join(rig.folder, 'silent.json')}`]],
    ] as const) {
      await rig.services.ensure(rig.spec(name, [program, ...args]), rig.signal)
      await assert.rejects(rig.services.start(name), {call: 'StartServiceW', code: 1053})
      const status = await rig.status(name, RESTS)
      // Wine 10 then reports that it was never started.
      assert.deepEqual([status.processId, status.win32ExitCode], [0, IS_WINE ? 1077 : 1053], name)
    }
    const {pid} = await rig.told(path.join(rig.folder, 'silent.json'))
    await rig.until('the silent program is ended', async () => (isAlive(pid) ? undefined : true))
  })

  test('that says STOPPED with a code of its own has 1066 and that code', async () => {
    const name = 'k8s-win-lab-own-code'
    await start(name, ['--lab-stopped=4711'])
    const {serviceExitCode, win32ExitCode} = await rig.status(name, RESTS)
    assert.deepEqual({serviceExitCode, win32ExitCode}, {serviceExitCode: 4711, win32ExitCode: 1066})
  })

  test('that is killed has 1067, and what it started is killed with it', async () => {
    const name = 'k8s-win-lab-killed'
    const file = path.join(rig.folder, 'child.json')
    await start(name, [`--lab-child="${program}" "--lab-tell=${file}"`])
    const {processId} = await rig.status(name, RUNS)
    const child = await rig.told(file)
    await windowsKillTree(SYSTEM)(processId)
    assert.equal(isAlive(child.pid), false)
    const {win32ExitCode} = await rig.status(name, (status) => status.processId !== processId)
    assert.equal(win32ExitCode, 1067)
    // Wine 10 carries out no failure actions: on Windows it runs again after five seconds.
    if (IS_WINE) assert.equal((await rig.services.status(name))?.state, 'stopped')
    else await rig.status(name, RUNS)
  })

  test('that dies reports why in its log, and so do we', async () => {
    const name = 'k8s-win-lab-crash'
    const command = [program, '--windows-service', `--log-dir=${logs}`, '--lab-crash=255', '--lab-fatal=no such flag ü']
    const context = await serviceStep(rig)
    const desired = {daemon, spec: rig.spec(name, command)}
    await assert.rejects(applyService(context, 'kubelet-service', desired), (error: {id: string; reason: string}) => {
      assert.equal(error.id, 'SERVICE_NOT_HEALTHY')
      assert.match(error.reason, /no such flag ü/)
      return true
    })
    await rig.status(name, ({win32ExitCode}) => win32ExitCode === 1067)
    const names = await rig.machine.files.list(logs)
    const kinds = names.map((log) => /^kubelet\.exe\.[^.]+\.[^.]+\.log\.([A-Z]+)\.\d{8}-\d{6}\.\d+$/.exec(log)?.[1])
    if (IS_WINE) assert.deepEqual(kinds, ['ERROR', 'FATAL', 'INFO', 'WARNING'])
    else assert.ok(kinds.length >= 4)
    assert.match((await lastLogLines(rig.machine.files, logs)).at(-1)!, /^F\d{4} .*\] no such flag ü$/)
  })

  test('is in place once it runs in one piece', async () => {
    const context = await serviceStep(rig)
    const desired = {daemon, spec: rig.spec('k8s-win-lab-well', [program, '--windows-service', `--log-dir=${logs}`])}
    await applyService(context, 'kubelet-service', desired)
    const {evidence, state} = await inspectService(context, desired)
    // What Wine 10 does not store is a drift for ever.
    assert.equal(state, IS_WINE ? 'drifted' : 'in-place', evidence.join())
    if (IS_WINE)
      assert.ok(
        evidence.every((one) => one.includes('failure')),
        evidence.join(),
      )
  })

  test('keeps its program: it can be renamed, not replaced, until it has stopped', async () => {
    const name = 'k8s-win-lab-locked'
    const locked = await rig.program('locked ü.exe')
    await rig.services.ensure(rig.spec(name, [locked, '--windows-service']), rig.signal)
    await rig.services.start(name)
    await rig.status(name, RUNS)
    const before = await rig.machine.files.digest(locked, 'sha256')
    const files = openFiles({clock: hurried(rig.machine.clock, 60)})
    await assert.rejects(files.write(locked, 'new'), {code: 'EPERM', name: 'FileError', operation: 'write'})
    assert.equal(await files.digest(locked, 'sha256'), before)
    assert.deepEqual(
      (await files.list(rig.folder)).filter((one) => one.endsWith('.tmp')),
      [],
    )
    await files.rename(locked, `${locked}.old`)
    await files.write(locked, 'new')
    await rig.services.stop(name, rig.signal)
    await rig.machine.files.write(`${locked}.old`, 'new too')
    assert.equal(String(await files.read(`${locked}.old`)), 'new too')
  })
})
