// When the record is written, kept and removed, and what the document says of the launcher.
import {describe, expect, it} from 'vitest'
import {writeRecord} from '../../src/host/launcher/record.js'
import type {Effect} from '../../src/machine/intercept.js'
import {InterruptedError} from '../../src/pipeline/run/to-user-error.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import type {Fault} from '../fakes/faulty.js'
import {HostFolder} from '../steps/host-folder.js'
import {eventsOn, launch, PROFILE, RECORD_FILE, recordOn} from './launched.js'

const PENDING = String.raw`HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\WindowsUpdate\Auto Update\RebootRequired`

const sick = (): Promise<HostFolder> => HostFolder.fresh(({os}) => (os.computerName = 'WIN_1'), PROFILE)
const heal = (host: HostFolder): void => host.edit(({os}) => (os.computerName = 'WIN-1'))

describe('the record', () => {
  it('is not written without a launcher, and the document has none', async () => {
    const host = await sick()
    const {code, result} = await launch(host)
    expect(code).toBe(3)
    expect(result.launcher).toBeUndefined()
    expect(host.has(RECORD_FILE)).toBe(false)
    expect(eventsOn(host)).toMatchObject([{id: 3}])
  })

  it('is written under a launcher that was detected', async () => {
    const host = await sick()
    host.edit(({os}) => (os.startedBy = ['powershell.exe', 'python.exe', 'cloudbase-init.exe']))
    expect((await launch(host)).result.launcher).toEqual({exitCode: 3, name: 'cloudbase-init'})
    expect(await recordOn(host)).toMatchObject({launcher: 'cloudbase-init'})
    expect((await launch(host, {launcher: 'none'})).result.launcher).toBeUndefined()
  })

  it('is removed when the same command succeeds, also by hand', async () => {
    const host = await sick()
    await launch(host, {launcher: 'ssm'})
    heal(host)
    expect((await launch(host, {launcher: 'none'})).code).toBe(0)
    expect(host.has(String.raw`ProgramData\k8s-win`)).toBe(false)
  })

  it('is kept by a preview and by an invalid command line, which write no event either', async () => {
    const host = await sick()
    await launch(host, {launcher: 'ssm'})
    const [before, events] = [host.read(RECORD_FILE), eventsOn(host)]
    await launch(host, {dryRun: true, launcher: 'ssm'})
    const invalid = await launch(host, {given: {'cluster-cidr': 'x'}, launcher: 'cloudbase-init'})
    expect(invalid).toMatchObject({code: 2, result: {launcher: {exitCode: 2}}})
    expect(host.read(RECORD_FILE)).toBe(before)
    expect(eventsOn(host)).toEqual(events)
  })

  it('is removed by reset, also where setup never got further than its checks', async () => {
    const host = await sick()
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
    const [at, baseDir] = ['2026-11-17T00:00:00.000Z', String.raw`C:\k`]
    const counts = {attempts: 2, exitCode: 10, outcome: 'restart-required', restarts: 1, schemaVersion: 1} as const
    const upgrade = {...counts, at, baseDir, command: 'upgrade', error: 'RESTART_REQUIRED', launcher: 'ssm'} as const
    expect(await writeRecord(machine, upgrade)).toBe(true)
    expect((await launch(host, {launcher: 'ssm'})).code).toBe(0)
    expect(await recordOn(host)).toEqual(upgrade)
    host.edit((world) => void (world.registry[PENDING] = {}))
    expect((await launch(host, {launcher: 'ssm'})).code).toBe(3010)
    expect(await recordOn(host)).toMatchObject({attempts: 0, command: 'setup', restarts: 2})
  })

  it('does not hold up a run where the event log or the processes do not respond', async () => {
    const host = await HostFolder.fresh(undefined, PROFILE)
    let asked = 0
    // setup asks for the processes too: only the first question is the one of the launcher.
    const isHung = ({what}: Effect): boolean => what === 'reportEvent' || (what === 'processes' && ++asked === 1)
    const hung: Fault[] = [{at: isHung, does: 'hang', when: 'before'}]
    expect((await launch(host, {faults: hung})).code).toBe(0)
  })
})
