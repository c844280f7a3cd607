// A run that requires a restart of Windows continues after it by the service, where nothing else would start it again.
import {describe, expect, it} from 'vitest'
import {LAUNCHERS} from '../../src/config/launchers.js'
import type {GivenOptions} from '../../src/config/options/options.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {readLauncherRecord} from '../../src/host/launcher/record.js'
import {withoutContainers} from '../fixtures/restart-due.js'
import type {HostFolder} from '../steps/host-folder.js'
import {hostWithProgram, PROFILE, requestOn, restart, serve, serviceOn, session, SMALL} from './detached.js'

const GIVEN: GivenOptions = {...SMALL, 'enable-features': true}

async function freshHost(): Promise<HostFolder> {
  const host = await hostWithProgram()
  host.edit(withoutContainers)
  return host
}

const recordOn = async (host: HostFolder) =>
  readLauncherRecord(await openSimulator({dir: host.dir, profile: PROFILE, readOnly: true}))

describe.each(LAUNCHERS)('under %s', (launcher) => {
  const startsOnce = launcher === 'azure-cse' || launcher === 'ec2launch-v1'

  it('the service continues the run, or the launcher starts it again, never both', async () => {
    const host = await freshHost()
    const result = await session(host, {given: GIVEN, isDetached: false, launcher})
    expect(result).toMatchObject({exitCode: 10, outcome: 'restart-required'})
    expect(result.continuesAfterRestart ?? false).toBe(startsOnce)
    expect(serviceOn(host) !== undefined).toBe(startsOnce)
    if (!startsOnce) return
    expect(await recordOn(host)).toMatchObject({launcher, outcome: 'restart-required'})
    restart(host)
    const done = await serve(host)
    expect(done.error).toBeUndefined()
    expect(done).toMatchObject({exitCode: 0, node: {ready: true}, outcome: 'done'})
    expect(serviceOn(host)).toBeUndefined()
    expect(requestOn(host)).toBeUndefined()
    expect(await recordOn(host)).toBeUndefined()
  })
})

it('with --allow-restart it continues without a launcher too', async () => {
  const host = await freshHost()
  const result = await session(host, {given: {...GIVEN, 'allow-restart': true}, isDetached: false})
  expect(result).toMatchObject({continuesAfterRestart: true, outcome: 'restart-required', restartsIn: 30})
  restart(host)
  expect(await serve(host)).toMatchObject({exitCode: 0, outcome: 'done'})
  expect(serviceOn(host)).toBeUndefined()
})

it('a detached run that requires a restart waits for it', async () => {
  const host = await freshHost()
  await session(host, {given: GIVEN})
  const halted = await serve(host)
  expect(halted).toMatchObject({continuesAfterRestart: true, exitCode: 10})
  expect(serviceOn(host)).toBeDefined()
  restart(host)
  expect(await serve(host)).toMatchObject({exitCode: 0, outcome: 'done'})
  expect(serviceOn(host)).toBeUndefined()
})

describe('a run that continues at a start of Windows', () => {
  /** The service, before there is a network. */
  async function resumed(offlineMs: number): Promise<HostFolder> {
    const host = await freshHost()
    await session(host, {given: GIVEN, isDetached: false, launcher: 'azure-cse'})
    restart(host)
    await openSimulator({dir: host.dir, profile: PROFILE})
    host.edit((world) => void (world.os.offlineUntil = world.os.time + offlineMs))
    return host
  }

  it('is tried again until there is a network', async () => {
    const host = await resumed(150_000)
    const done = await serve(host)
    expect(done.error).toBeUndefined()
    expect(done).toMatchObject({exitCode: 0, outcome: 'done'})
    expect(serviceOn(host)).toBeUndefined()
  })

  /** As on most virtual machines: none is named as the default, and DHCP answers after the services have started. */
  it('waits for the address of an adapter that no option names', async () => {
    const host = await freshHost()
    host.edit(({adapters}) => void Object.assign(adapters[0]!, {dhcp: true, name: 'Ethernet'}))
    await session(host, {given: GIVEN, isDetached: false, launcher: 'azure-cse'})
    restart(host)
    await openSimulator({dir: host.dir, profile: PROFILE})
    host.edit((world) => {
      const [adapter, ...others] = world.adapters
      const at = world.os.time + 30_000
      world.os.offlineUntil = at
      world.os.vswitch = {...world.os.vswitch, returning: {adapter: {...adapter!}, at, routes: []}}
      world.adapters = [{...adapter!, addresses: [], gateways: []}, ...others]
    })
    const done = await serve(host)
    expect(done.error).toBeUndefined()
    expect(done).toMatchObject({exitCode: 0, node: {ready: true}, outcome: 'done'})
    expect(serviceOn(host)).toBeUndefined()
  })

  it('is not tried for ever', async () => {
    const host = await resumed(24 * 3_600_000)
    expect(await serve(host)).toMatchObject({outcome: 'failed'})
    expect(requestOn(host)).toBeUndefined()
    expect(serviceOn(host)).toBeUndefined()
    expect(await recordOn(host)).toMatchObject({launcher: 'azure-cse', outcome: 'failed'})
  })
})
