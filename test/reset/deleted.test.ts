// What somebody deleted of a node keeps reset --purge from nothing: what the removal needs is brought back first.
import {describe, expect, test} from 'vitest'
import {sample} from '../sample.js'
import {deletionsOf, endOf, expectRemovable, madeBy} from './deleted.js'
import {resetOn} from './reset-run.js'
import {CONTAINERD_PROFILE, setUpHost} from './set-up-host.js'
import {differences, wholeHost} from './whole-host.js'

const containerd = setUpHost({}, undefined, CONTAINERD_PROFILE)
const docker = setUpHost()
const FROM = String.raw`k\containerd`

const NEEDED = [
  String.raw`k\cni`,
  String.raw`k\cni\config\10-flannel.conflist`,
  String.raw`k\cni\win-overlay.exe`,
  FROM,
  String.raw`k\containerd\bin\containerd.exe`,
  String.raw`k\containerd\bin\crictl.exe`,
  String.raw`k\containerd\bin\ctr.exe`,
  String.raw`k\containerd\config.toml`,
]

describe('review W3-3: of a node with containerd', () => {
  test.each(NEEDED)('%s is brought back, also without the cluster and after a restart of Windows', async (path) => {
    for (const {hasCluster, restarts} of sample(deletionsOf([path]), 2))
      expect(await endOf(containerd, {hasCluster, path, restarts}, CONTAINERD_PROFILE)).toBe('0')
  })

  test('the programs come from the kept downloads, and the host is as it was before setup', async () => {
    const host = containerd.copy()
    host.remove(FROM)
    const {events, result, warnings} = await resetOn(host.dir, {given: {purge: true}})
    expect({error: result.error, warnings}).toEqual({error: undefined, warnings: []})
    expect(JSON.stringify(events)).toContain('install C:')
    expect(host.transcript.filter(({what}) => what === 'DOWNLOAD').length).toBe(
      containerd.copy().transcript.filter(({what}) => what === 'DOWNLOAD').length,
    )
    expect(differences(containerd.before(), wholeHost(host))).toEqual([])
  })
})

test(
  'review W3-3: reset --purge is 0 whatever file or folder of a node with containerd was deleted',
  () =>
    expectRemovable(
      containerd,
      sample(deletionsOf(madeBy(containerd.before(), containerd.copy())), 16),
      CONTAINERD_PROFILE,
    ),
  600_000,
)

test(
  'review W3-3: reset --purge is 0 whatever file or folder of a node with Docker was deleted',
  () => expectRemovable(docker, sample(deletionsOf(madeBy(docker.before(), docker.copy())), 8), 'ws2019'),
  600_000,
)
