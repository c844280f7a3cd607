// stop, start, restart and run, killed at every effect, and run again: the command is complete. npm test takes a spread of the
// states that a kill leaves.
import {expect, test} from 'vitest'
import type {RunResultDocument} from '../../src/pipeline/run/events.js'
import {daemonsOn, runOn} from '../runs/daemons/daemons-on.js'
import {isWhole} from '../sample.js'
import {setupOn} from '../setup/in-process.js'
import {statusOn} from '../status/status-on.js'
import {HostFolder} from '../steps/host-folder.js'
import {recordPoints, type Recorded, spread} from './kill-points.js'

/** Of the states that a kill leaves. */
const ASKED = isWhole ? Infinity : 1
const PROFILE = 'ws2022-containerd'
const DRAIN = {drainMs: 60_000}
const PRINTED = 'Starting kubelet main sync loop'

type Ran = (dir: Parameters<Recorded>[0], wrap?: Parameters<Recorded>[1]) => Promise<{result: RunResultDocument}>
const on =
  (words: string, more = {}): Ran =>
  (dir, wrap) =>
    daemonsOn(dir, words, {...more, ...(wrap && {wrap})})

const ROWS: readonly [name: string, before: readonly Ran[], run: Ran, isUp: boolean][] = [
  ['stop --drain', [], on('stop', DRAIN), false],
  ['start', [on('stop', DRAIN)], on('start'), true],
  ['restart --drain', [], on('restart', DRAIN), true],
  ['run', [], (dir, wrap) => runOn(dir, 'kubelet', {until: PRINTED, ...(wrap && {wrap})}), true],
]

test.each(ROWS)(
  'the next %s completes what a killed one has left',
  async (_, before, run, isUp) => {
    const host = HostFolder.empty()
    expect((await setupOn(host.dir, {}, {}, PROFILE)).result.exitCode).toBe(0)
    for (const one of before) expect((await one(host.dir)).result.exitCode).toBe(0)
    const {left} = await recordPoints(
      host,
      () => true,
      async (dir, wrap) => {
        expect((await run(dir, wrap)).result).toMatchObject({exitCode: 0})
      },
    )
    expect(left.length).toBeGreaterThan(3)
    for (const {host: killed, points} of spread({left}, ASKED)) {
      const copy = killed.copy()
      const {result} = await run(copy.dir)
      expect({error: result.error, exitCode: result.exitCode}, points[0]).toEqual({exitCode: 0})
      const again = await run(copy.dir)
      if (!isUp || before.length > 0) expect(again.result.recap.changed, points[0]).toBe(0)
      const {document} = await statusOn(copy.dir, {profile: PROFILE})
      const isCordoned = copy.world.cluster.nodes.some(({name, unschedulable}) => name === 'win-1' && unschedulable)
      expect([document.paused !== undefined, isCordoned], points[0]).toEqual([!isUp, !isUp])
      if (isUp) expect(document.verdict, points[0]).toBe('healthy')
    }
  },
  600_000,
)
