// All 235 releases through whole runs of setup. From nothing one takes a seventh of a second, and patches of a minor differ
// only in their programs: so every minor is set up from nothing on every host that it fits, and its other patches are
// installed over that node, each on one of the hosts; of those that a host refuses, the oldest and the newest of a minor are
// tried there. every-release.crash.ts tries every release from nothing on every host; test/components/all-releases.test.ts
// has the reason of every refusal, and holds every command line against the flags of its release.
import {describe, expect, it} from 'vitest'
import type {HostFolder} from '../steps/host-folder.js'
import {expectChanged, expectRefused, expectSetUp, HOSTS, minorOf, refusalOf, RELEASES} from './every-release.js'

const MINORS = [...new Set(RELEASES.map((release) => minorOf(release)))]

const fitting = (release: string): string[] => HOSTS.filter((profile) => refusalOf(profile, release) === undefined)

it('there are 235 releases of 16 minors', () => {
  expect([RELEASES.length, MINORS.length]).toEqual([235, 16])
})

describe.each(MINORS)('1.%s', (minor) => {
  const releases = RELEASES.filter((release) => minorOf(release) === minor)
  const newest = String(releases.at(-1))

  it('every release is set up', async () => {
    const nodes = new Map<string | undefined, HostFolder>()
    for (const profile of fitting(newest)) nodes.set(profile, await expectSetUp(profile, newest))
    for (const [index, release] of releases.slice(0, -1).entries()) {
      const hosts = fitting(release)
      const profile = hosts[index % hosts.length]
      const node = nodes.get(profile)
      if (profile !== undefined && node) await expectChanged(node, profile, release)
      else expect(release).toBe('1.31.0')
    }
  })

  it.each(HOSTS)('%s refuses what does not fit', async (profile) => {
    const refused = releases.filter((release) => refusalOf(profile, release) !== undefined)
    for (const release of new Set([...refused.slice(0, 1), ...refused.slice(-1)])) await expectRefused(profile, release)
  })
})
