// A simulated host whose runtime is containerd, as the steps of setup install it.
import {layoutOf} from '../../src/config/layout.js'
import type {Node} from '../../src/config/model.js'
import {type Host, openHost} from '../../src/host/host.js'
import type {Machine} from '../../src/machine/machine.js'
import {openJournal} from '../../src/pipeline/ledger/journal.js'
import type {StepContext, StepId} from '../../src/pipeline/run/step.js'
import {MemoryHost} from '../fakes/memory-host.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import type {World} from '../../src/simulator/world.js'
import {STEPS} from '../../src/steps/index.js'
import {releaseNode} from '../components/example.js'
import {assets} from '../fixtures/assets.js'
import {HostFolder} from '../steps/host-folder.js'

const PROFILE = 'ws2022'

export interface ContainerdHost {
  readonly config: Node
  readonly context: StepContext
  readonly dir: MemoryHost
  readonly host: Host
  readonly machine: Machine
}

/** `dir`: one that was made before, opened again. */
export async function openContainerdHost(release = '1.31.14', dir = new MemoryHost()): Promise<ContainerdHost> {
  const config = releaseNode(release, {hostBuild: 20_348, nanoserverTag: 'ltsc2022', servercoreTag: 'ltsc2022'})
  const machine = await openSimulator({dir, profile: PROFILE})
  const {baseDir, dockerPipe, runtime} = config
  const host = openHost(machine, {assets, baseDir, dockerPipe, runtime})
  const journal = await openJournal(machine.files, layoutOf(baseDir).journal, () => machine.clock.now())
  const context: StepContext = {
    changed: () => {},
    config,
    host,
    journal,
    progress: () => {},
    signal: new AbortController().signal,
    warn: () => {},
  }
  return {config, context, dir, host, machine}
}

export async function applySteps({context}: ContainerdHost, ...ids: readonly StepId[]): Promise<void> {
  for (const id of ids) await STEPS.find((step) => step.id === id)?.apply(context)
}

export const RUNTIME_STEPS: readonly StepId[] = [
  'base-dir',
  'containerd-binaries',
  'flannel-binary',
  'containerd-config',
  'containerd-service',
  'base-images',
  'sandbox-image',
]

/** The same host after a change of its world. */
export async function changed({config, dir}: ContainerdHost, change: (world: World) => void): Promise<ContainerdHost> {
  new HostFolder(dir).edit(change)
  return openContainerdHost(config.release.text, dir)
}
