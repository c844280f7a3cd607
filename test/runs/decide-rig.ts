// Decides a configuration on a simulated host and cluster.
import {expect} from 'vitest'
import type {Layered} from '../../src/config/options/layers.js'
import type {Decided} from '../../src/config/model.js'
import type {GivenOptions} from '../../src/config/options/options.js'
import {resolveConfig} from '../../src/config/options/resolve-setup.js'
import {type Host, openHost} from '../../src/host/host.js'
import {type EffectEntry, tracedMachine} from '../../src/machine/traced.js'
import {decideConfig} from '../../src/runs/decide-config.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import type {World} from '../../src/simulator/world.js'
import {assets} from '../fixtures/assets.js'
import {HostFolder} from '../steps/host-folder.js'

interface Asking {
  readonly given?: GivenOptions
  readonly isStored?: boolean
  readonly profile?: string
  readonly sicken?: (world: World) => void
  readonly without?: string
}

export interface Answer extends Layered {
  readonly config: Decided
  readonly effects: readonly EffectEntry[]
  readonly host: Host
  /** On the simulated clock. */
  readonly tookMs: number
}

/** Demands that nothing was changed. */
export async function decideOn({
  given = {},
  isStored = false,
  profile = 'ws2019',
  sicken,
  without,
}: Asking = {}): Promise<Answer> {
  const folder = HostFolder.empty()
  await openSimulator({dir: folder.dir, profile})
  if (sicken) folder.edit(sicken)
  if (without !== undefined) folder.remove(without)
  const effects: EffectEntry[] = []
  // What was edited by hand is stored when it is opened.
  const simulated = await openSimulator({dir: folder.dir, profile})
  const before = folder.state
  const machine = tracedMachine(simulated, (entry) => effects.push(entry))
  const asked = resolveConfig({given, isStored})
  const host = openHost(machine, {assets, baseDir: asked.baseDir, dockerPipe: asked.dockerPipe})
  const started = machine.clock.now()
  const {signal} = new AbortController()
  const config = await decideConfig(asked, host, signal)
  expect(effects.filter(({kind}) => kind === 'change')).toEqual([])
  expect(folder.state).toEqual(before)
  return {...config.origin, config, effects, host, tookMs: machine.clock.now() - started}
}

/** The part of kubeadm's ConfigMap that counts. */
export const networking = (podSubnet: string, serviceSubnet: string, dnsDomain: string) => (world: World) =>
  kubeadm(
    world,
    `networking:\n  dnsDomain: ${dnsDomain}\n  podSubnet: ${podSubnet}\n  serviceSubnet: ${serviceSubnet}\n`,
  )

export function kubeadm({cluster}: World, text: string | undefined): void {
  const data = cluster.configMaps.find(({name}) => name === 'kubeadm-config')?.data
  if (data && text !== undefined) data['ClusterConfiguration'] = text
  if (text === undefined) cluster.configMaps = cluster.configMaps.filter(({name}) => name !== 'kubeadm-config')
}
