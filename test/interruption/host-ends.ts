// The host ends at every effect of a fresh setup, or of a reset. Windows starts again, and one more setup gives a healthy node,
// of which reset --purge leaves nothing behind: whatever was on the disk by then, each thing was recorded before it was made.
import fc from 'fast-check'
import {beforeAll, describe, expect, test} from 'vitest'
import {openSimulator} from '../../src/simulator/simulator.js'
import {allowEverything} from '../fakes/administrator.js'
import {resetOn} from '../reset/reset-run.js'
import {differences, type WholeHost, wholeHost} from '../reset/whole-host.js'
import {statusOn} from '../status/status-on.js'
import {HostFolder} from '../steps/host-folder.js'
import {endHost, type HostEnd} from './host-end.js'
import {type LeftBehind, type Recording, recordPoints} from './kill-points.js'
import {setupOn} from './setup-run.js'

export interface HostEnds {
  /** Every how many of the states. */
  readonly every: number
  readonly of: 'reset' | 'setup'
  readonly profile: string
}

const GIVEN = {'base-images': 'nanoserver'}
const PURGE = {purge: true, yes: true}
/** Of a service, what a restart of the host changes. */
const STARTED = /^world > services > \w+ > (?!config|name|state)/

export function describeHostEnds({every, of, profile}: HostEnds): void {
  describe(`a ${of} whose host ends, on ${profile}`, () => {
    let before: WholeHost
    let recording: Recording
    beforeAll(async () => {
      const host = await HostFolder.fresh(allowEverything, profile)
      before = wholeHost(host)
      if (of === 'reset') await setupOn(host.dir, {given: GIVEN, profile})
      recording = await recordPoints(
        host,
        (nth) => nth % every === 1,
        async (dir, wrap) => {
          const {result} =
            of === 'setup'
              ? await setupOn(dir, {given: GIVEN, profile, wrap})
              : await resetOn(dir, {given: PURGE, profile, wrap})
          expect(result?.exitCode).toBe(0)
        },
      )
    }, 300_000)

    const expectGone = async (host: HostFolder, where: string): Promise<void> => {
      const {result} = await resetOn(host.dir, {given: PURGE, profile})
      expect({error: result.error, exitCode: result.exitCode}, where).toEqual({exitCode: 0})
      await (await openSimulator({dir: host.dir, profile})).clock.sleep(1)
      expect(
        differences(before, wholeHost(host)).filter((line) => !STARTED.test(line)),
        where,
      ).toEqual([])
    }

    const expectRecovers = async ({host, points}: LeftBehind, end: HostEnd, lost: number): Promise<void> => {
      const ended = (host as HostFolder).copy()
      await endHost(ended, end, profile, lost)
      const where = `${end} (${lost}) ${points[0]}`
      await expectGone(ended.copy(), `${where}, then reset`)
      const {bug, result} = await setupOn(ended.dir, {given: GIVEN, profile})
      expect({bug, error: result?.error, exitCode: result?.exitCode}, where).toEqual({exitCode: 0})
      const {problems, verdict} = (await statusOn(ended.dir, {profile})).document
      expect({problems, verdict}, where).toEqual({problems: [], verdict: 'healthy'})
      await expectGone(ended, `${where}, then setup and reset`)
    }

    const kept = (): LeftBehind[] => recording.left.filter(({host}) => host)

    test('review V1: shut down', async () => {
      for (const one of kept()) await expectRecovers(one, 'shutdown', 0)
    }, 3_600_000)

    test('review R2-2: without power, and without any tail of what was not flushed', async () => {
      for (const one of kept()) {
        const {dir} = one.host as HostFolder
        const most = typeof dir === 'string' ? 0 : dir.entries.unflushed
        const [some = 0] = fc.sample(fc.integer({max: most, min: 0}), {numRuns: 1, seed: one.points.length})
        for (const lost of new Set([some, most])) await expectRecovers(one, 'power', lost)
      }
    }, 3_600_000)
  })
}
