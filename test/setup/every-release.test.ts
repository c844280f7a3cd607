// All 235 releases through whole runs of setup, each on a host that it fits and on one that refuses it. A setup from
// nothing takes a tenth of a second and more, and patches of a minor differ only in their programs: so every minor is set up
// from nothing on every host that it fits, and its other patches are installed over that node, each on one of the hosts.
// every-release.crash.ts sets up every release from nothing on every host. The command lines themselves are held against
// the flags of every release in test/components/all-releases.test.ts.
import {describe, expect, it} from 'vitest'
import {remembered} from '../../src/machine/remembered.js'
import type {HostFolder} from '../steps/host-folder.js'
import {expectChanged, expectRefused, expectSetUp, HOSTS, minorOf, refusalOf, RELEASES} from './every-release.js'

const MINORS = [...new Set(RELEASES.map((release) => minorOf(release)))]

async function hostsThat(release: string, wanted: 'fit' | 'refuse'): Promise<string[]> {
  const refusals = await Promise.all(HOSTS.map((profile) => refusalOf(profile, release)))
  return HOSTS.filter((_, index) => (refusals[index] === undefined) === (wanted === 'fit'))
}

it('there are 235 releases of 16 minors', () => {
  expect([RELEASES.length, MINORS.length]).toEqual([235, 16])
})

describe.each(MINORS)('1.%s', (minor) => {
  const releases = RELEASES.filter((release) => minorOf(release) === minor)
  const newest = String(releases.at(-1))
  const nodeOn = remembered((profile): Promise<HostFolder> => expectSetUp(profile, newest))

  it('every release is set up', async () => {
    const fitting = await hostsThat(newest, 'fit')
    expect(fitting).not.toEqual([])
    for (const profile of fitting) await nodeOn(profile)
    for (const [index, release] of releases.slice(0, -1).entries()) {
      const hosts = await hostsThat(release, 'fit')
      const profile = hosts[index % hosts.length]
      if (profile === undefined) expect(release).toBe('1.31.0')
      else await expectChanged(await nodeOn(profile), profile, release)
    }
  })

  it('every release is refused where it does not fit', async () => {
    for (const [index, release] of releases.entries()) {
      const hosts = await hostsThat(release, 'refuse')
      await expectRefused(String(hosts[index % hosts.length]), release)
    }
  })
})
