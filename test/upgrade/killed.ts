// An upgrade that fails and goes back, killed at its effects: the way back, too. One more run ends in one of the two releases,
// and never in between; what is left until then is reported with the command that finishes it.
import {beforeAll, describe, expect, test} from 'vitest'
import {everyNth, keptOf, type Recording, recordPoints} from '../interruption/kill-points.js'
import {setupOn} from '../setup/in-process.js'
import {statusOn} from '../status/status-on.js'
import type {HostFolder} from '../steps/host-folder.js'
import {at, expectEnded, nodeAt, pod, PROFILE, releasesOf} from './node-at.js'
import {refusing} from './refusing.js'

const [OLD, NEW] = ['1.30.14', '1.31.14']
const drained = {upgrade: {drainMs: 60_000}}

/** Of the states of the host, every n-th; the two commands are tried in turn, or both where it is every one. */
export function describeKilledUpgrade(every: number): void {
  describe(`an upgrade that goes back, killed at every ${every}. state`, () => {
    let recording: Recording | undefined
    beforeAll(async () => {
      const host = await nodeAt(OLD, NEW)
      host.edit(({cluster}) => (cluster.pods = [pod('a')]))
      recording = await recordPoints(host, everyNth(every), async (dir, wrap) => {
        const isRefused = refusing('kubelet', 1)
        const watch = {...drained, wrap: (machine: Parameters<typeof wrap>[0]) => wrap(isRefused(machine))}
        const {result} = await setupOn(dir, {release: NEW}, watch, PROFILE)
        expect(result.error?.id).toBe('UPGRADE_ROLLED_BACK')
      })
    }, 120_000)

    const each = async (nth: number, check: (host: HostFolder, where: string) => Promise<void>): Promise<void> => {
      const kept = keptOf(recording as Recording)
      expect(kept.length * every).toBeGreaterThan(60)
      for (const [index, {host, points}] of kept.entries()) {
        if (every === 1 || index % 2 === nth) await check(host.copy(), `killed ${String(points[0])}`)
      }
    }

    test('the same command ends in the new release', async () => {
      await each(0, async (host, where) => {
        const {result} = await setupOn(host.dir, {release: NEW}, drained, PROFILE)
        expect(result.error, where).toBeUndefined()
        expect(releasesOf(host), where).toEqual(at(NEW))
        expectEnded(host)
      })
    }, 600_000)

    test('setup ends in the old one; before it, status names what is open', async () => {
      const ids = new Set<string>()
      await each(1, async (host, where) => {
        const isOpen = host.journal.some(({kind}) => kind === 'upgrade')
        const before = (await statusOn(host.dir, {profile: PROFILE})).document
        ids.add(before.problems[0]?.id ?? '')
        expect(before.problems[0]?.id === 'UPGRADE_UNFINISHED', where).toBe(isOpen)
        const {result} = await setupOn(host.dir, {}, {}, PROFILE)
        expect(result.error, where).toBeUndefined()
        expect(releasesOf(host), where).toEqual(at(OLD))
        expectEnded(host)
        const {document} = await statusOn(host.dir, {profile: PROFILE})
        expect(document, where).toMatchObject({problems: [], verdict: 'healthy'})
      })
      expect(ids).toContain('UPGRADE_UNFINISHED')
    }, 600_000)
  })
}
