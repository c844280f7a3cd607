// recover, killed at every effect, and run again: the node is healthy. npm test takes a spread of the states that a kill leaves.
import {expect, test} from 'vitest'
import type {RuntimeName} from '../../src/config/model.js'
import {BROKEN_NODES} from '../hosts/broken-nodes.js'
import {recoverOn} from '../runs/recover-on.js'
import {isWhole, sample} from '../sample.js'
import {setupOn} from '../setup/in-process.js'
import {statusOn} from '../status/status-on.js'
import {halt} from '../steps/drifts/services.js'
import {HostFolder} from '../steps/host-folder.js'
import {recordPoints, spread} from './kill-points.js'

/** Of the states that a kill leaves. */
const ASKED = isWhole ? Infinity : 1
const PROFILES: Readonly<Record<RuntimeName, string>> = {containerd: 'ws2022-containerd', docker: 'ws2019'}

/** Daemons, a configuration and a program at once: most of what steps repair. */
function drift(host: HostFolder): void {
  host.edit((world) => {
    for (const name of ['kubelet', 'flanneld', 'kubeproxy']) {
      const entry = world.services[name]
      if (entry) halt(entry, world)
    }
  })
  host.put(String.raw`k\kubelet-config.yaml`, 'authentication: {anonymous: {enabled: true}}\n')
  host.put(String.raw`k\flanneld.exe`, 'MZ another program')
}

/** What replaces the overlay network, or restarts kube-proxy for its load balancers. */
const ROWS = ['address-changed', 'lb-lost', 'old-pod-cidr', 'rebooted'].map(
  (id) => [id, BROKEN_NODES.find((row) => row.id === id)?.break ?? drift] as const,
)

const CASES = [['drifted', drift] as const, ...ROWS].flatMap(([id, breakNode]) =>
  (['docker', 'containerd'] as const).map((runtime) => ({breakNode, id, runtime})),
)

test.each(sample(CASES, 3))(
  'the next recover repairs what a killed one has left: $id, with $runtime',
  async ({breakNode, runtime}) => {
    const profile = PROFILES[runtime]
    const host = HostFolder.empty()
    expect((await setupOn(host.dir, {}, {}, profile)).result.exitCode).toBe(0)
    await breakNode(host)
    const {left} = await recordPoints(
      host,
      () => true,
      async (dir, wrap) => {
        expect((await recoverOn(dir, {wrap})).result).toMatchObject({exitCode: 0})
      },
    )
    expect(left.length).toBeGreaterThan(3)
    for (const {host: killed, points} of spread({left}, ASKED)) {
      const copy = killed.copy()
      const {result} = await recoverOn(copy.dir)
      expect({error: result.error, exitCode: result.exitCode}, points[0]).toEqual({exitCode: 0})
      expect((await statusOn(copy.dir, {profile})).document.verdict, points[0]).toBe('healthy')
    }
  },
  600_000,
)
