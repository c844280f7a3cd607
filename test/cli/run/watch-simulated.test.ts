// The condition of the Node on a simulated host, whose watch runs with each command.
import {expect, test} from 'vitest'
import {CONTAINERD_PROFILE} from '../../reset/set-up-host.js'
import {DiskHost} from '../../steps/host-folder.js'
import {k8sWin} from '../program.js'

test('review D3-4: the cluster of a simulated host sees the condition', async () => {
  const host = DiskHost.empty()
  try {
    const on = ['--simulate', CONTAINERD_PROFILE, '--simulate-dir', String(host.dir)]
    expect(await k8sWin(['setup', '--yes', ...on])).toMatchObject({code: 0})
    const conditions = () => host.world.cluster.nodes.find(({name}) => name === 'win-1')?.conditions
    expect(conditions()).toEqual([
      expect.objectContaining({reason: 'Healthy', status: 'False', type: 'K8sWinUnhealthy'}),
    ])
    expect(await k8sWin(['stop', 'flanneld', ...on])).toMatchObject({code: 0})
    expect(conditions()?.[0]?.reason).not.toBe('Healthy')
  } finally {
    host.discard()
  }
}, 60_000)
