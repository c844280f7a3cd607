// An upgrade that was killed between its two ends: it is stored, and the node is not uncordoned yet.
import {expect, onTestFinished, test} from 'vitest'
import {recordPoints} from '../interruption/kill-points.js'
import {setupOn} from '../setup/in-process.js'
import {statusOn} from '../status/status-on.js'
import type {HostFolder} from '../steps/host-folder.js'
import {at, expectEnded, nodeAt, PROFILE, releasesOf} from './node-at.js'

const [OLD, NEW] = ['1.30.14', '1.31.14']

const kindsIn = (host: HostFolder): unknown[] => host.journal.map(({kind}) => kind)
const isBetween = (host: HostFolder): boolean =>
  kindsIn(host).includes('upgrade') && !kindsIn(host).includes('began') && releasesOf(host)[0] === `v${NEW}`

test('review W3-4: a setup finishes it, and leaves no line of a run that began', async () => {
  const host = await nodeAt(OLD, NEW)
  onTestFinished(() => host.discard())
  const {left} = await recordPoints(
    host,
    () => true,
    async (dir, wrap) => void (await setupOn(dir, {release: NEW}, {upgrade: {drainMs: 60_000}, wrap}, PROFILE)),
  )
  const killed = left.find((one) => one.host && isBetween(one.host))?.host
  if (!killed) throw new Error('it was not killed there')
  expect((await setupOn(killed.dir, {}, {}, PROFILE)).result).toMatchObject({exitCode: 0})
  expect(releasesOf(killed)).toEqual(at(NEW))
  expectEnded(killed)
  expect(kindsIn(killed)).not.toContain('began')
  expect((await statusOn(killed.dir, {profile: PROFILE})).document).toMatchObject({exitCode: 0, problems: []})
})
