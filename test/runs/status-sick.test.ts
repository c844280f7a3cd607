// Whatever setup would repair: status ends with 8, and reports each once. The table of unhealthy hosts has the causes.
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest'
import {identityFile} from '../../src/config/layout.js'
import {setupOn} from '../setup/in-process.js'
import {healthyNode, statusOn} from '../status/status-on.js'
import type {Drift} from '../steps/drifts/drift.js'
import * as files from '../steps/drifts/files.js'
import {baseImagesDrifts, pauseImageDrifts} from '../steps/drifts/images.js'
import {serviceDrifts} from '../steps/drifts/services.js'
import {firewallRulesDrifts, machineEnvironmentDrifts} from '../steps/drifts/windows.js'
import {HostFolder} from '../steps/host-folder.js'
import {sample} from '../sample.js'

let node = HostFolder.empty()
beforeAll(async () => {
  node.discard()
  node = await healthyNode()
})
afterAll(() => node.discard())

function sick({make}: Pick<Drift, 'make'>): HostFolder {
  const copy = node.copy()
  onTestFinished(() => copy.discard())
  make(copy)
  return copy
}

describe('status of a node that is unhealthy', () => {
  test("a daemon's own kubeconfig that is gone has its own flag", async () => {
    const host = HostFolder.empty()
    onTestFinished(() => host.discard())
    host.put(String.raw`Users\k\flanneld.conf`, node.read(String.raw`k\kubeconfig`))
    const given = {'flanneld-kubeconfig': String.raw`C:\Users\k\flanneld.conf`}
    expect((await setupOn(host.dir, given)).result.exitCode).toBe(0)
    host.remove(identityFile(String.raw`C:\k`, 'flanneld').slice(3))
    const {document} = await statusOn(host.dir)
    expect(document.problems.map(({next}) => next)).toEqual([
      expect.stringMatching(/k8s-win setup --flanneld-kubeconfig <file>/),
    ])
  })

  const DRIFTS = [
    ...files.baseDirDrifts,
    ...baseImagesDrifts,
    ...pauseImageDrifts,
    ...files.kubernetesBinariesDrifts,
    ...files.cniBinariesDrifts,
    ...files.flannelBinaryDrifts,
    ...files.netConfDrifts,
    ...files.kubeletConfigDrifts,
    ...files.cniConfigDrifts,
    ...machineEnvironmentDrifts,
    ...firewallRulesDrifts,
    ...serviceDrifts('kubelet'),
  ]
  /** Everything setup would fix is reported, and reported once. */
  test.each(sample(DRIFTS, 12))('$name', async (drift) => {
    const {document} = await statusOn(sick(drift).dir)
    expect(document.exitCode).toBe(8)
    expect(document.problems.length).toBeGreaterThan(0)
    const roots = document.problems.filter(({explainedBy}) => explainedBy === undefined)
    expect(new Set(roots.map(({area}) => area)).size).toBe(1)
    expect(document.notChecked).toEqual([])
  })

  test('reports a changed command line by what differs', async () => {
    const [, changed] = serviceDrifts('kubelet')
    const {document} = await statusOn(sick(changed ?? {make: () => {}}).dir)
    expect(document.problems.map(({seen}) => seen)).toEqual(['kubelet: its command line has --v=9 in addition'])
  })
})
