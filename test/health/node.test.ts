// Why a node is not Ready: by its own words, and by what is on this host.
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {healthyNode, statusOn} from '../status/status-on.js'
import {HostFolder} from '../steps/host-folder.js'

let node = HostFolder.empty()
beforeAll(async () => {
  node.discard()
  node = await healthyNode()
  node.edit((world) => {
    for (const one of world.cluster.nodes) {
      if (one.name === 'win-1') {
        const readyMessage = 'container runtime network not ready: NetworkReady=false message:cni config uninitialized'
        Object.assign(one, {ready: false, readyMessage, readyReason: 'KubeletNotReady'})
      }
    }
  })
})
afterAll(() => node.discard())

describe('a kubelet without a CNI network', () => {
  it.each([
    [String.raw`k\cni\flannel.exe`, 'cni-config-unusable'],
    [String.raw`k\cni\config\cni.conf`, 'cni-config-missing'],
  ])('for want of %s: %s', async (path, signature) => {
    const copy = node.copy()
    copy.remove(path)
    const {document} = await statusOn(copy.dir)
    expect(document.problems.find(({area}) => area === 'node')).toMatchObject({signature})
    copy.discard()
  })
})
