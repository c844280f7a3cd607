// Every release through whole runs of setup. Patches of a minor differ only in their programs: so every minor (four of them
// in npm test) is set up from nothing, and some of its other patches are installed over that node; of those that a host
// refuses, the oldest and the newest of a minor are tried there. test/components/all-releases.test.ts has the reason of every
// refusal, and holds every command line against the flags of its release.
import {describe, expect, it} from 'vitest'
import {isWhole, sample} from '../sample.js'
import type {HostFolder} from '../steps/host-folder.js'
import {expectChanged, expectRefused, expectSetUp, HOSTS, minorOf, refusalOf, RELEASES} from './every-release.js'

const MINORS = [...new Set(RELEASES.map((release) => minorOf(release)))]

const fitting = (release: string): string[] => HOSTS.filter((profile) => refusalOf(profile, release) === undefined)

it('there are 235 releases of 16 minors', () => {
  expect([RELEASES.length, MINORS.length]).toEqual([235, 16])
})

describe.each(sample(MINORS, 4))('1.%s', (minor) => {
  const releases = RELEASES.filter((release) => minorOf(release) === minor)
  const newest = String(releases.at(-1))

  it('every release is set up', async () => {
    const nodes = new Map<string, HostFolder>()
    const patches = sample(releases.slice(0, -1), 2)
    const fit = fitting(newest)
    const fitAll = fit.filter((profile) => patches.every((one) => one === '1.31.0' || !refusalOf(profile, one)))
    const chosen = isWhole ? fit : fitAll.slice(minor % fitAll.length).slice(0, 1)
    for (const profile of chosen) nodes.set(profile, await expectSetUp(profile, newest))
    for (const [index, release] of patches.entries()) {
      const hosts = [...nodes].filter(([profile]) => refusalOf(profile, release) === undefined)
      const [profile, node] = hosts[index % hosts.length] ?? []
      if (profile !== undefined && node) await expectChanged(node, profile, release)
      else expect(release).toBe('1.31.0')
    }
  })

  it.each(HOSTS)('%s refuses what does not fit', async (profile) => {
    const refused = releases.filter((release) => refusalOf(profile, release) !== undefined)
    for (const release of new Set([...refused.slice(0, 1), ...refused.slice(-1)])) await expectRefused(profile, release)
  })
})

describe.each(isWhole ? HOSTS : [])('from nothing on %s', (profile) => {
  it.each(RELEASES)('%s', async (release) => {
    await (refusalOf(profile, release) === undefined ? expectSetUp(profile, release) : expectRefused(profile, release))
  })
})
