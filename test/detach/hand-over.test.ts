// What a run that is handed over to the service leaves behind it, where it is interrupted, fails or is restarted too often.
import {describe, expect, it} from 'vitest'
import {LAUNCHERS} from '../../src/config/launchers.js'
import {type LauncherRecord, readLauncherRecord} from '../../src/host/launcher/record.js'
import {interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import type {RunResultDocument} from '../../src/pipeline/run/events.js'
import {InterruptedError} from '../../src/pipeline/run/to-user-error.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {withoutContainers} from '../fixtures/restart-due.js'
import type {HostFolder} from '../steps/host-folder.js'
import {hostWithProgram, PROFILE, requestOn, serve, serviceOn, type Session, session, SMALL} from './detached.js'

const recordOn = async ({dir}: HostFolder): Promise<LauncherRecord | undefined> =>
  readLauncherRecord(await openSimulator({dir, profile: PROFILE, readOnly: true}))

describe.each(['startService', 'createService'])('interrupted at %s', (effect) => {
  const interrupted = async (host: HostFolder, of: Session): Promise<RunResultDocument> => {
    const controller = new AbortController()
    const wrap = (machine: Machine): Machine =>
      interceptMachine(machine, async ({what}, perform) => {
        const result = await perform()
        if (what === effect) controller.abort(new InterruptedError())
        return result
      })
    return session(host, {...of, signal: controller.signal, wrap})
  }

  it('a setup is not continued, and its service deletes itself', async () => {
    const host = await hostWithProgram()
    expect(await interrupted(host, {})).toMatchObject({exitCode: 130, outcome: 'interrupted'})
    expect(requestOn(host)).toBeUndefined()
    if (serviceOn(host) === undefined) return
    await expect(serve(host)).rejects.toMatchObject({id: 'NO_RUN_REQUESTED'})
    expect(serviceOn(host)).toMatchObject({deleting: true})
  })

  it('a reset is not continued', async () => {
    const host = await hostWithProgram()
    await session(host, {isDetached: false})
    expect(await interrupted(host, {command: 'reset'})).toMatchObject({exitCode: 130, outcome: 'interrupted'})
    expect(requestOn(host)).toBeUndefined()
  })
})

it.each(LAUNCHERS)('under %s, a record is left open only where the service settles it', async (launcher) => {
  const host = await hostWithProgram()
  expect(await session(host, {launcher})).toMatchObject({outcome: 'detached'})
  const record = await recordOn(host)
  const isSettled = launcher === 'azure-cse' || launcher === 'ec2launch-v1'
  expect(record?.outcome).toBe(isSettled ? 'unfinished' : undefined)
  host.edit(({cluster}) => void (cluster.reachable = false))
  expect(await serve(host)).toMatchObject({outcome: 'failed'})
  expect((await recordOn(host))?.outcome).toBe(isSettled ? 'failed' : undefined)
})

it('after too many restarts nothing continues: neither service nor request stays', async () => {
  const host = await hostWithProgram()
  const given = {...SMALL, 'allow-restart': true, 'enable-features': true}
  for (const nth of [1, 2, 3]) {
    host.edit(withoutContainers)
    const result = await session(host, {given, isDetached: false})
    expect(result, `restart ${nth}`).toMatchObject({continuesAfterRestart: true, outcome: 'restart-required'})
  }

  host.edit(withoutContainers)
  const last = await session(host, {given, isDetached: false})
  expect(last).toMatchObject({error: {id: 'RESTART_LOOP'}, outcome: 'failed'})
  expect(last.continuesAfterRestart).toBeUndefined()
  expect([serviceOn(host), requestOn(host)]).toEqual([undefined, undefined])
})
