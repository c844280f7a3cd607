// When the record is written, kept and removed, and what the document says of the launcher.
import {describe, expect, it} from 'vitest'
import {LAUNCHERS} from '../../src/config/launchers.js'
import {type LauncherRecord, writeRecord} from '../../src/host/launcher/record.js'
import {type Effect, interceptMachine} from '../../src/machine/intercept.js'
import {describeEffect} from '../../src/machine/pending-effects.js'
import {InterruptedError} from '../../src/pipeline/run/to-user-error.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {hostWithProgram, serve, session} from '../detach/detached.js'
import type {Fault} from '../fakes/faulty.js'
import {pendRestart} from '../fixtures/restart-due.js'
import {sample} from '../sample.js'
import {HostFolder} from '../steps/host-folder.js'
import {eventsOn, launch, type Launched, type Launching, PROFILE, RECORD_FILE, recordOn} from './launched.js'

const unfit = (): Promise<HostFolder> => HostFolder.fresh(({os}) => (os.computerName = 'WIN_1'), PROFILE)
const repair = (host: HostFolder): void => host.edit(({os}) => (os.computerName = 'WIN-1'))

/** Of another command than the tests start. */
const UPGRADE: LauncherRecord = {
  at: '2026-11-17T00:00:00.000Z',
  attempts: 2,
  baseDir: String.raw`C:\k`,
  command: 'upgrade',
  error: 'RESTART_REQUIRED',
  exitCode: 10,
  launcher: 'ssm',
  outcome: 'restart-required',
  restarts: 1,
  schemaVersion: 1,
}

