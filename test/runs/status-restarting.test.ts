// flanneld ends and is started again every two seconds: that is the problem at every moment, also while it runs.
import {expect, test} from 'vitest'
import {openSimulator} from '../../src/simulator/simulator.js'
import {healthyNode, statusOn} from '../status/status-on.js'

test('review R3-11: a flanneld that keeps ending is one problem, whenever it is looked at, with its last words as the cause', async () => {
  const node = await healthyNode()
  node.edit(({cluster}) => {
    for (const one of cluster.nodes) if (one.name === 'win-1') one.podCIDR = ''
  })
  const {clock, win32} = await openSimulator({dir: node.dir, profile: 'ws2019'})
  await win32.stopService('flanneld')
  await clock.sleep(10_000)
  await win32.startService('flanneld')
  await clock.sleep(60_000)
  const states = new Set<boolean>()
  for (let moment = 0; moment < 6; moment++) {
    await clock.sleep(470)
    states.add((await win32.processes()).some(({name}) => name === 'flanneld.exe'))
    const {document} = await statusOn(node.dir)
    const [first] = document.problems.filter(({subject}) => subject === 'flanneld')
    expect(first).toMatchObject({id: 'SERVICE_DOWN', signature: 'flannel-no-pod-cidr'})
  }
  expect([...states].sort()).toEqual([false, true])
  node.discard()
})
