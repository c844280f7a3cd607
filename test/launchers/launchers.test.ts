// Each launcher, by its published rule, drives whole runs through failures and restarts. What it believes at the end is the
// truth; cloudbase-init, which knows no failure, leaves a record and an event that say it.
import {describe, expect, it} from 'vitest'
import type {Launcher} from '../../src/config/launchers.js'
import {
  azureCse,
  cloudbaseInit,
  ec2launch,
  ec2launchV1,
  type Emulator,
} from '../../src/simulator/launchers/emulators.js'
import {emulate, ssm} from './emulate.js'
import {pendRestart, settleRestart} from '../fixtures/restart-due.js'
import {HostFolder} from '../steps/host-folder.js'
import {DOWNLOADS_FAIL, eventsOn, FULL_DISK, launch, PROFILE, RECORD_FILE, recordOn} from './launched.js'

const EMULATORS: readonly (readonly [Exclude<Launcher, 'none'>, Emulator])[] = [
  ['cloudbase-init', cloudbaseInit],
  ['ec2launch', ec2launch],
  ['ec2launch-v1', ec2launchV1],
  ['ssm', ssm],
  ['azure-cse', azureCse],
]
const RESTARTING = EMULATORS.filter(([name]) => ['cloudbase-init', 'ec2launch', 'ssm'].includes(name))

const isSetUp = ({world}: HostFolder): boolean => Object.keys(world.services).includes('kubelet')

describe.each(EMULATORS)('%s', (launcher, emulator) => {
  it('believes that a run is done when it is', async () => {
    const host = await HostFolder.fresh(undefined, PROFILE)
    const end = await emulate(
      emulator,
      async () => (await launch(host, {launcher})).code,
      () => {},
    )
    expect(end).toEqual({belief: 'done', restarts: 0, runs: 1})
    expect(isSetUp(host)).toBe(true)
    expect(host.has(RECORD_FILE)).toBe(false)
    expect(eventsOn(host)).toMatchObject([{id: 1, level: 4}])
  })

  it('knows a permanent failure, by its belief or by the record', async () => {
    const host = await HostFolder.fresh(({os}) => (os.computerName = 'WIN_1'), PROFILE)
    const end = await emulate(
      emulator,
      async () => (await launch(host, {launcher})).code,
      () => {},
    )
    expect(end).toMatchObject({belief: launcher === 'cloudbase-init' ? 'done' : 'failed', restarts: 0, runs: 1})
    expect(await recordOn(host)).toMatchObject({
      attempts: 0,
      error: 'NODE_NAME_INVALID',
      exitCode: 3,
      launcher,
      outcome: 'failed',
    })
    expect(eventsOn(host)).toMatchObject([
      {id: 3, level: 2, text: expect.stringContaining('NODE_NAME_INVALID') as string},
    ])
  })

  it('knows a transient failure that lasts, after a number of tries that ends', async () => {
    const host = await HostFolder.fresh(undefined, PROFILE)
    const end = await emulate(
      emulator,
      async () => (await launch(host, {faults: [DOWNLOADS_FAIL], launcher})).code,
      () => {},
    )
    const isRepeated = launcher === 'cloudbase-init'
    expect(end).toEqual({belief: isRepeated ? 'done' : 'failed', restarts: 0, runs: isRepeated ? 3 : 1})
    expect(await recordOn(host)).toMatchObject({error: 'DOWNLOAD_FAILED', exitCode: 4, outcome: 'failed'})
    expect(eventsOn(host).map(({id}) => id)).toEqual(isRepeated ? [3, 3, 3] : [3])
  })
})

describe.each(RESTARTING)('%s restarts Windows', (launcher, emulator) => {
  it('and runs the same command again, which continues', async () => {
    const host = await HostFolder.fresh(pendRestart, PROFILE)
    const codes: number[] = []
    const end = await emulate(
      emulator,
      async () => {
        const {code} = await launch(host, {launcher})
        codes.push(code)
        return code
      },
      () => host.edit(settleRestart),
    )
    expect(codes).toEqual([launcher === 'cloudbase-init' ? 1003 : 3010, 0])
    expect(end).toEqual({belief: 'done', restarts: 1, runs: 2})
    expect(isSetUp(host)).toBe(true)
    expect(host.has(RECORD_FILE)).toBe(false)
    expect(eventsOn(host).map(({id}) => id)).toEqual([2, 1])
  })

  it('three times at most, though it would restart more often', async () => {
    const host = await HostFolder.fresh(pendRestart, PROFILE)
    const end = await emulate(
      emulator,
      async () => (await launch(host, {launcher})).code,
      () => {},
    )
    expect(end).toEqual({belief: launcher === 'cloudbase-init' ? 'done' : 'failed', restarts: 3, runs: 4})
    expect(await recordOn(host)).toMatchObject({error: 'RESTART_LOOP', exitCode: 5, outcome: 'failed', restarts: 3})
    expect(eventsOn(host).map(({id}) => id)).toEqual([2, 2, 2, 3])
    // Started again by hand, or by an association on a schedule.
    expect((await launch(host, {launcher})).code).toBe(5)
  })

  it('review S2-15: never where the restarts cannot be counted: setup refuses, with the fix', async () => {
    const host = await HostFolder.fresh((world) => {
      pendRestart(world)
      world.security[String.raw`c:\programdata\k8s-win`] = 'O:S-1-5-21-1-2-3-1001D:PAI(A;OICI;FA;;;S-1-5-21-1-2-3-1001)'
    }, PROFILE)
    host.makeFolder(String.raw`ProgramData\k8s-win`)
    let output = ''
    const end = await emulate(
      emulator,
      async () => {
        const launched = await launch(host, {launcher})
        ;({output} = launched)
        return launched.code
      },
      () => {},
    )
    expect(end).toMatchObject({restarts: 0, runs: 1})
    expect(output).toMatch(/FOLDER_LOCKED/)
    expect(eventsOn(host)).toMatchObject([{id: 3}])
  })
})

describe('a launcher that does not restart Windows', () => {
  it.each([
    ['ec2launch-v1', 10],
    ['azure-cse', 0],
  ] as const)('%s gets %d, and the record says that a restart is due', async (launcher, code) => {
    const host = await HostFolder.fresh(pendRestart, PROFILE)
    const ended = await launch(host, {launcher})
    expect(ended).toMatchObject({code, result: {exitCode: 10, outcome: 'restart-required'}})
    expect(await recordOn(host)).toMatchObject({error: 'RESTART_REQUIRED', outcome: 'restart-required', restarts: 0})
    host.edit(settleRestart)
    expect((await launch(host, {launcher})).code).toBe(0)
    expect(host.has(RECORD_FILE)).toBe(false)
  })

  it('azure-cse gets a failure where the record cannot be written: 0 would be a lie', async () => {
    const host = await HostFolder.fresh(pendRestart, PROFILE)
    expect((await launch(host, {faults: [FULL_DISK], launcher: 'azure-cse'})).code).toBe(10)
  })

  it('restarts that k8s-win makes itself are counted', async () => {
    const host = await HostFolder.fresh(pendRestart, PROFILE)
    const codes = []
    for (let run = 0; run < 4; run++) {
      codes.push((await launch(host, {given: {'allow-restart': true}, launcher: 'none'})).code)
      // Whatever demands the restart is there again after it.
      host.edit((world) => {
        delete world.os.restarting
        pendRestart(world)
      })
    }
    expect(codes).toEqual([10, 10, 10, 5])
  })
})
