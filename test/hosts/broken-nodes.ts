// What goes wrong with a node after its setup, by the IDs of what recover is for: how it ends, for each container runtime.
import {DAEMONS, type DaemonService} from '../../src/config/daemons.js'
import type {RuntimeName} from '../../src/config/model.js'
import type {HostFolder} from '../steps/host-folder.js'
import {halt} from '../steps/drifts/services.js'

export interface BrokenNode {
  /** Called on a node that was set up. */
  break(host: HostFolder): void
  /** `healthy`, or the IDs of the errors that recover ends with, the root cause first. */
  readonly ends: 'healthy' | readonly string[]
  /** Of the kind; rows of one kind differ by `name`. */
  readonly id: string
  readonly name?: string
  /** The services that recover starts or restarts; every other one keeps its process. */
  readonly restarts: readonly DaemonService[]
  readonly runtimes: readonly RuntimeName[]
  /** With --yes. */
  readonly yes?: boolean
}

const BOTH: readonly RuntimeName[] = ['docker', 'containerd']

const dead =
  (...services: readonly DaemonService[]) =>
  (host: HostFolder): void =>
    host.edit((world) => {
      for (const name of services) {
        const entry = world.services[name]
        if (entry) halt(entry, world)
      }
    })

export const BROKEN_NODES: readonly BrokenNode[] = [
  ...DAEMONS.map(({service}): BrokenNode => ({
    break: dead(service),
    ends: 'healthy',
    id: service === 'containerd' ? 'runtime-dead' : 'one-dead',
    name: service,
    restarts: [service],
    runtimes: service === 'containerd' ? ['containerd'] : BOTH,
  })),
]
