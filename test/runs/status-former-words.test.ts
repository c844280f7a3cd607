// vxlan0 was deleted under a flanneld that had failed to start once: its former words are not the cause.
import {expect, test} from 'vitest'
import {healthyNode, statusOn} from '../status/status-on.js'

test('review R3-14: the words of a former start of flanneld do not explain a network that was deleted since', async () => {
  const node = await healthyNode()
  const log = String.raw`k\logs\flanneld\shawl_for_flanneld_rCURRENT.log`
  const words = node.read(log)
  const failed = [
    '2026-11-19 10:00:00 [INFO] Launching command: flanneld.exe',
    String.raw`2026-11-19 10:00:01 [DEBUG] stderr: "E1119 10:00:01.000001 1 main.go:381] Error registering network: failed to acquire lease: node \"win-1\" pod cidr not assigned"`,
    '2026-11-19 10:00:01 [INFO] Command exited with code 1',
  ]
  node.edit((world) => void (world.hns.networks = world.hns.networks.filter(({Name}) => Name !== 'vxlan0')))
  node.put(log, `${failed.join('\n')}\n${words}`)
  const {document} = await statusOn(node.dir)
  const [network] = document.problems
  expect(network).toMatchObject({id: 'OVERLAY_NETWORK_ABSENT'})
  expect(network).not.toHaveProperty('signature')
  node.discard()
})