describe('the record', () => {
  it('is not written without a launcher, and the document has none', async () => {
    const host = await unfit()
    const {code, result} = await launch(host)
    expect(code).toBe(3)
    expect(result.launcher).toBeUndefined()
    expect(host.has(RECORD_FILE)).toBe(false)
    expect(eventsOn(host)).toMatchObject([{id: 3}])
  })

  it('is written under a launcher that was detected', async () => {
    const host = await unfit()
    host.edit(({os}) => (os.startedBy = ['powershell.exe', 'python.exe', 'cloudbase-init.exe']))
    expect((await launch(host)).result.launcher).toEqual({exitCode: 3, name: 'cloudbase-init'})
    expect(await recordOn(host)).toMatchObject({launcher: 'cloudbase-init'})
    expect((await launch(host, {launcher: 'none'})).result.launcher).toBeUndefined()
  })

  it('is removed when the same command succeeds, also by hand', async () => {
    const host = await unfit()
    await launch(host, {launcher: 'ssm'})
    repair(host)
    expect((await launch(host, {launcher: 'none'})).code).toBe(0)
    expect(host.has(String.raw`ProgramData\k8s-win`)).toBe(false)
  })

  it('is kept by a preview and by an invalid command line, which write no event either', async () => {
    const host = await unfit()
    await launch(host, {launcher: 'ssm'})
    const [before, events] = [host.read(RECORD_FILE), eventsOn(host)]
    await launch(host, {dryRun: true, launcher: 'ssm'})
    const invalid = await launch(host, {given: {'cluster-cidr': 'x'}, launcher: 'cloudbase-init'})
    expect(invalid).toMatchObject({code: 2, result: {launcher: {exitCode: 2}}})
    expect(host.read(RECORD_FILE)).toBe(before)
    expect(eventsOn(host)).toEqual(events)
  })

  it('is removed by reset, also where setup never got further than its checks', async () => {
    const host = await unfit()
    await launch(host, {launcher: 'ssm'})
    expect((await launch(host, {command: 'reset', launcher: 'ssm'})).code).toBe(0)
    expect(host.has(RECORD_FILE)).toBe(false)
  })

  it('counts an interrupted run as a try', async () => {
    const host = await HostFolder.fresh(undefined, PROFILE)
    const stop = new AbortController()
    stop.abort(new InterruptedError())
    const {code, result} = await launch(host, {launcher: 'cloudbase-init', signal: stop.signal})
    expect(code).toBe(1002)
    expect(result).toMatchObject({
      exitCode: 130,
      launcher: {attempt: 1, attempts: 3, exitCode: 1002, name: 'cloudbase-init'},
      outcome: 'interrupted',
    })
    expect(await recordOn(host)).toMatchObject({attempts: 1, outcome: 'interrupted'})
    expect(eventsOn(host)).toMatchObject([{id: 4, level: 3}])
  })

  it('is written for a bug, which no launcher is asked to run again', async () => {
    const host = await HostFolder.fresh(undefined, PROFILE)
    const faults: Fault[] = [{at: ({what}) => what === 'takeMutex', does: new TypeError('unforeseen'), when: 'before'}]
    await expect(launch(host, {faults, launcher: 'cloudbase-init'})).rejects.toThrow('unforeseen')
    expect(await recordOn(host)).toMatchObject({attempts: 0, error: 'BUG', exitCode: 1, outcome: 'failed'})
    expect(eventsOn(host)).toMatchObject([{id: 3}])
  })

  it('of another command is kept by a success, and its restarts count on', async () => {
    const host = await HostFolder.fresh(undefined, PROFILE)
    const machine = await openSimulator({dir: host.dir, profile: PROFILE})
    expect(await writeRecord(machine, UPGRADE)).toBe(true)
    expect((await launch(host, {launcher: 'ssm'})).code).toBe(0)
    expect(await recordOn(host)).toEqual(UPGRADE)
    host.edit(pendRestart)
    expect((await launch(host, {launcher: 'ssm'})).code).toBe(3010)
    expect(await recordOn(host)).toMatchObject({attempts: 0, command: 'setup', restarts: 2})
  })

  it('is not even begun by a preview, nor by a run that finds the lock held', async () => {
    const host = await HostFolder.fresh(undefined, PROFILE)
    const isRecord = ({args}: {args: readonly unknown[]}): boolean => /ProgramData\\k8s-win/i.test(String(args[0]))
    const written: string[] = []
    const wrap: Launching['wrap'] = (machine) =>
      interceptMachine(machine, (effect, perform) => {
        if (effect.kind === 'change' && isRecord(effect)) written.push(describeEffect(effect))
        return perform()
      })
    for (const command of ['setup', 'reset'] as const)
      await launch(host, {command, dryRun: true, launcher: 'ssm', wrap})
    const free = host.lock(String.raw`Global\k8s-win`)
    expect((await launch(host, {launcher: 'ssm', wrap})).code).toBe(11)
    await free?.()
    expect(written).toEqual([])
    // The same machine sees it where there is one.
    expect((await launch(host, {launcher: 'ssm', wrap})).code).toBe(0)
    expect(written).not.toEqual([])
  })

  it.each([
    ['needs --yes (exit code 2)', 'none', 2],
    ['is cancelled', 'no', 0],
  ] as const)('is as before after a reset that %s', async (_, answer, code) => {
    const host = await HostFolder.fresh(undefined, PROFILE)
    await launch(host, {launcher: 'ssm'})
    // Without its journal reset asks in any case.
    host.remove(String.raw`k\k8s-win\journal.ndjson`)
    const reset = (): Promise<Launched> => launch(host, {answer, command: 'reset', launcher: 'ssm'})
    expect((await reset()).code).toBe(code)
    expect(host.has(String.raw`ProgramData\k8s-win`)).toBe(false)
    expect(await writeRecord(await openSimulator({dir: host.dir, profile: PROFILE}), UPGRADE)).toBe(true)
    expect((await reset()).code).toBe(code)
    expect(await recordOn(host)).toEqual(UPGRADE)
  })

  it('counts a killed run as a try, also where the next one fails', async () => {
    const host = await HostFolder.fresh(({cluster}) => (cluster.reachable = false), PROFILE)
    const faults: Fault[] = [{at: ({via}) => via === 'http', does: 'crash', when: 'before'}]
    await launch(host, {faults, launcher: 'cloudbase-init'}).catch(() => {})
    expect(await recordOn(host)).toMatchObject({attempts: 1, error: 'SETUP_UNFINISHED', outcome: 'unfinished'})
    expect((await launch(host, {launcher: 'cloudbase-init'})).code).toBe(1002)
    expect(await recordOn(host)).toMatchObject({attempts: 2, outcome: 'failed'})
    expect((await launch(host, {launcher: 'cloudbase-init'})).code).toBe(3)
  })

  it('that took too long to write at the beginning is settled at the end all the same', async () => {
    const host = await HostFolder.fresh(undefined, PROFILE)
    let writes = 0
    const wrap: Launching['wrap'] = (machine) =>
      interceptMachine(machine, async (effect, perform) => {
        const isFirst = effect.what === 'write' && /launcher\.json$/.test(String(effect.args[0])) && ++writes === 1
        if (isFirst) await machine.clock.sleep(30_000)
        return perform()
      })
    expect((await launch(host, {launcher: 'ssm', wrap})).code).toBe(0)
    expect(writes).toBe(1)
    expect(host.has(RECORD_FILE)).toBe(false)
  })

  it.each(sample(LAUNCHERS, 2))(
    'of a run that was detached under %s is gone when the service has ended it',
    async (launcher) => {
      const host = await hostWithProgram()
      expect(await session(host, {launcher})).toMatchObject({exitCode: 0, outcome: 'detached'})
      // The service settles it where it has the same launcher.
      const isOpen = launcher === 'azure-cse' || launcher === 'ec2launch-v1'
      if (isOpen) expect(await recordOn(host)).toMatchObject({attempts: 0, launcher, outcome: 'unfinished'})
      expect(host.has(RECORD_FILE)).toBe(isOpen)
      expect(await serve(host)).toMatchObject({exitCode: 0, outcome: 'done'})
      expect(host.has(RECORD_FILE)).toBe(false)
    },
  )

  it('does not hold up a run where the event log or the processes do not respond', async () => {
    const host = await HostFolder.fresh(undefined, PROFILE)
    let asked = 0
    // setup asks for the processes too: only the first question is the one of the launcher.
    const isHung = ({what}: Effect): boolean => what === 'reportEvent' || (what === 'processes' && ++asked === 1)
    const hung: Fault[] = [{at: isHung, does: 'hang', when: 'before'}]
    expect((await launch(host, {faults: hung})).code).toBe(0)
  })
})
