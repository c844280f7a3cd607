// What the README promises of output without a terminal: at least every half minute there is a line.
import {expect, test} from 'vitest'
import {plainView} from '../../src/output/run/plain-view.js'
import type {World} from '../../src/simulator/world.js'
import {setupOn} from './in-process.js'
import {HostFolder} from '../steps/host-folder.js'

test.each([
  ['a fresh host', () => {}],
  ['a host whose network is cut for long', (world: World) => (world.os.vswitch = {offlineMs: 100_000})],
  ['a host on which flanneld hangs at first', (world: World) => (world.hns.stuckOnce = true)],
])('on %s', async (_, sicken) => {
  const {events} = await setupOn((await HostFolder.fresh(sicken)).dir)
  let text = ''
  const stream = {write: (part: string) => (text += part)}
  const view = plainView({next: [], now: Date.now, stream, ticker: () => () => {}, verbose: false})
  for (const event of events) view.listen(event)
  const times = text
    .trimEnd()
    .split('\n')
    .map((line) => Date.parse(String(line.split(' ')[0])))
  const gaps = times.slice(1).map((time, index) => time - Number(times[index]))
  expect(times.length).toBeGreaterThan(40)
  expect(Math.max(...gaps)).toBeLessThanOrEqual(30_000)
})
