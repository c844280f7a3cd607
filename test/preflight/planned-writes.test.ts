// Before anything is downloaded or pulled, the free space is compared with what is still missing, drive by drive.
import {expect, test} from 'vitest'
import {sandboxImageOf} from '../../src/components/containerd.js'
import {programPaths} from '../../src/artifacts/programs.js'
import type {GivenOptions} from '../../src/config/options/options.js'
import {hostOptions, openHost} from '../../src/host/host.js'
import {interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {Facts} from '../../src/preflight/facts.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import type {World} from '../../src/simulator/world.js'
import {assets} from '../fixtures/assets.js'
import {setupConfig} from '../fixtures/setup-config.js'
import {drive, GIB} from '../hosts/sick-host.js'
import {setupOn} from '../setup/in-process.js'
import {HostFolder} from '../steps/host-folder.js'
import {checkOne} from './cluster-bench.js'

const SERVERCORE = 'mcr.microsoft.com/windows/servercore:ltsc2019'
const onD = ({docker}: World): void => void (docker.dataRoot = String.raw`D:\docker`)
const pulled = ({docker}: World): void =>
  void docker.images.push({
    id: 'sha256:1',
    labels: {},
    created: '2022-01-01T00:00:00Z',
    osVersion: '10.0.17763.1',
    size: 1,
    tags: [SERVERCORE],
  })

/** 10 percent of 127 GB, and what is missing. */
test.each([
  ['everything', 'disk', 20.4, {}, () => {}],
  ['without servercore', 'disk', 14.1, {'base-images': 'nanoserver'}, () => {}],
  ['servercore is there', 'disk', 14.1, {}, pulled],
  ['images are on another drive', 'disk', 13.7, {}, onD],
  ['the drive of images', 'docker-disk', 19.4, {}, onD],
  ['programs are on another drive', 'disk', 19.4, {'base-dir': String.raw`D:\k`}, () => {}],
] as const)('%s: %s demands %d GB', async (_, id, needed, given: GivenOptions, change) => {
  const judged = (freeBytes: number) =>
    checkOne(id, {
      given,
      sicken(world) {
        const letter = id === 'disk' ? 'C:' : 'D:'
        drive(world, 'D:', {})
        drive(world, letter, {freeBytes})
        change(world)
      },
    })
  const {problems} = await judged((needed - 0.1) * GIB)
  expect(problems).toMatchObject([{exitCode: 3, id: 'DISK_FULL', wanted: `at least ${needed} GB free`}])
  expect((await judged((needed + 0.1) * GIB)).problems).toEqual([])
})

test('with containerd the image of sandboxes counts; of an interrupted setup only what it had not begun', async () => {
  const host = await HostFolder.fresh(() => {}, 'ws2025')
  const config = {...setupConfig({release: '1.36.4'}), runtime: 'containerd'} as const
  const open = async (begun: readonly string[]) => {
    const machine = await openSimulator({dir: host.dir, profile: 'ws2025'})
    const entries = begun.map((reference) => ({kind: 'image-pull', reference}))
    const journal = {all: () => [], entries: () => entries as never}
    return new Facts(config, openHost(machine, hostOptions(assets, config)), journal).plannedWrites()
  }
  const sandbox = sandboxImageOf(config)
  const base = ['nanoserver', 'servercore'].map((name) => `mcr.microsoft.com/windows/${name}:ltsc2025`)
  expect((await open([])).map(({what}) => what)).toEqual(['programs', ...base, sandbox])
  expect((await open([sandbox, ...base.slice(1)])).map(({what}) => what)).toEqual(['programs', ...base.slice(0, 1)])
  for (const path of programPaths(config)) host.put(path.slice(3), '')
  expect(await open([sandbox, ...base])).toEqual([])
})

test('a host without room is refused before anything is downloaded; fewer images fit', async () => {
  const host = await HostFolder.fresh((world) => drive(world, 'C:', {freeBytes: 18 * GIB}), 'ws2025')
  const {result} = await setupOn(host.dir)
  expect(result).toMatchObject({error: {id: 'DISK_FULL'}, exitCode: 3})
  expect(result.errors).toBeUndefined()
  expect(host.has(String.raw`k\downloads`)).toBe(false)
  expect((await setupOn(host.dir, {'base-images': 'nanoserver'})).result.exitCode).toBe(0)
})

test('a Docker that hangs does not hide a full disk', async () => {
  const around = (machine: Machine): Machine =>
    interceptMachine(machine, ({via}, perform) => (via === 'http' ? new Promise<never>(() => {}) : perform()))
  const sicken = (world: World): void => drive(world, 'C:', {freeBytes: 20 * GIB})
  expect((await checkOne('disk', {around, sicken})).problems).toMatchObject([{id: 'DISK_FULL'}])
})
