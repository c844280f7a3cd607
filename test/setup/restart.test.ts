// A run that stops because Windows must be restarted, and the run after the restart.
import {beforeEach, describe, expect, it} from 'vitest'
import type {World} from '../../src/simulator/world.js'
import {HostFolder} from '../steps/host-folder.js'
import {setupOn} from './in-process.js'

const PROFILE = 'ws2022-containerd'
const PENDING = String.raw`HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\WindowsUpdate\Auto Update\RebootRequired`

const pend = (world: World): void => void (world.registry[PENDING] = {})

describe('a restart that Windows Update demands', () => {
  let host: HostFolder
  beforeEach(async () => {
    host = await HostFolder.fresh(pend, PROFILE)
  })

  it('ends setup with 10 before anything is changed', async () => {
    const before = host.copy()
    const {result} = await setupOn(host.dir, {'base-images': 'none'})
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
    const {result} = await setupOn(host.dir, {'base-images': 'none'})
    expect(result).toMatchObject({exitCode: 3, outcome: 'failed'})
    expect(result.errors?.map(({id}) => id).sort()).toEqual(['NODE_NAME_INVALID', 'RESTART_REQUIRED'])
  })

  it('is the same in a dry run', async () => {
    const {result} = await setupOn(host.dir, {'base-images': 'none'}, {dryRun: true})
    expect(result).toMatchObject({error: {id: 'RESTART_REQUIRED'}, exitCode: 10, outcome: 'restart-required'})
  })

  it('is over after the restart', async () => {
    await setupOn(host.dir, {'base-images': 'none'})
    host.edit((world) => delete world.registry[PENDING])
    const {result} = await setupOn(host.dir, {'base-images': 'none'})
    expect(result).toMatchObject({exitCode: 0, node: {ready: true}, outcome: 'done'})
  })
})
