// What neither the kubelet nor k8s-win started in the node's own containerd.
import {expect, test} from 'vitest'
import {CONTAINERD_PROFILE, setUpHost} from '../../reset/set-up-host.js'
import {daemonsOn} from './daemons-on.js'

const {copy} = setUpHost({}, undefined, CONTAINERD_PROFILE)

test.each(['stop', 'restart'])(
  'review P3-2: %s ends a container of ctr with --yes only, also where no pod runs',
  async (command) => {
    const host = copy()
    host.edit(({cluster, containerd}) => {
      cluster.pods = []
      containerd.sandboxes = []
      containerd.containers = [{id: 'web', image: '', isRunning: true, namespace: 'default'}]
    })
    const {result} = await daemonsOn(host.dir, `${command} containerd`)
    expect(result).toMatchObject({error: {id: 'PODS_WOULD_END'}, exitCode: 2})
    expect(result.error?.cause).toContain('the container web in the namespace default')
    expect(host.world.services['containerd']?.state).toBe('running')
    expect((await daemonsOn(host.dir, `${command} containerd`, {yes: true})).result.exitCode).toBe(0)
  },
)
