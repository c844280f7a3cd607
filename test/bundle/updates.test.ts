// The updates of Windows, from the names that its servicing stack gives their files.
import {afterEach, beforeEach, expect, it} from 'vitest'
import type {Entry} from '../../src/bundle/collector.js'
import {COLLECTORS} from '../../src/bundle/table.js'
import {FileError} from '../../src/machine/files.js'
import {faultyMachine} from '../fakes/faulty.js'
import type {Machine} from '../../src/machine/machine.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {HostFolder} from '../steps/host-folder.js'
import {rigOf} from './collector-rig.js'

const FOLDER = String.raw`C:\Windows\servicing\Packages`
let host: HostFolder
beforeEach(async () => {
  host = HostFolder.empty()
  await openSimulator({dir: host.dir, profile: 'ws2019'})
})
afterEach(() => host.discard())

const put = (...names: readonly string[]): void => {
  for (const name of names) host.put(String.raw`Windows\servicing\Packages` + `\\${name}`, '')
}
async function collect(wrap?: (machine: Machine) => Machine): Promise<Entry> {
  const collector = COLLECTORS.find(({id}) => id === 'windows/updates.json')
  const {entries} = await collector!.collect(await rigOf(host, wrap))
  expect(entries).toHaveLength(1)
  return entries[0]!
}
const packagesOf = ({content}: Entry): unknown =>
  (content as {document: {packages: {name: string; version: string}[]}}).document.packages.map(
    ({name, version}) => `${name} ${version}`,
  )

it('has the patch level first, then the single updates, the newest of each first', async () => {
  put(
    'Package_for_KB4470502~31bf3856ad364e35~amd64~~10.0.1.0.mum',
    'Package_for_KB500736~31bf3856ad364e35~amd64~~10.0.1.4.mum',
    'Package_for_RollupFix~31bf3856ad364e35~amd64~~17763.107.1.5.mum',
    'Package_for_DotNetRollup_48~31bf3856ad364e35~amd64~~10.0.4420.2.mum',
    // No updates as a whole.
    'Package_for_KB4470502_RTM~31bf3856ad364e35~amd64~~10.0.1.0.mum',
    'Package_1_for_KB4470502~31bf3856ad364e35~amd64~~10.0.1.0.mum',
    'Package_for_KB4470502~31bf3856ad364e35~amd64~~10.0.1.0.cat',
    'Microsoft-Windows-Foundation-Package~31bf3856ad364e35~amd64~~10.0.17763.1.mum',
  )
  const entry = await collect()
  expect(entry).toMatchObject({content: {document: {folder: FOLDER}}, path: 'windows/updates.json'})
  expect(entry.cut).toBeUndefined()
  expect(packagesOf(entry)).toEqual([
    'ServicingStack_2237 17763.2237.1.0',
    'RollupFix 17763.2237.1.0',
    'RollupFix 17763.107.1.5',
    'DotNetRollup_48 10.0.4420.2',
    'KB4470502 10.0.1.0',
    'KB500736 10.0.1.4',
  ])
})

it('has hundreds at most, the newest, and says how many are missing', async () => {
  put(...Array.from({length: 310}, (_, at) => `Package_for_KB${4_000_000 + at}~31bf3856ad364e35~amd64~~10.0.1.0.mum`))
  const entry = await collect()
  const packages = packagesOf(entry) as string[]
  expect(packages).toHaveLength(300)
  expect([packages[0], packages[2], packages[299]]).toEqual([
    'ServicingStack_2237 17763.2237.1.0',
    'KB4000309 10.0.1.0',
    'KB4000012 10.0.1.0',
  ])
  expect(entry.cut).toBe('12 older packages')
})

it('reports a folder that does not exist', async () => {
  host.remove(String.raw`Windows\servicing`)
  expect((await collect()).content).toEqual({document: {folder: FOLDER, state: 'does not exist'}})
})

it('reports a folder that cannot be read', async () => {
  const refused = {
    at: ({what}: {readonly what: string}) => what === 'list',
    does: new FileError('list', FOLDER, 'EPERM'),
    when: 'before',
  } as const
  await expect(collect((machine) => faultyMachine(machine, [refused]))).rejects.toThrow(`cannot list ${FOLDER}: EPERM`)
})
