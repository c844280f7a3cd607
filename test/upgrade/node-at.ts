// Nodes at a release, in memory, and what is compared of them after an upgrade.
import {expect} from 'vitest'
import {remembered} from '../../src/machine/remembered.js'
import type {ClusterPod} from '../../src/simulator/cluster/state.js'
import {makeCluster} from '../../src/simulator/profiles/cluster.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {setupOn} from '../setup/in-process.js'
import {HostFolder} from '../steps/host-folder.js'

export const PROFILE = 'ws2022-containerd'
/** They only take time; the image of Docker's sandboxes is built on one of them. */
const imagesOf = ({world}: HostFolder): string => (world.docker.running ? 'nanoserver' : 'none')

const made = remembered(async (place: string): Promise<HostFolder> => {
  const [profile = '', release = '', containerd = ''] = place.split(' ')
  const host = HostFolder.empty()
  await openSimulator({dir: host.dir, profile})
  host.edit((world) => (world.cluster = makeCluster(`v${release}`)))
  const given = {'base-images': imagesOf(host), release, ...(containerd !== '' && {'containerd-version': containerd})}
  const {result} = await setupOn(host.dir, given, {}, profile)
  expect(result.error).toBeUndefined()
  return host
})

/** A node at `release` in a cluster of `server`; with the default containerd, unless one is named. */
export async function nodeAt(
  release: string,
  server = release,
  profile = PROFILE,
  containerd = '',
): Promise<HostFolder> {
  const host = (await made(`${profile} ${release} ${containerd}`)).copy()
  host.edit(({cluster}) => (cluster.version = `v${server}`))
  return host
}

export const pod = (name: string): ClusterPod => ({
  labels: {app: 'web'},
  name,
  namespace: 'shop',
  node: 'win-1',
  owner: {kind: 'ReplicaSet', name: 'web'},
})

/** The release of everything that carries one, and whether pods may land here. */
export function releasesOf(host: HostFolder): readonly string[] {
  const {cluster, services} = host.world
  const node = cluster.nodes.find(({name}) => name === 'win-1')
  const stored = /release: "?([\d.]+)"?/.exec(host.read(String.raw`k\k8s-win\node.yaml`))?.[1]
  const running = ['kubelet', 'kubeproxy'].map((name) => {
    const {process, state} = services[name] ?? {}
    return state === 'running' ? (process?.standIn?.version ?? '') : (state ?? '')
  })
  return [`v${stored}`, node?.kubeletVersion ?? '', ...running, node?.unschedulable ? 'cordoned' : 'schedulable']
}

export const at = (release: string): string[] => [...Array<string>(4).fill(`v${release}`), 'schedulable']

/** Nothing of an upgrade is left on the host. */
export function expectEnded(host: HostFolder): void {
  expect(host.list(String.raw`k\downloads`).filter((name) => /\.(?:previous|staged)$/.test(name))).toEqual([])
  expect(host.journal.filter(({kind}) => kind === 'upgrade')).toEqual([])
  // Only the newest line counts: none, or that of a run that failed and left the node as it is stored.
  expect(host.journal.findLast(({kind}) => kind === 'began')).toEqual(
    host.journal.findLast(({failed, kind}) => kind === 'began' && failed === true),
  )
  const recorded = host.journal.filter(({kind}) => kind === 'release').at(-1)
  expect(`v${String(recorded?.['version'])}`).toBe(releasesOf(host)[0])
}
