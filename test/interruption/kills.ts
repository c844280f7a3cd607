// Killed at every effect of a fresh setup, before and after it, and run again once: the node is the same as after a run
// that no one disturbed. The points are spread over several files, so that they can run side by side.
import {beforeAll, describe, expect, test} from 'vitest'
import type {GivenOptions} from '../../src/config/options/options.js'
import {comparable} from '../steps/comparable.js'
import type {HostFolder} from '../steps/host-folder.js'
import {claimsOf, downloadsOf} from './records.js'
import {type Recording, recordKillPoints} from './kill-points.js'
import {setupOn} from './setup-run.js'

/** More than half of what there is: a run that stopped early would leave fewer. */
const FEWEST_EFFECTS = 500
const FEWEST_STATES = 100

export interface Kills {
  readonly baseDir?: string
  /** Every how many of the states; all of them where it is 1. */
  readonly every: number
  /** A claim that may be missing. */
  readonly forgiven?: string
  /** The first of them. */
  readonly from?: number
  readonly given?: GivenOptions
  readonly profile?: string
  readonly title?: string
}

export function describeKills(kills: Kills): void {
  const {baseDir = 'k', every, forgiven, from = 0, given = {}, profile = 'ws2019', title = ''} = kills
  const isWanted = (nth: number): boolean => nth % every === from
  describe(`killed and run again${title}, at every ${every}. state from ${from} on`, () => {
    let recording: Recording | undefined
    beforeAll(async () => {
      recording = await recordKillPoints(isWanted, given, profile)
    }, 120_000)

    test('every effect was a point to be killed at', () => {
      const {effects, left} = recording as Recording
      expect(effects).toBeGreaterThan(FEWEST_EFFECTS)
      expect(left.length).toBeGreaterThan(FEWEST_STATES)
      const points = left.flatMap((one) => one.points)
      expect(points.filter((point) => point.startsWith('before '))).toHaveLength(effects)
      // The last piece of the log may still be on its way when the run has ended.
      expect(points.length).toBeGreaterThanOrEqual(2 * effects - 1)
    })

    test('the node is as if nothing had happened', async () => {
      const {left, undisturbed} = recording as Recording
      const seenOn = (host: HostFolder) => ({
        claims: claimsOf(host, baseDir).filter((claim) => claim !== forgiven),
        downloads: downloadsOf(host, baseDir),
        node: comparable(host),
      })
      const wanted = seenOn(undisturbed)
      for (const {host: killed, points} of left) {
        if (!killed) continue
        const host = killed.copy()
        const {bug, result} = await setupOn(host.dir, {given, profile})
        const where = `killed ${points[0]} (and at ${points.length - 1} other points)`
        expect({bug, error: result?.error, exitCode: result?.exitCode}, where).toEqual({exitCode: 0})
        expect(seenOn(host), where).toEqual(wanted)
      }
    }, 600_000)
  })
}
