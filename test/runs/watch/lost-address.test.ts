// The address of the node is lost: the loop reports it for as long as it is, and an inspection leaves it to the loop.
import {afterEach, expect, test} from 'vitest'
import {healthFile, readHealth} from '../../../src/runs/watch/state-files.js'
import type {World} from '../../../src/simulator/world.js'
import {BASE_DIR, WatchedHost} from './watched-host.js'

const MINUTE = 60_000
let host: WatchedHost
afterEach(() => host.stop())

const withOther = (adapters: World['adapters']): World['adapters'] =>
  adapters.map((adapter) => ({
    ...adapter,
    addresses: adapter.addresses.map((one) => ({...one, address: one.address.replace(/^10\.0\.0\.5$/, '10.0.0.77')})),
  }))

test('is reported by the loop, once, and no longer when it is back', async () => {
  host = await WatchedHost.setUp()
  const before = host.world.adapters
  const ids = () => host.state.troubles.map(({error}) => error.id).filter((id) => id === 'NODE_ADDRESS_LOST')
  await host.pass(2 * MINUTE)
  expect(ids()).toEqual([])
  host.world.adapters = withOther(before)
  await host.pass(2 * MINUTE)
  expect(ids()).toEqual(['NODE_ADDRESS_LOST'])
  host.world.adapters = before
  await host.pass(2 * MINUTE)
  expect(ids()).toEqual([])
})

test('review W3-9: NODE_ADDRESS_LOST leaves health.json with the next whole check, also after an inspection', async () => {
  host = await WatchedHost.setUp()
  const health = healthFile({baseDir: BASE_DIR, machine: host.machine, redact: (text) => text})
  Object.assign(host.changes, {reporters: () => [health]})
  const ids = async () => (await readHealth(host.machine, BASE_DIR))?.problems.map(({id}) => id)
  await host.pass(MINUTE)
  const before = host.world.adapters
  host.world.adapters = withOther(before)
  // It is inspected meanwhile.
  await host.pass(50 * MINUTE, true)
  expect(await ids()).toContain('NODE_ADDRESS_LOST')
  host.world.adapters = before
  await host.pass(MINUTE)
  expect(await ids()).not.toContain('NODE_ADDRESS_LOST')
})
