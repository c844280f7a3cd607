// The kinds of Windows Server: what each says of itself, to the registry's readers, to Docker and to HNS.
import {describe, expect, it} from 'vitest'

import {fitsHost} from '../../src/simulator/docker/containers.js'
import {engineInfo, engineVersion} from '../../src/simulator/docker/engine-version.js'
import {PROFILES, profileNamed} from '../../src/simulator/profiles/index.js'
import {readRegistryValue, VERSION_KEY} from '../../src/simulator/windows/registry.js'

const CASES = [
  {
    build: 17_763,
    hns: '9.5',
    kernel: '10.0 17763 (17763.1.amd64fre.rs5_release.180914-1434)',
    profile: 'ws2019',
    system: 'Windows Server 2019 Datacenter Version 1809 (OS Build 17763.2237)',
    version: undefined,
  },
  {
    build: 20_348,
    hns: '13.2',
    kernel: '10.0 20348 (20348.1.amd64fre.fe_release.210507-1500)',
    profile: 'ws2022',
    system: 'Windows Server 2022 Datacenter Version 2009 (OS Build 20348.1547)',
    version: '21H2',
  },
  {
    build: 26_100,
    hns: '15.5',
    kernel: '10.0 26100 (26100.1.amd64fre.ge_release.240331-1435)',
    profile: 'ws2025',
    system: 'Windows Server 2025 Datacenter Version 2009 (OS Build 26100.1742)',
    version: '24H2',
  },
]

describe.each(CASES)('$profile', ({build, hns, kernel, profile, system, version}) => {
  const world = profileNamed(profile).makeWorld(0)
  const registry = (name: string) => readRegistryValue(world, VERSION_KEY, name)?.data

  it('is the build it says', () => {
    expect(world.os).toMatchObject({build, profile})
    expect(registry('CurrentBuild')).toBe(String(build))
    expect(registry('ProductName')).toBe(world.os.productName)
    expect(registry('DisplayVersion')).toBe(version)
    expect(`${world.hns.version.Major}.${world.hns.version.Minor}`).toBe(hns)
  })

  it('is named by Docker as the field has it', () => {
    expect(engineVersion(world)).toMatchObject({KernelVersion: kernel})
    expect(engineInfo(world)).toMatchObject({OperatingSystem: system})
  })

  it.each(['adapters', 'cluster', 'routes', 'services'] as const)('has the %s of any other', (part) => {
    expect(world[part]).toEqual(profileNamed('ws2019').makeWorld(0)[part])
  })
})

it('every profile is here', () => {
  expect(CASES.map(({profile}) => profile)).toEqual(Object.keys(PROFILES))
})

it('a host whose registry does not tell is unknown to Docker', () => {
  const world = profileNamed('ws2022').makeWorld(0)
  world.registry = {}
  expect(engineVersion(world)).toMatchObject({KernelVersion: '10.0 20348 (<unknown>)'})
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
