// What goes wrong with a node after its setup, by the IDs of what recover is for: how it ends, for each container runtime.
import {DAEMONS, type DaemonService} from '../../src/config/daemons.js'
import type {RuntimeName} from '../../src/config/model.js'
import type {Adapter, Route} from '../../src/machine/win32.js'
import type {World} from '../../src/simulator/world.js'
import type {HostFolder} from '../steps/host-folder.js'
import type {Drift} from '../steps/drifts/drift.js'
import {
  cniBinariesDrifts,
  cniConfigDrifts,
  flannelBinaryDrifts,
  kubeletConfigDrifts,
  kubernetesBinariesDrifts,
  netConfDrifts,
} from '../steps/drifts/files.js'
import {halt, serviceDrifts} from '../steps/drifts/services.js'
import {firewallRulesDrifts} from '../steps/drifts/windows.js'
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

/** What `make` of another list does to a node. */
const drift = (all: readonly Drift[], name: RegExp): ((host: HostFolder) => void) => {
  const found = all.find((one) => name.test(one.name))
  if (!found) throw new Error(`no drift ${String(name)}`)
  return (host) => found.make(host)
}

const changed =
  (change: (world: World) => void) =>
  (host: HostFolder): void =>
    host.edit(change)

const BOTH: readonly RuntimeName[] = ['docker', 'containerd']
const OURS: readonly DaemonService[] = ['kubelet', 'flanneld', 'kubeproxy']
const HEALED = {ends: 'healthy', runtimes: BOTH} as const

function fullDisk({os}: World): void {
  const drive = os.drives?.['C:'] ?? {fileSystem: 'NTFS', freeBytes: 0, kind: 'fixed', totalBytes: 128 * 2 ** 30}
  os.drives = {...os.drives, 'C:': {...drive, freeBytes: Math.floor(drive.totalBytes * 0.03)}}
}

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
  {...HEALED, break: dead('kubelet', 'kubeproxy'), id: 'two-dead', restarts: ['kubelet', 'kubeproxy']},
  {
    ...HEALED,
    break: dead('flanneld', 'kubeproxy'),
    id: 'two-dead',
    name: 'flanneld',
    restarts: ['flanneld', 'kubeproxy'],
  },
  {...HEALED, break: dead('kubelet', 'flanneld', 'kubeproxy'), id: 'all-dead', restarts: OURS},
  ...OURS.flatMap((service) =>
    [/command line was changed/, /failure actions are gone/, /it was deleted/, /starts on demand/].map(
      (name): BrokenNode => ({
        ...HEALED,
        break: drift(serviceDrifts(service), name),
        id: 'service-drifted',
        name: `${service} ${name.source}`,
        restarts: /changed|deleted/.test(name.source) ? [service] : [],
      }),
    ),
  ),
  {...HEALED, break: drift(firewallRulesDrifts, /another port/), id: 'rule-drifted', restarts: []},
  {...HEALED, break: drift(firewallRulesDrifts, /a rule is gone/), id: 'rule-drifted', name: 'gone', restarts: []},
  {...HEALED, break: drift(kubeletConfigDrifts, /kubelet-config/), id: 'file-drifted', restarts: ['kubelet']},
  {
    ...HEALED,
    break: drift(cniConfigDrifts, /cni\.conf/),
    id: 'file-drifted',
    name: 'CNI',
    restarts: [],
    runtimes: ['docker'],
  },
  {...HEALED, break: drift(netConfDrifts, /net-conf/), id: 'file-drifted', name: 'flannel', restarts: ['flanneld']},
  {
    ...HEALED,
    break: drift(kubernetesBinariesDrifts, /kubelet/),
    id: 'program-altered',
    restarts: ['kubelet'],
  },
  {
    ...HEALED,
    break: drift(flannelBinaryDrifts, /flanneld/),
    id: 'program-altered',
    name: 'flanneld',
    restarts: ['flanneld'],
  },
  {...HEALED, break: drift(cniBinariesDrifts, /win-overlay/), id: 'program-altered', name: 'win-overlay', restarts: []},
  {
    ...HEALED,
    break: changed((world) => (world.cluster.clockAheadMs = 3_600_000)),
    ends: ['CLOCK_WRONG'],
    id: 'clock',
    restarts: [],
  },
  {...HEALED, break: changed(fullDisk), ends: ['DISK_FULL'], id: 'disk-full', restarts: []},
  {
    ...HEALED,
    break: changed((world) => (world.cluster.reachable = false)),
    ends: ['API_SERVER_UNREACHABLE'],
    id: 'cluster-gone',
    restarts: [],
  },
  {
    ...HEALED,
    break(host) {
      dead('kubelet')(host)
      host.edit((world) => (world.cluster.reachable = false))
    },
    ends: ['API_SERVER_UNREACHABLE'],
    id: 'cluster-gone',
    name: 'and the kubelet dead',
    restarts: ['kubelet'],
  },
  ...NETWORK_AND_RUNTIME,
]
