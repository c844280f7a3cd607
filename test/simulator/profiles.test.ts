// The kinds of Windows Server: what each says of itself to the registry's readers, and what it has.
import {describe, expect, it} from 'vitest'

import {fitsHost} from '../../src/simulator/docker/containers.js'
import {isDockerRunning} from '../../src/simulator/docker/engine.js'
import {PROFILES, profileNamed} from '../../src/simulator/profiles/index.js'
import {readRegistryValue, VERSION_KEY} from '../../src/simulator/windows/registry.js'
import {makeFiles} from './stage.js'

const KINDS = [
  {
    build: 17_763,
    hns: '9.5',
    profile: 'ws2019',
  },
  {
    build: 20_348,
    hns: '13.2',
    profile: 'ws2022',
  },
  {
    build: 26_100,
    hns: '15.5',
    profile: 'ws2025',
  },
]
/** The profiles of each, with the version of their cluster; those without Docker have no container runtime. */
const CLUSTERS: Readonly<Record<string, string>> = {
  ws2019: 'v1.23.17',
  'ws2019-containerd': 'v1.34.11',
  ws2022: 'v1.23.17',
  'ws2022-containerd': 'v1.36.4',
  ws2025: 'v1.36.4',
}
const WITH_DOCKER = ['ws2019', 'ws2022']
const CASES = Object.entries(CLUSTERS).map(([name, cluster]) => {
  const kind = KINDS.find(({profile}) => name.startsWith(profile))
  if (!kind) throw new Error(name)
  return {...kind, cluster, profile: name}
})

describe.each(CASES)('$profile', ({build, cluster, hns, profile}) => {
  const world = profileNamed(profile).makeWorld(0)
  const registry = (name: string) => readRegistryValue(world, VERSION_KEY, name)?.data

  it('is the build it says', () => {
    expect(world.os).toMatchObject({build, profile})
    expect(registry('CurrentBuild')).toBe(String(build))
    expect(registry('ProductName')).toBe(world.os.productName)
    expect(`${world.hns.version.Major}.${world.hns.version.Minor}`).toBe(hns)
  })

  it('has the cluster of any other, of its version', () => {
    const {nodes, ...rest} = world.cluster
    const other = profileNamed('ws2019').makeWorld(0).cluster
    expect(rest.version).toBe(cluster)
    expect(nodes.map(({name}) => name)).toEqual(other.nodes.map(({name}) => name))
    expect(rest.services).toEqual(other.services)
  })

  it('has Docker and its network, or neither', () => {
    const isThere = WITH_DOCKER.includes(profile)
    expect(isDockerRunning(world)).toBe(isThere)
    expect('docker' in world.services).toBe(isThere)
    expect(world.hns.networks.map(({Name}) => Name)).toEqual(isThere ? ['nat'] : [])
    expect(world.adapters.map(({name}) => name)).toEqual(['Ethernet0', ...(isThere ? ['vEthernet (nat)'] : [])])
    expect(world.routes.some(({destination}) => destination.startsWith('172.26.'))).toBe(isThere)
    expect(world.environment['Path']?.includes('docker')).toBe(isThere)
    expect(world.containerd).toEqual({images: [], installed: false, running: false, sandboxes: []})
  })

  it('has the files of Docker, or none of them', async () => {
    const files = makeFiles()
    await profileNamed(profile).fillDrive(files, world)
    const isThere = WITH_DOCKER.includes(profile)
    for (const path of [
      String.raw`C:\Program Files\docker\dockerd.exe`,
      String.raw`C:\ProgramData\docker\config\daemon.json`,
    ]) {
      expect((await files.status(path)) !== undefined).toBe(isThere)
    }
    expect((await files.status(String.raw`C:\k\kubeconfig`))?.kind).toBe('file')
  })
})

it('every profile is here', () => {
  expect(Object.keys(CLUSTERS)).toEqual(Object.keys(PROFILES))
})

it.each([
  ['10.0.17763.1', 17_763, true],
  ['10.0.17763.1', 20_348, false],
  ['10.0.20348.1', 17_763, false],
  ['10.0.20348.288', 20_348, true],
  ['10.0.20348.288', 26_100, true],
  ['10.0.17763.1', 26_100, false],
  ['10.0.26100.1742', 20_348, false],
])('an image of %s on %i: %s', (osVersion, host, fits) => {
  expect(fitsHost(osVersion, host)).toBe(fits)
})
