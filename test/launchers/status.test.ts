// status shows a run that a launcher started and that is still open.
import {describe, expect, it} from 'vitest'
import {openScreen} from '../../src/output/screen.js'
import {statusLines} from '../../src/output/status/status-text.js'
import type {StatusDocument} from '../../src/pipeline/run/status-report.js'
import type {Fault} from '../fakes/faulty.js'
import {pendRestart} from '../fixtures/restart-due.js'
import {statusOn} from '../status/status-on.js'
import {HostFolder} from '../steps/host-folder.js'
import {launch, PROFILE} from './launched.js'

const statusOf = async ({dir}: HostFolder): Promise<StatusDocument> =>
  (await statusOn(dir, {profile: PROFILE})).document
const textOf = (document: StatusDocument): string => statusLines(document, openScreen({write: () => {}})).join('\n')

describe('status', () => {
  it('shows a run that waits for a restart, and how many there may be', async () => {
    const host = await HostFolder.fresh(pendRestart, PROFILE)
    await launch(host, {launcher: 'azure-cse'})
    await launch(host, {launcher: 'ssm'})
    const document = await statusOf(host)
    expect(document.launcher).toMatchObject({
      attemptsLeft: 0,
      command: 'setup',
      error: 'RESTART_REQUIRED',
      exitCode: 10,
      name: 'ssm',
      outcome: 'restart-required',
      restarts: 1,
      restartsLeft: 2,
    })
    expect(textOf(document)).toMatch(
      /Open run: setup, started by ssm, waits for a restart of Windows.*restarts left: 2/,
    )
  })

  it('shows a run that is to be tried again, and one that is not', async () => {
    const host = await HostFolder.fresh(({cluster}) => (cluster.reachable = false), PROFILE)
    await launch(host, {launcher: 'cloudbase-init'})
    const document = await statusOf(host)
    expect(document.launcher).toMatchObject({attempts: 1, attemptsLeft: 2, outcome: 'failed'})
    expect(textOf(document)).toContain('tries left: 2')
    await launch(host, {launcher: 'ssm'})
    expect((await statusOf(host)).launcher).toMatchObject({attemptsLeft: 0, name: 'ssm'})
  })

  it('shows a run that was killed, and one that is active', async () => {
    const host = await HostFolder.fresh(undefined, PROFILE)
    const faults: Fault[] = [
      {at: ({via, what}) => via === 'http' && what === 'DOWNLOAD', does: 'crash', when: 'before'},
    ]
    await launch(host, {faults, launcher: 'cloudbase-init'}).catch(() => {})
    const document = await statusOf(host)
    const killed = {attempts: 1, attemptsLeft: 0, error: 'SETUP_UNFINISHED', exitCode: 130, outcome: 'unfinished'}
    expect(document.launcher).toMatchObject({...killed, active: false, command: 'setup', name: 'cloudbase-init'})
    expect(textOf(document)).toMatch(/setup, started by cloudbase-init, did not finish: it was killed/)
    const free = host.lock(String.raw`Global\k8s-win`)
    const during = await statusOf(host)
    await free?.()
    expect(during.launcher).toMatchObject({active: true, outcome: 'unfinished'})
    expect(textOf(during)).toMatch(/setup, started by cloudbase-init, has not finished yet \(a run is active\)/)
  })

  it('shows nothing after a success, nor of a run in another folder', async () => {
    const host = await HostFolder.fresh(({os}) => (os.computerName = 'WIN_1'), PROFILE)
    await launch(host, {given: {'base-dir': String.raw`c:\other`}, launcher: 'ssm'})
    expect((await statusOf(host)).launcher).toBeUndefined()
    host.edit(({os}) => (os.computerName = 'WIN-1'))
    await launch(host, {launcher: 'ssm'})
    expect((await statusOf(host)).launcher).toBeUndefined()
  })
})
