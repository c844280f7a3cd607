// What goes wrong with a node after its setup, by the IDs of what recover is for: how it ends, for each container runtime.
import {DAEMONS, type DaemonService} from '../../src/config/daemons.js'
import type {RuntimeName} from '../../src/config/model.js'
import type {Adapter, Route} from '../../src/machine/win32.js'
import type {World} from '../../src/simulator/world.js'
import type {HostFolder} from '../steps/host-folder.js'
import {halt} from '../steps/drifts/services.js'
import {NETWORK_AND_RUNTIME} from './broken-network.js'

export interface BrokenNode {
  /** Called on a node that was set up. */
  break(host: HostFolder): Promise<void> | void
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

/** The adapter under the node, or the switch over it. */
const leading =
  (edit: (adapter: World['adapters'][number], world: World) => Partial<Adapter>) =>
  (host: HostFolder): void =>
    host.edit((world) => {
      world.adapters = world.adapters.map((one) =>
        one.name.includes('Ethernet0') ? {...one, ...edit(one, world)} : one,
      )
    })

export const BROKEN_NODES: readonly BrokenNode[] = [
  {
    break: leading(({index}, world) => {
      const isDefault = ({destination, interfaceIndex}: Route) =>
        destination === '0.0.0.0/0' && interfaceIndex === index
      world.routes = world.routes.filter((route) => !isDefault(route))
      return {gateways: []}
    }),
    ends: 'healthy',
    id: 'route-lost',
    restarts: [],
    runtimes: BOTH,
  },
  {break: leading(() => ({dnsServers: []})), ends: 'healthy', id: 'dns-lost', restarts: [], runtimes: BOTH},
  ...DAEMONS.map(({service}): BrokenNode => ({
    break: dead(service),
    ends: 'healthy',
    id: service === 'containerd' ? 'runtime-dead' : 'one-dead',
    name: service,
    restarts: [service],
    runtimes: service === 'containerd' ? ['containerd'] : BOTH,
  })),
  ...NETWORK_AND_RUNTIME,
]
