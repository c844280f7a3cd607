// A run that stops because Windows must be restarted, and the run after the restart.
import {beforeEach, describe, expect, it} from 'vitest'
import type {GivenOptions} from '../../src/config/options/options.js'
import {InterruptedError} from '../../src/pipeline/run/to-user-error.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {reboot} from '../../src/simulator/windows/restart.js'
import {pendRestart, settleRestart, withoutContainers} from '../fixtures/restart-due.js'
import {HostFolder} from '../steps/host-folder.js'
import {setupOn} from './in-process.js'

const PROFILE = 'ws2022-containerd'

const GIVEN: GivenOptions = {'base-images': 'none'}
const ENABLING: GivenOptions = {...GIVEN, 'enable-features': true}

/** Windows is up again, and its services run. */
async function restart(host: HostFolder): Promise<void> {
  host.edit((world) => reboot(world))
  const {clock} = await openSimulator({dir: host.dir, profile: PROFILE})
  await clock.sleep(10_000)
}

/** Downloads and pulls of all runs. */
const downloads = (host: HostFolder): string[] =>
  host.transcript.filter(({kind, via}) => via === 'http' && kind === 'change').map(({what}) => what)

const dismRuns = (host: HostFolder): readonly unknown[] =>
  host.transcript.filter(({kind, via, what}) => via === 'run' && kind === 'change' && /dism\.exe$/i.test(what))

describe('a restart that Windows Update demands', () => {
  let host: HostFolder
  beforeEach(async () => {
    host = await HostFolder.fresh(pendRestart, PROFILE)
  })

  it('ends setup with 10 before anything is changed', async () => {
    const before = host.copy()
    const {result} = await setupOn(host.dir, GIVEN)
    expect(result).toMatchObject({
      error: {fix: expect.stringMatching(/^Restart Windows/) as string, id: 'RESTART_REQUIRED'},
      exitCode: 10,
      outcome: 'restart-required',
      recap: {changed: 0, failed: 0},
      steps: [],
    })
    expect(result.errors).toBeUndefined()
    expect(host.world.services).toEqual(before.world.services)
    expect(host.world.containerd).toEqual(before.world.containerd)
  })

  it('is not the outcome where the host does not qualify either: a restart would not help', async () => {
    host.edit((world) => (world.os.computerName = 'WIN_1'))
    const {result} = await setupOn(host.dir, GIVEN)
    expect(result).toMatchObject({exitCode: 3, outcome: 'failed'})
    expect(result.errors?.map(({id}) => id).sort()).toEqual(['NODE_NAME_INVALID', 'RESTART_REQUIRED'])
  })

  it('is the same in a dry run', async () => {
    const {result} = await setupOn(host.dir, GIVEN, {dryRun: true})
    expect(result).toMatchObject({error: {id: 'RESTART_REQUIRED'}, exitCode: 10, outcome: 'restart-required'})
  })

  it('is over after the restart', async () => {
    await setupOn(host.dir, GIVEN)
    host.edit(settleRestart)
    const {result} = await setupOn(host.dir, GIVEN)
    expect(result).toMatchObject({exitCode: 0, node: {ready: true}, outcome: 'done'})
  })
})

