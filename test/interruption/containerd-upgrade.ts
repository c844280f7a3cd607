// From containerd 1.7 to 2.3, killed at every effect and run again once: with the same command the node is the one of a run
// that no one disturbed; with the stored options it has the old Kubernetes again, and the old containerd only where the new
// one has not opened the root.
import {beforeAll, describe, expect, test} from 'vitest'
import type {GivenOptions} from '../../src/config/options/options.js'
import {readStandIn} from '../../src/simulator/mirror/stand-in.js'
import {makeCluster} from '../../src/simulator/profiles/cluster.js'
import {statusOn} from '../status/status-on.js'
import {comparable} from '../steps/comparable.js'
import {HostFolder} from '../steps/host-folder.js'
import {everyNth, keptOf, type Recording, recordPoints} from './kill-points.js'
import {setupOn} from './setup-run.js'

const profile = 'ws2022-containerd'
const [OLD, NEW] = ['1.30.14', '1.31.14']
const PROGRAMS = ['containerd', 'containerd-shim-runhcs-v1', 'ctr']

async function setUp(host: HostFolder, given: GivenOptions, where = ''): Promise<void> {
  const {bug, result} = await setupOn(host.dir, {given, profile})
  expect({bug, error: result?.error, exitCode: result?.exitCode}, where).toEqual({exitCode: 0})
}

const versionsOf = (host: HostFolder): (string | undefined)[] =>
  PROGRAMS.map((name) => readStandIn(Buffer.from(host.read(`k\\containerd\\bin\\${name}.exe`)))?.version)

/** Of the effects that change something, `every` n-th; of each state both commands are tried, or one of them in turn. */
export function describeContainerdUpgrade(every: number): void {
  describe(`another containerd, killed at every ${every}. state`, () => {
    let recording: Recording | undefined
    beforeAll(async () => {
      const host = await HostFolder.fresh((world) => (world.cluster = makeCluster(`v${NEW}`)), profile)
      const given = {'base-images': 'none'}
      await setUp(host, {...given, 'containerd-version': '1.7.25', release: OLD})
      recording = await recordPoints(host, everyNth(every), async (dir, wrap) => {
        const {bug, result} = await setupOn(dir, {given: {...given, release: NEW}, profile, wrap})
        if (result?.exitCode !== 0) throw new Error(JSON.stringify(result?.error), {cause: bug})
      })
    }, 120_000)

    const each = async (isOdd: boolean, check: (host: HostFolder, where: string) => Promise<void>): Promise<void> => {
      const kept = keptOf(recording as Recording)
      expect(kept.length * every).toBeGreaterThan(50)
      for (const [nth, {host, points}] of kept.entries()) {
        if (every === 1 || nth % 2 === Number(isOdd)) await check(host.copy(), `killed ${String(points[0])}`)
      }
    }

    test('run again, it is as if nothing had happened', async () => {
      const wanted = comparable((recording as Recording).undisturbed)
      await each(false, async (host, where) => {
        await setUp(host, {release: NEW}, where)
        expect(comparable(host), where).toEqual(wanted)
      })
    }, 600_000)

    test('with the stored options it goes back, and keeps a containerd that has opened the root', async () => {
      const seen = new Set<string>()
      await each(true, async (host, where) => {
        const isStored = host.read(String.raw`k\k8s-win\node.yaml`).includes(NEW)
        const {containerd, services} = host.world
        const isOpened = containerd.openedBy === 'v2.3.4'
        const isStarting = !isOpened && services['containerd']?.state !== 'stopped'
        await setUp(host, {}, where)
        const kubelet = host.world.cluster.nodes.find(({name}) => name === 'win-1')?.kubeletVersion
        const versions = versionsOf(host)
        seen.add(`${kubelet} ${versions[0]}`)
        const expected = isStarting ? versions[0] : isOpened ? 'v2.3.4' : 'v1.7.25'
        expect([kubelet, ...versions], where).toEqual([`v${isStored ? NEW : OLD}`, ...PROGRAMS.map(() => expected)])
        expect((await statusOn(host.dir, {profile})).document, where).toMatchObject({problems: [], verdict: 'healthy'})
      })
      if (every === 1) expect([...seen]).toEqual(expect.arrayContaining([`v${OLD} v1.7.25`, `v${OLD} v2.3.4`]))
    }, 600_000)
  })
}
