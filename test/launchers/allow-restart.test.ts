// --allow-restart: who restarts Windows, how often, and what the next run finds.
import {describe, expect, it} from 'vitest'
import {LAUNCHERS} from '../../src/config/launchers.js'
import type {GivenOptions} from '../../src/config/options/options.js'
import {withoutContainers} from '../fixtures/restart-due.js'
import {HostFolder} from '../steps/host-folder.js'
import {FULL_DISK, launch, PROFILE, RECORD_FILE, recordOn} from './launched.js'

const GIVEN: GivenOptions = {'allow-restart': true, 'enable-features': true}

const fresh = (): Promise<HostFolder> => HostFolder.fresh(withoutContainers, PROFILE)

describe.each(LAUNCHERS)('under %s', (launcher) => {
  const isOwn = ['azure-cse', 'ec2launch-v1', 'none'].includes(launcher)

  it('Windows is restarted by k8s-win or by the launcher, never by both', async () => {
    const host = await fresh()
    const {output, result} = await launch(host, {given: GIVEN, launcher})
    expect(result).toMatchObject({error: {id: 'RESTART_REQUIRED'}, exitCode: 10, outcome: 'restart-required'})
    expect(result.restartsIn).toBe(isOwn ? 30 : undefined)
    expect(host.world.os.restarting).toBe(isOwn ? true : undefined)
    expect(output.includes('Windows restarts in 30 s')).toBe(isOwn)
    expect(await recordOn(host)).toMatchObject({outcome: 'restart-required', restarts: 1})
  })

  it('nothing restarts Windows without the option', async () => {
    const host = await fresh()
    const {result} = await launch(host, {given: {'enable-features': true}, launcher})
    expect(result).toMatchObject({exitCode: 10})
    expect(result).not.toHaveProperty('restartsIn')
    expect(host.world.os.restarting).toBeUndefined()
  })
})

it('the run after the restart continues, and its success ends the record', async () => {
  const host = await fresh()
  await launch(host, {given: GIVEN, launcher: 'none'})
  const {result} = await launch(host, {given: GIVEN, launcher: 'none'})
  expect(result).toMatchObject({exitCode: 0, node: {ready: true}, outcome: 'done'})
  expect(host.has(RECORD_FILE)).toBe(false)
})

it('Windows is not restarted where it cannot be counted', async () => {
  const host = await fresh()
  const {output, result} = await launch(host, {faults: [FULL_DISK], given: GIVEN, launcher: 'none'})
  expect(result).toMatchObject({exitCode: 10, outcome: 'restart-required'})
  expect(result).not.toHaveProperty('restartsIn')
  expect(host.world.os.restarting).toBeUndefined()
  expect(output).toMatch(/so k8s-win does\s[^a-z]*not restart Windows/)
})

it('the fourth restart is refused as RESTART_LOOP', async () => {
  const host = await fresh()
  for (let run = 0; run < 3; run++) {
    await launch(host, {given: GIVEN, launcher: 'none'})
    expect(host.world.os.restarting).toBe(true)
    host.edit((world) => {
      delete world.os.restarting
    })
  }
  const {result} = await launch(host, {given: GIVEN, launcher: 'none'})
  expect(result).toMatchObject({error: {id: 'RESTART_LOOP'}, exitCode: 5, outcome: 'failed'})
  expect(result).not.toHaveProperty('restartsIn')
  expect(host.world.os.restarting).toBeUndefined()
})

it('a dry run restarts nothing and counts nothing', async () => {
  const host = await fresh()
  const {result} = await launch(host, {dryRun: true, given: GIVEN, launcher: 'none'})
  expect(result).toMatchObject({exitCode: 0, outcome: 'planned'})
  expect(host.world.os.restarting).toBeUndefined()
  expect(host.has(RECORD_FILE)).toBe(false)
})
