// An upgrade of a node whose containerd was on the host already: that is left alone, also on the way back.
import {describe, expect, it} from 'vitest'
import type {Machine} from '../../src/machine/machine.js'
import {hostWith} from '../fixtures/present-containerd.js'
import {setupOn} from '../setup/in-process.js'
import {statusOn} from '../status/status-on.js'
import {at, expectEnded, pod, PROFILE, releasesOf} from './node-at.js'
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
  expect((await statusOn(host.dir, {profile: PROFILE})).document).toMatchObject({problems: [], verdict: 'healthy'})
})

describe('a containerd that changes in the middle', () => {
  const CONFIG = String.raw`Program Files\containerd\config.toml`
  const config = (conf: string): string => `version = 3
[plugins.'io.containerd.cri.v1.runtime'.cni]
  bin_dir = 'C:\\Program Files\\containerd\\cni\\bin'
  conf_dir = '${conf}'
`
  const before = config(String.raw`C:\Program Files\containerd\cni\conf`)

  it.each([
    ['during the downloads', 'DOWNLOAD', 5, 'CONTAINERD_CHANGED'],
    ['while pods leave', 'POST', 5, 'CONTAINERD_CHANGED'],
    ['after a service was stopped', 'stopService', 7, 'UPGRADE_STUCK'],
  ])('%s', async (_, when, exitCode, id) => {
    const host = await hostWith({config: before})
    const given = {'base-images': 'none', release: '1.35.8'}
    expect((await setupOn(host.dir, given, {}, PROFILE)).result.error).toBeUndefined()
    host.edit(({cluster}) => (cluster.pods = [pod('web')]))
    const processes = (): unknown => ['kubelet', 'kubeproxy'].map((name) => host.world.services[name]?.processId)
    const running = processes()
    let isDone = false
    const after = async ({args, what}: {args: readonly string[]; what: string}, {files}: Machine): Promise<void> => {
      if (isDone || what !== when || (when === 'POST' && !args[0]?.endsWith('/eviction'))) return
      isDone = true
      await files.write(`C:\\${CONFIG}`, config(String.raw`C:\other`))
    }
    const {result} = await setupOn(host.dir, {release: '1.36.4'}, {after, upgrade: {drainMs: 60_000}}, PROFILE)
    expect(isDone).toBe(true)
    expect(result).toMatchObject({error: {id}, exitCode})
    // Nothing was stopped, and the node takes pods; or the next run finishes it.
    if (exitCode === 5) expect([releasesOf(host), processes()]).toEqual([at('1.35.8'), running])
    expect(host.read(CONFIG)).toBe(config(String.raw`C:\other`))
    host.put(CONFIG, before)
    expect((await setupOn(host.dir, {}, {}, PROFILE)).result.error).toBeUndefined()
    expect(releasesOf(host)).toEqual(at('1.35.8'))
    expectEnded(host)
  })
})
