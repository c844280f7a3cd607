// Every pinned release on every kind of simulated host: what setup must do there, and whole runs that show it. The simulated
// kubelet and kube-proxy reject a command line and a configuration that their release does not have.
import {expect} from 'vitest'
import {kubernetesDigests} from '../../src/artifacts/digests.js'
import {remembered} from '../../src/machine/remembered.js'
import {runsWmic} from '../../src/simulator/daemons/releases.js'
import {makeCluster} from '../../src/simulator/profiles/cluster.js'
import {PROFILES, profileNamed} from '../../src/simulator/profiles/index.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {HostFolder} from '../steps/host-folder.js'
import {setupOn} from '../interruption/setup-run.js'

export const RELEASES = Object.keys(await kubernetesDigests())
export const HOSTS = Object.keys(PROFILES)

export const minorOf = (release: string): number => Number(release.split('.')[1])

const newHost = remembered(async (profile: string): Promise<HostFolder> => {
  const host = HostFolder.empty()
  await openSimulator({dir: host.dir, profile})
  return host
})

const worldOf = remembered((profile: string) => profileNamed(profile).makeWorld(0))

/** Why setup refuses the release there, by what the simulator knows of hosts and daemons; undefined where it must work. */
export function refusalOf(profile: string, release: string): string | undefined {
  const {docker, os} = worldOf(profile)
  const isTooOld = (os.build === 20_348 && minorOf(release) < 23) || (os.build === 26_100 && runsWmic(release))
  if (isTooOld || release === '1.31.0') return 'WINDOWS_UNSUPPORTED'
  if (docker.running) return minorOf(release) > 23 ? 'DOCKER_BESIDE_CONTAINERD' : undefined
  return minorOf(release) > 23 ? undefined : 'DOCKER_ABSENT'
}

/** The whole setup on a new host that joins a cluster of this release. */
export async function expectSetUp(profile: string, release: string): Promise<HostFolder> {
  const host = await hostFor(profile, release)
  await expectReady(host, profile, release)
  return host
}

/** Another release on a copy of a node whose cluster is of that release then. */
export async function expectChanged(node: HostFolder, profile: string, release: string): Promise<void> {
  const host = node.copy()
  host.edit(({cluster}) => (cluster.version = `v${release}`))
  await expectReady(host, profile, release)
}

/** The whole setup on a new host ends before it changes anything. */
export async function expectRefused(profile: string, release: string): Promise<void> {
  const host = await hostFor(profile, release)
  const before = host.state
  const {bug, result} = await setupOn(host.dir, {given: {release}, profile})
  expect(bug).toBeUndefined()
  const {error, exitCode, recap} = result ?? {}
  const id = refusalOf(profile, release)
  expect([profile, release, exitCode, error?.id, recap?.changed]).toEqual([profile, release, 3, id, 0])
  expect(error?.cause).not.toBe('')
  expect(host.state).toEqual(before)
}

async function hostFor(profile: string, release: string): Promise<HostFolder> {
  const host = (await newHost(profile)).copy()
  host.edit((world) => (world.cluster = makeCluster(`v${release}`)))
  return host
}

async function expectReady(host: HostFolder, profile: string, release: string): Promise<void> {
  const {bug, result} = await setupOn(host.dir, {given: {release}, profile})
  expect(bug).toBeUndefined()
  const {error, exitCode, node} = result ?? {}
  expect([profile, release, exitCode, error, node?.ready]).toEqual([profile, release, 0, undefined, true])
  const {cluster, containerd, services} = host.world
  expect(cluster.nodes.find(({name}) => name === 'win-1')?.kubeletVersion).toBe(`v${release}`)
  // Of every minor from 1.24 on.
  expect([release, containerd.version]).toEqual([release, minorOf(release) < 24 ? undefined : 'v2.3.4'])
  for (const name of ['kubelet', 'kubeproxy']) {
    const {process, restarts, state} = services[name] ?? {}
    const program = process?.standIn
    expect([release, name, state, restarts, program?.version]).toEqual([release, name, 'running', 0, `v${release}`])
  }
}
