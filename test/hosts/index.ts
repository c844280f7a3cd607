// All unhealthy hosts in one list, so that every command can be asked about every host.
import type {GivenOptions} from '../../src/config/options/options.js'
import {healthyNode} from '../status/status-on.js'
import {DRIFTS} from '../steps/drifts/index.js'
import {HostFolder} from '../steps/host-folder.js'
import {STATES} from './base-dirs.js'
import {SICK_HARDWARE} from './hardware.js'
import {SICK_NETWORK} from './network.js'
import type {Sick} from './sick-host.js'
import {UNHEALTHY_HOSTS} from './unhealthy-nodes.js'
import {SICK_WINDOWS} from './windows.js'

/** `fresh`: nothing was set up there; `node`: something went wrong after a setup. The others say what is wrong. */
type Tag = 'base-dir' | 'cause' | 'drift' | 'fresh' | 'hardware' | 'network' | 'node' | 'windows'

export interface Host {
  /** For setup. */
  readonly given: GivenOptions
  make(): Promise<HostFolder>
  readonly name: string
  readonly tags: readonly Tag[]
}

const fresh = (tag: Tag, hosts: readonly Sick[]): Host[] =>
  hosts.map(({given = {}, name, sicken}) => ({
    given,
    make: () => HostFolder.fresh(sicken),
    name,
    tags: ['fresh', tag],
  }))

const changed = async (host: Promise<HostFolder>, make: ((host: HostFolder) => void) | undefined) => {
  const made = await host
  make?.(made)
  return made
}

const node = (tag: Tag, hosts: readonly {make(host: HostFolder): void; readonly name: string}[]): Host[] =>
  hosts.map(({make, name}) => ({given: {}, make: () => changed(healthyNode(), make), name, tags: ['node', tag]}))

export const HOSTS: readonly Host[] = [
  ...fresh('windows', SICK_WINDOWS),
  ...fresh('hardware', SICK_HARDWARE),
  ...fresh('network', SICK_NETWORK),
  ...STATES.map(({given = {}, make, name}): Host => ({
    given,
    make: () => changed(HostFolder.fresh(), make),
    name: `its base directory is ${name}`,
    tags: ['fresh', 'base-dir'],
  })),
  ...node('cause', UNHEALTHY_HOSTS),
  ...node('drift', DRIFTS),
]
