// What breaks the network of a node or its container runtime, after Windows, HNS, the cluster or the host's address changed.
import {openSimulator} from '../../src/simulator/simulator.js'
import {reboot} from '../../src/simulator/windows/restart.js'
import type {World} from '../../src/simulator/world.js'
import {halt} from '../steps/drifts/services.js'
import {type HostFolder, profileOf} from '../steps/host-folder.js'
import type {BrokenNode} from './broken-nodes.js'

const BOTH = ['docker', 'containerd'] as const
const SETTLED_MS = 120_000

const simulated = ({dir}: HostFolder) => openSimulator({dir, profile: profileOf(dir)})

/** Windows starts, and its services; `before` is called where none of them runs yet. */
const restarted =
  (before: (world: World) => void = () => {}) =>
  async (host: HostFolder): Promise<void> => {
    host.edit((world) => {
      reboot(world)
      before(world)
    })
    const {clock} = await simulated(host)
    await clock.sleep(SETTLED_MS)
  }

const hnsRestarted =
  (losesBalancers: boolean) =>
  async (host: HostFolder): Promise<void> => {
    host.edit(({hns}) => void (hns.losesBalancers = losesBalancers))
    const {clock, win32} = await simulated(host)
    await win32.stopService('hns')
    await clock.sleep(60_000)
    await win32.startService('hns')
    await clock.sleep(SETTLED_MS)
  }

const inWorld =
  (change: (world: World) => void) =>
  (host: HostFolder): void =>
    host.edit(change)

const otherAddress = (world: World): void => {
  world.adapters = world.adapters.map((adapter) =>
    adapter.addresses.some(({address}) => address === '10.0.0.5')
      ? {...adapter, addresses: [{address: '10.0.0.77', prefixLength: 24}]}
      : adapter,
  )
}

const otherPodNetwork = ({cluster}: World): void => {
  for (const node of cluster.nodes) if (node.name === 'win-1') node.podCIDR = '10.244.9.0/24'
}

const containerdHangs = ({containerd, services}: World): void => {
  containerd.running = false
  const {containerd: entry} = services
  if (entry) entry.listening = []
}

const dockerStops = (world: World): void => {
  world.docker.running = false
  const {docker} = world.services
  if (docker) halt(docker, world)
}

const dockerHangs = ({docker}: World): void => void (docker.running = false)

const flanneldDies = (world: World): void => {
  const {flanneld} = world.services
  if (flanneld) halt(flanneld, world)
}

export const NETWORK_AND_RUNTIME: readonly BrokenNode[] = [
  {break: restarted(), ends: 'healthy', id: 'rebooted', restarts: [], runtimes: BOTH},
  {
    break: restarted(({services}) => void delete services['flanneld']?.restartAt),
    ends: 'healthy',
    id: 'rebooted',
    name: 'flanneld was not started',
    restarts: ['flanneld'],
    runtimes: BOTH,
  },
  {
    break: hnsRestarted(false),
    ends: 'healthy',
    id: 'hns-restarted',
    name: 'HNS restores the load balancers (kubernetes#139519)',
    restarts: ['flanneld', 'kubeproxy'],
    runtimes: BOTH,
  },
  {
    break: hnsRestarted(true),
    ends: 'healthy',
    id: 'hns-restarted',
    name: 'HNS purges the load balancers',
    restarts: ['flanneld'],
    runtimes: BOTH,
  },
  {
    break: inWorld(({hns}) => void (hns.policyLists = [])),
    ends: 'healthy',
    id: 'lb-lost',
    restarts: ['kubeproxy'],
    runtimes: BOTH,
  },
  {
    async break(host) {
      host.edit(({cluster}) => {
        const dns = cluster.services.find(({name}) => name === 'kube-dns')
        if (dns) cluster.services.push({...dns, clusterIP: '10.10.0.77', name: 'web', namespace: 'shop'})
      })
      const {clock} = await simulated(host)
      await clock.sleep(10 * 60_000)
      host.edit(({hns}) => {
        hns.policyLists = hns.policyLists.filter((list) => !JSON.stringify(list).includes('10.10.0.77'))
      })
    },
    ends: 'healthy',
    id: 'lb-lost',
    name: 'of one Service (kubernetes#135802)',
    restarts: ['kubeproxy'],
    runtimes: BOTH,
  },
  {
    break: inWorld(otherPodNetwork),
    ends: 'healthy',
    id: 'old-pod-cidr',
    restarts: ['flanneld', 'kubeproxy'],
    runtimes: BOTH,
  },
  {
    break: inWorld(otherAddress),
    ends: 'healthy',
    id: 'address-changed',
    restarts: ['kubelet', 'flanneld', 'kubeproxy'],
    runtimes: BOTH,
  },
  {
    break: (host) => {
      host.edit(otherAddress)
      return restarted()(host)
    },
    ends: 'healthy',
    id: 'address-changed',
    name: 'while Windows restarted',
    restarts: ['kubelet', 'flanneld', 'kubeproxy'],
    runtimes: BOTH,
  },
  {break: inWorld(dockerStops), ends: ['DOCKER_STOPPED'], id: 'runtime-dead', restarts: [], runtimes: ['docker']},
  {break: inWorld(dockerHangs), ends: ['DOCKER_STOPPED'], id: 'runtime-hung', restarts: [], runtimes: ['docker']},
  {
    break: inWorld((world) => {
      dockerStops(world)
      flanneldDies(world)
    }),
    ends: ['DOCKER_STOPPED'],
    id: 'runtime-dead',
    name: 'the rest is repaired',
    restarts: ['flanneld'],
    runtimes: ['docker'],
  },
  {
    break: inWorld(containerdHangs),
    ends: 'healthy',
    id: 'runtime-hung',
    name: 'without pods',
    restarts: ['containerd'],
    runtimes: ['containerd'],
  },
  {
    break: inWorld((world) => {
      containerdHangs(world)
      flanneldDies(world)
    }),
    ends: 'healthy',
    id: 'runtime-hung',
    name: 'without pods, the rest is repaired',
    restarts: ['containerd', 'flanneld'],
    runtimes: ['containerd'],
  },
  {
    break: inWorld(containerdHangs),
    ends: 'healthy',
    id: 'runtime-hung',
    name: 'with --yes',
    restarts: ['containerd'],
    runtimes: ['containerd'],
    yes: true,
  },
]
