// A setup with other settings of the daemons, killed at every effect, also while it restores those of before: the next setup
// with settings that work gives a healthy node with them. npm test takes a spread of the states that a kill leaves.
import {expect, test} from 'vitest'
import type {GivenOptions} from '../../src/config/options/options.js'
import {isWhole} from '../sample.js'
import {setupOn} from '../setup/in-process.js'
import {statusOn} from '../status/status-on.js'
import {HostFolder} from '../steps/host-folder.js'
import {recordPoints, spread} from './kill-points.js'

/** Of the states that a kill leaves. */
const ASKED = isWhole ? Infinity : 1
const PROFILE = 'ws2022-containerd'
const BEFORE: GivenOptions = {'base-images': 'none', 'kubelet-arg': ['v=3']}
const GOOD: GivenOptions = {'flanneld-arg': ['healthz-port=8471'], 'kube-proxy-arg': ['v=4'], 'kubelet-arg': ['v=5']}
/** The kubelet ends at its start. */
const BAD: GivenOptions = {'kubelet-arg': ['windows-priorityclass=NONE']}

test.each([
  {ends: 0, given: GOOD, name: 'new settings'},
  {ends: 6, given: BAD, name: 'settings that are rolled back'},
])(
  'the next setup completes what a killed one has left: $name',
  async ({ends, given}) => {
    const host = HostFolder.empty()
    expect((await setupOn(host.dir, BEFORE, {}, PROFILE)).result.exitCode).toBe(0)
    const {left} = await recordPoints(
      host,
      () => true,
      async (dir, wrap) => {
        expect((await setupOn(dir, given, {wrap}, PROFILE)).result).toMatchObject({exitCode: ends})
      },
    )
    expect(left.length).toBeGreaterThan(2)
    for (const {host: killed, points} of spread({left}, ASKED)) {
      const copy = killed.copy()
      const {result} = await setupOn(copy.dir, GOOD, {}, PROFILE)
      expect({error: result.error, exitCode: result.exitCode}, points[0]).toEqual({exitCode: 0})
      expect(copy.world.services['kubelet']?.config.imagePath, points[0]).toMatch(/ --v=5$/)
      expect((await statusOn(copy.dir, {profile: PROFILE})).document.verdict, points[0]).toBe('healthy')
      expect((await setupOn(copy.dir, {}, {}, PROFILE)).result.recap.changed, points[0]).toBe(0)
    }
  },
  isWhole ? 3_600_000 : 180_000,
)