describe('the Windows feature Containers', () => {
  let host: HostFolder
  beforeEach(async () => {
    host = await HostFolder.fresh(withoutContainers, PROFILE)
  })

  it('is missed by one check, whose fix names --enable-features', async () => {
    const {result} = await setupOn(host.dir, GIVEN)
    expect(result).toMatchObject({error: {id: 'CONTAINERS_MISSING'}, exitCode: 3, outcome: 'failed'})
    expect(result.errors).toBeUndefined()
    expect(result.error?.fix).toMatch(/--enable-features/)
    expect(dismRuns(host)).toEqual([])
  })

  it('is enabled before anything is downloaded, and the run after the restart continues', async () => {
    const first = (await setupOn(host.dir, ENABLING)).result
    expect(first).toMatchObject({
      error: {cause: expect.stringMatching(/Containers/) as string, id: 'RESTART_REQUIRED'},
      exitCode: 10,
      outcome: 'restart-required',
      recap: {failed: 0},
    })
    const states = Object.fromEntries(first.steps.map(({id, state}) => [id, state]))
    expect(states).toMatchObject({'base-dir': 'changed', 'kubelet-service': 'not-run', 'windows-features': 'changed'})
    expect(Object.values(states).filter((state) => state === 'changed')).toHaveLength(2)
    expect(downloads(host)).toEqual([])

    await restart(host)
    const second = (await setupOn(host.dir, ENABLING)).result
    expect(second).toMatchObject({exitCode: 0, node: {ready: true}, outcome: 'done'})
    expect(second.steps.find(({id}) => id === 'windows-features')?.state).toBe('in-place')
    expect(dismRuns(host)).toHaveLength(1)
  })

  it('is not a standing permission: node.yaml does not keep the option', async () => {
    await setupOn(host.dir, ENABLING)
    await restart(host)
    await setupOn(host.dir, ENABLING)
    expect(host.read(String.raw`k\k8s-win\node.yaml`)).not.toContain('enableFeatures')
  })

  it('is found pending where the restart never comes: 10 again, and dism.exe does not run again', async () => {
    await setupOn(host.dir, ENABLING)
    for (const given of [ENABLING, GIVEN]) {
      const {result} = await setupOn(host.dir, given)
      expect(result).toMatchObject({error: {id: 'RESTART_REQUIRED'}, exitCode: 10, steps: []})
      expect(
        result.checks
          .filter((one) => one.result === 'fail')
          .map(({id}) => id)
          .sort(),
      ).toEqual(['containers-feature', 'pending-restart'])
    }
    expect(dismRuns(host)).toHaveLength(1)
    expect(downloads(host)).toEqual([])
  })

  it('is used at once where Windows needs no restart for it', async () => {
    host.edit(({os}) => (os.features = {containers: false, restart: false}))
    const {result} = await setupOn(host.dir, ENABLING)
    expect(result).toMatchObject({exitCode: 0, node: {ready: true}, outcome: 'done'})
  })

  it.each([
    [87, /^dism\.exe ended with 87: /],
    [0x80_0f_08_1f, /^dism\.exe ended with 0x800f081f: the files of the feature/],
    [0x80_07_00_05, /^dism\.exe ended with 0x80070005: it said: The DISM log file/],
  ])('that dism.exe refuses with %i fails the step, before anything is downloaded', async (failure, says) => {
    host.edit(({os}) => (os.features = {containers: false, failure}))
    const {result} = await setupOn(host.dir, ENABLING)
    expect(result).toMatchObject({error: {id: 'FEATURE_NOT_ENABLED'}, exitCode: 5, outcome: 'failed'})
    expect(result.error?.cause).toMatch(says)
    expect(result.error?.fix).toContain(String.raw`C:\Windows\Logs\DISM\dism.log`)
    expect(downloads(host)).toEqual([])
  })

  it('is not enabled on a host that does not qualify', async () => {
    host.edit((world) => (world.os.computerName = 'WIN_1'))
    const {result} = await setupOn(host.dir, ENABLING)
    expect(result).toMatchObject({error: {id: 'NODE_NAME_INVALID'}, exitCode: 3})
    expect(dismRuns(host)).toEqual([])
  })

  it('is planned by a dry run with all that follows', async () => {
    const before = host.world.os.features
    const {events, result} = await setupOn(host.dir, ENABLING, {dryRun: true})
    expect(result).toMatchObject({exitCode: 0, outcome: 'planned'})
    expect(result.steps.find(({id}) => id === 'windows-features')).toMatchObject({
      changes: ['dism.exe /Online /Enable-Feature /FeatureName:Containers /All /NoRestart'],
      state: 'would-change',
    })
    expect(result.steps.find(({id}) => id === 'kubelet-service')?.state).toBe('would-change')
    expect(JSON.stringify(events)).toContain('setup stops there with exit code 10')
    expect(host.world.os.features).toEqual(before)
    expect(dismRuns(host)).toEqual([])
  })

  it('is enabled by the run after one that was interrupted while dism.exe ran', async () => {
    const stop = new AbortController()
    const killed = await setupOn(host.dir, ENABLING, {
      after: async ({what}) => void (/dism/i.test(what) && stop.abort(new InterruptedError())),
      signal: stop.signal,
    })
    expect(killed.result).toMatchObject({exitCode: 130, outcome: 'interrupted'})
    // dism.exe itself has finished.
    expect((await setupOn(host.dir, ENABLING)).result).toMatchObject({exitCode: 10, outcome: 'restart-required'})
    await restart(host)
    expect((await setupOn(host.dir, ENABLING)).result).toMatchObject({exitCode: 0, outcome: 'done'})
  })
})
