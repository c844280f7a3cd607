// net-conf.json had another VNI when flanneld was started, and has the right one again: flanneld keeps the network and publishes
// the other VNI.
import {expect, test} from 'vitest'
import {DAEMON} from '../../src/config/daemons.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {healthyNode, statusOn} from '../status/status-on.js'
import type {HostFolder} from '../steps/host-folder.js'
import {recoverOn} from './recover-on.js'

const NET_CONF = String.raw`C:\etc\kube-flannel\net-conf.json`
const BACKEND_DATA = 'flannel.alpha.coreos.com/backend-data'

const published = ({world}: HostFolder): unknown => {
  const node = world.cluster.nodes.find(({name}) => name === 'win-1')
  return JSON.parse(node?.annotations[BACKEND_DATA] ?? '{}')
}

test('review R3-12: flanneld that publishes the VNI of a former net-conf.json is unhealthy, and recover restarts it', async () => {
  const node = await healthyNode()
  const {clock, files, win32} = await openSimulator({dir: node.dir, profile: 'ws2019'})
  const right = (await files.read(NET_CONF))!
  await files.write(NET_CONF, right.toString('utf8').replace('4096', '5000'))
  await win32.stopService(DAEMON.flanneld.service)
  await clock.sleep(10_000)
  await win32.startService(DAEMON.flanneld.service)
  await clock.sleep(60_000)
  await files.write(NET_CONF, right)
  expect(published(node)).toMatchObject({VNI: 5000})

  const {document} = await statusOn(node.dir)
  expect(document.network?.vni).toBe(4096)
  expect(document.problems.map(({id, subject}) => [id, subject])).toEqual([['OVERLAY_UNSOUND', 'win-1']])
  const {result} = await recoverOn(node.dir)
  expect(result.error).toBeUndefined()
  expect(published(node)).toMatchObject({VNI: 4096})
  expect((await statusOn(node.dir)).document.verdict).toBe('healthy')
  node.discard()
})
