// --ignore-check through the whole program: the problem becomes a warning that says so, and setup continues.
import {expect, test} from 'vitest'
import {SimulatedHost} from './simulated-host.js'

const SMALL = {availableBytes: 2 ** 30, totalBytes: 2 ** 31}

test('a host with too little memory is refused, and set up where the check is ignored', async () => {
  const host = await SimulatedHost.make((world) => (world.os.memory = SMALL))
  const before = host.state
  const refused = await host.setupJson()
  expect([refused.code, refused.result.error?.id]).toEqual([3, 'MEMORY_TOO_SMALL'])
  expect(host.state).toEqual(before)

  const {code, result, stderr} = await host.setupJson('-IgnoreCheck', 'memory')
  expect(code).toBe(0)
  expect(result.checks.find(({id}) => id === 'memory')).toMatchObject({
    message: 'This host has 2 GB of memory (ignored: --ignore-check memory)',
    result: 'warn',
  })
  expect(stderr).toContain('--ignore-check memory')
})
