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
const FOLDER = String.raw`Program Files\mine`
const NAT = String.raw`Program Files\containerd\cni\conf\0-containerd-nat.conf`

/** Of the states of the host, every n-th. */
export function describePresentKills(every: number): void {
  describe(`a containerd that is repaired, killed at every ${every}. state`, () => {
    let before: WholeHost
    let recording: Recording | undefined
    beforeAll(async () => {
      // Beside the default file: its service has --config.
      const host = await hostWith({
        config: DOCKERS_PACKAGE,
        files: {[NAT]: '{}'},
        folder: FOLDER,
        startType: 'demand',
        version: 'v1.7.25',
      })
      before = wholeHost(host)
      recording = await recordPoints(
        host,
        // Where its configuration is put aside, and the new one is not there yet, at any rate.
        (nth) => nth % every === 0 || !host.has(`${FOLDER}\\config.toml`),
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
