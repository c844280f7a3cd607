// Every minor through whole runs of setup, from nothing on every host that it fits. Patches of a minor differ in hardly more
// than their bytes (test/artifacts/digests.test.ts has the digests of all): of neighbours that setup and the simulator treat
// alike the oldest is installed over that node on one of the hosts; of those that a host refuses for one reason the oldest
// and the newest are tried there. every-release.crash.ts tries all 235 releases from nothing on every host;
// test/components/all-releases.test.ts has the reason of every refusal, and holds every command line against the flags of its
// release.
import {describe, expect, it} from 'vitest'
import type {HostFolder} from '../steps/host-folder.js'
import {
  expectChanged,
  expectRefused,
  expectSetUp,
  HOSTS,
  minorOf,
  refusalOf,
  RELEASES,
  traitsOf,
} from './every-release.js'

const MINORS = [...new Set(RELEASES.map((release) => minorOf(release)))]

/** Where the answer is not that for the release before. */
const changesOf = (releases: readonly string[], answer: (release: string) => unknown): string[] =>
  releases.filter((release, at) => at === 0 || answer(release) !== answer(String(releases[at - 1])))

const fitting = (release: string): string[] => HOSTS.filter((profile) => refusalOf(profile, release) === undefined)

it('there are 235 releases of 16 minors', () => {
  expect([RELEASES.length, MINORS.length]).toEqual([235, 16])
})

describe.each(MINORS)('1.%s', (minor) => {
  it('its releases are set up', async () => {
    const releases = RELEASES.filter((release) => minorOf(release) === minor)
    const newest = String(releases.at(-1))
    const nodes = new Map<string | undefined, HostFolder>()
    for (const profile of fitting(newest)) nodes.set(profile, await expectSetUp(profile, newest))
    for (const [index, release] of changesOf(releases, traitsOf).entries()) {
      const hosts = fitting(release)
      const profile = hosts[(minor + index) % hosts.length]
      const node = nodes.get(profile)
      if (profile !== undefined && node) await expectChanged(node, profile, release)
      else expect(release).toBe('1.31.0')
    }
  })
})

it.each(HOSTS)('%s refuses what does not fit', async (profile) => {
  const refusal = (release: string): string | undefined => refusalOf(profile, release)
  const ends = [...changesOf(RELEASES, refusal), ...changesOf([...RELEASES].reverse(), refusal)]
  const refused = new Set(ends.filter((release) => refusal(release) !== undefined))
  expect(refused).not.toEqual(new Set())
  for (const release of refused) await expectRefused(profile, release)
})
