// The runtime and its images, as status sees them on a node with containerd.
import {beforeAll, describe, expect, it} from 'vitest'
import {imagesProbe, runtimeProbe} from '../../src/health/runtime.js'
import {runProbe} from '../../src/health/probe.js'
import {assets} from '../fixtures/assets.js'
import {applySteps, type ContainerdHost, openContainerdHost, RUNTIME_STEPS} from './containerd-host.js'

let made: ContainerdHost
beforeAll(async () => {
  made = await openContainerdHost()
  await applySteps(made, ...RUNTIME_STEPS)
})

const scene = ({config, context, machine}: ContainerdHost) => ({
  assets,
  command: (name: string) => `k8s-win ${name}`,
  config,
  journal: context.journal,
  machine,
  signal: context.signal,
})

describe('containerd', () => {
  it('is reported', async () => {
    const seen = await runProbe(scene(made), runtimeProbe(made.config))
    expect(seen).toMatchObject({report: {mode: 'windows', name: 'containerd', running: true, service: 'running'}})
    expect(seen.problems).toMatchObject([
      {id: 'RUNTIME_UNREADY', signature: 'cni-conflist-missing', subject: 'NetworkReady'},
    ])
    const images = await runProbe(scene(made), imagesProbe(made.config))
    expect(images).toMatchObject({problems: [], report: [{state: 'present'}, {state: 'present'}, {state: 'present'}]})
  })
})
