// An upgrade of a node whose containerd was on the host already: that is left alone, also on the way back.
import {expect, it} from 'vitest'
import {hostWith} from '../fixtures/present-containerd.js'
import {setupOn} from '../setup/in-process.js'
import {lookAt} from '../status/look.js'
import {at, expectEnded, PROFILE, releasesOf} from './node-at.js'
import {refusing} from './refusing.js'

it('goes back, and then forward, and the containerd runs on', async () => {
  const host = await hostWith()
  const given = {'base-images': 'none', release: '1.35.8'}
  expect((await setupOn(host.dir, given, {}, PROFILE)).result.error).toBeUndefined()
  const containerd = (): unknown => {
    const {config, processId, state} = host.world.services['containerd'] ?? {}
    return {config, processId, state}
  }
  const before = containerd()
  expect(before).toMatchObject({state: 'running'})
  const failed = await setupOn(host.dir, {release: '1.36.4'}, {upgrade: {}, wrap: refusing('kubelet', 1)}, PROFILE)
  expect(failed.result.error?.id).toBe('UPGRADE_ROLLED_BACK')
  expect([releasesOf(host), containerd()]).toEqual([at('1.35.8'), before])
  const {result} = await setupOn(host.dir, {release: '1.36.4'}, {upgrade: {}}, PROFILE)
  expect(result.error).toBeUndefined()
  expect([releasesOf(host), containerd()]).toEqual([at('1.36.4'), before])
  expectEnded(host)
  expect(host.has(String.raw`k\containerd\bin\containerd.exe`)).toBe(false)
  expect((await lookAt(host.dir, {profile: PROFILE})).document).toMatchObject({problems: [], verdict: 'healthy'})
})
