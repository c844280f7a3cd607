// --cloud auto: the firmware names the candidates, the metadata service of one confirms it.
import {describe, expect, it} from 'vitest'
import type {CloudName} from '../../src/config/model.js'
import type {MetadataState, World} from '../../src/simulator/world.js'
import {hardware, registry, text} from '../hosts/sick-host.js'
import {type Answer, decideOn} from './decide-rig.js'

const BIOS = String.raw`HKLM\HARDWARE\DESCRIPTION\System\BIOS`
const MIB = 1024 ** 2

type Cloud = Exclude<CloudName, 'none'>

/** Manufacturer, product, and vendor and version of the BIOS. */
const FIRMWARE: Readonly<Record<string, readonly [Cloud, string, string, string, string]>> = {
  Azure: ['azure', 'Microsoft Corporation', 'Virtual Machine', 'American Megatrends Inc.', '090008'],
  'EC2 on Nitro': ['aws', 'Amazon EC2', 'm5.large', 'Amazon EC2', '1.0'],
  'EC2 on Xen': ['aws', 'Xen', 'HVM domU', 'Xen', '4.2.amazon'],
  'Google Compute Engine': ['gce', 'Google', 'Google Compute Engine', 'Google', 'Google'],
  'OpenStack on Hyper-V': [
    'openstack',
    'Microsoft Corporation',
    'Virtual Machine',
    'American Megatrends Inc.',
    '090008',
  ],
  'OpenStack on KVM': ['openstack', 'OpenStack Foundation', 'OpenStack Nova', 'SeaBIOS', '1.16'],
}

const on =
  (machine: string, service: Partial<MetadataState> | 'none' = {}) =>
  (world: World): void => {
    const [cloud = 'aws', manufacturer = '', product = '', vendor = '', version = ''] = FIRMWARE[machine] ?? []
    hardware(world, manufacturer, product)
    registry(world, BIOS, {BIOSVendor: text(vendor), BIOSVersion: text(version)})
    if (service !== 'none') world.os.metadata = {cloud, ...service}
  }

const asked = ({effects}: Answer): string[] => {
  const requests = effects.filter(({via}) => via === 'http').map(({args, what}) => [what, ...args].join(' '))
  return requests.filter((what) => what.includes('169.254.169.254'))
}

describe.each(Object.entries(FIRMWARE))('%s', (machine, [cloud, , product]) => {
  it('is detected, and stored by its name', async () => {
    const {config, given, sources} = await decideOn({profile: 'ws2025', sicken: on(machine)})
    expect([config.cloud, given.cloud, sources.cloud]).toEqual([cloud, cloud, 'host'])
  })

  it('is asked directly where a proxy is set', async () => {
    const sicken = (world: World): void => {
      on(machine)(world)
      world.environment['HTTP_PROXY'] = 'http://proxy.corp:3128'
    }
    expect((await decideOn({profile: 'ws2025', sicken})).config.cloud).toBe(cloud)
  })

  // Hyper-V is Azure's, OpenStack's or one's own.
  const byFirmware = product === 'Virtual Machine' ? 'none' : cloud
  it.each([
    ['does not exist', 'none', byFirmware],
    ['hangs', {hangs: true}, byFirmware],
    ['has no route', {needsRoute: true}, byFirmware],
    ['answers without end', {paddingBytes: 100 * MIB}, 'none'],
    ['is of another cloud', {cloud: cloud === 'gce' ? 'aws' : 'gce'}, 'none'],
  ] as const)('is decided after a second where its service %s', async (_, service, decided) => {
    const {tookMs: without} = await decideOn({given: {cloud: 'none'}, profile: 'ws2025'})
    const answer = await decideOn({profile: 'ws2025', sicken: on(machine, service)})
    expect([answer.config.cloud, answer.given.cloud, answer.sources.cloud]).toEqual([decided, decided, 'host'])
    expect(answer.tookMs).toBeLessThanOrEqual(Math.max(without, 1000) + 100)
  })

  it('is not asked where the node has it stored, or another was given', async () => {
    for (const how of [{isStored: true}, {given: {cloud: 'none'}}, {given: {cloud: 'gce'}, isStored: true}]) {
      const answer = await decideOn({profile: 'ws2025', sicken: on(machine), ...how})
      expect([asked(answer), answer.config.cloud]).toEqual([[], how.given?.cloud ?? 'none'])
    }
  })

  it('is asked again where auto is given', async () => {
    const given = {cloud: 'auto'}
    expect((await decideOn({given, isStored: true, profile: 'ws2025', sicken: on(machine)})).given.cloud).toBe(cloud)
  })
})

describe('which service is asked', () => {
  it('none, where the firmware names no cloud; "auto" is then not stored', async () => {
    const quiet = await decideOn({profile: 'ws2025', sicken: ({os}) => (os.metadata = {cloud: 'aws'})})
    expect([asked(quiet), quiet.config.cloud, quiet.given.cloud]).toEqual([[], 'none', undefined])
    expect((await decideOn({given: {cloud: 'auto'}, profile: 'ws2025'})).given.cloud).toBe('none')
  })

  it('each candidate once, at the address', async () => {
    const answer = await decideOn({profile: 'ws2025', sicken: on('OpenStack on Hyper-V')})
    expect(asked(answer).sort()).toEqual([
      'GET http://169.254.169.254/metadata/versions',
      'GET http://169.254.169.254/openstack/latest/meta_data.json',
    ])
  })
})
