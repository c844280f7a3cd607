// A containerd that was there before and is repaired with --adopt, killed at its effects: run again once, the node is the one
// of a run that nothing disturbed, and reset restores the host.
import {beforeAll, describe, expect, test} from 'vitest'
import {DOCKERS_PACKAGE, hostWith} from '../fixtures/present-containerd.js'
import {resetOn} from '../reset/reset-run.js'
import {differences, type WholeHost, wholeHost} from '../reset/whole-host.js'
import {setupOn} from '../setup/in-process.js'
import {comparable} from '../steps/comparable.js'
import {type Recording, recordPoints} from './kill-points.js'

const given = {adopt: true, 'base-images': 'none'}
const NAT = String.raw`Program Files\containerd\cni\conf\0-containerd-nat.conf`

/** Of the states of the host, every n-th. */
export function describePresentKills(every: number): void {
  describe(`a containerd that is repaired, killed at every ${every}. state`, () => {
    let before: WholeHost
    let recording: Recording | undefined
    beforeAll(async () => {
      const layout = {config: DOCKERS_PACKAGE, files: {[NAT]: '{}'}, startType: 'demand', version: 'v1.7.25'} as const
      const host = await hostWith(layout)
      before = wholeHost(host)
      recording = await recordPoints(
        host,
        (nth) => nth % every === 0,
        async (dir, wrap) => {
          const {result} = await setupOn(dir, given, {wrap})
          expect(result.error).toBeUndefined()
        },
      )
    }, 120_000)

    test('run again, it is as if nothing had happened; reset restores the host', async () => {
      const {left, undisturbed} = recording as Recording
      const wanted = comparable(undisturbed)
      expect(left.length).toBeGreaterThan(100)
      for (const {host: killed, points} of left) {
        if (!killed) continue
        const [host, where] = [killed.copy(), `killed ${String(points[0])}`]
        expect((await setupOn(host.dir, given)).result.error, where).toBeUndefined()
        expect(comparable(host), where).toEqual(wanted)
        expect((await resetOn(host.dir, {given: {purge: true}})).result.error, where).toBeUndefined()
        const changed = differences(before, wholeHost(host)).filter((line) => !/processId|startedAt/.test(line))
        expect(changed, where).toEqual([])
      }
    }, 600_000)
  })
}
