import {describe, expect, it} from 'vitest'
import {
  isSameRun,
  type LauncherRecord,
  readLauncherRecord,
  recordPath,
  removeRecord,
  writeRecord,
} from '../../../src/host/launcher/record.js'
import {ADMINISTRATORS_ONLY, ADMINISTRATORS_ONLY_FILE} from '../../../src/host/security/security.js'
import {FileError} from '../../../src/machine/files.js'
import type {Machine} from '../../../src/machine/machine.js'
import {openSimulator} from '../../../src/simulator/simulator.js'
import type {World} from '../../../src/simulator/world.js'
import {faultyMachine} from '../../fakes/faulty.js'
import {HostFolder} from '../../steps/host-folder.js'

const FOLDER = String.raw`C:\ProgramData\k8s-win`
const FILE = String.raw`C:\ProgramData\k8s-win\launcher.json`
const RECORD: LauncherRecord = {
  at: '2026-11-17T00:00:00.000Z',
  attempts: 1,
  baseDir: String.raw`C:\k`,
  command: 'setup',
  error: 'DOWNLOAD_FAILED',
  exitCode: 4,
  launcher: 'cloudbase-init',
  outcome: 'failed',
  restarts: 0,
  schemaVersion: 1,
}

async function newHost(sicken?: (world: World) => void): Promise<{host: HostFolder; machine: Machine}> {
  const host = await HostFolder.fresh(sicken)
  return {host, machine: await openSimulator({dir: host.dir, profile: 'ws2019'})}
}

describe('the record of a launcher', () => {
  it('is read as it was written, by administrators only', async () => {
    const {machine} = await newHost()
    expect(await readLauncherRecord(machine)).toBeUndefined()
    expect(await writeRecord(machine, RECORD)).toBe(true)
    expect(await readLauncherRecord(machine)).toEqual(RECORD)
    expect(await machine.win32.securityOf(FOLDER)).toBe(ADMINISTRATORS_ONLY)
    expect(await machine.win32.securityOf(FILE)).toBe(ADMINISTRATORS_ONLY_FILE)
  })

  it('is removed with its folder, unless something else is in it', async () => {
    const {host, machine} = await newHost()
    await removeRecord(machine)
    await writeRecord(machine, RECORD)
    await removeRecord(machine)
    expect(host.has(String.raw`ProgramData\k8s-win`)).toBe(false)
    await writeRecord(machine, RECORD)
    host.put(String.raw`ProgramData\k8s-win\other.txt`, 'of somebody')
    await removeRecord(machine)
    expect(host.list(String.raw`ProgramData\k8s-win`)).toEqual(['other.txt'])
  })

  it('is on the drive that Windows is on', async () => {
    const {machine} = await newHost(({registry}) => {
      const key = Object.keys(registry).find((name) => name.endsWith(String.raw`\Windows NT\CurrentVersion`)) ?? ''
      registry[key] = {...registry[key], SystemRoot: {data: String.raw`D:\Windows`, type: 'REG_SZ'}}
    })
    expect(await recordPath(machine)).toBe(String.raw`D:\ProgramData\k8s-win\launcher.json`)
  })

  it('of a folder that another account made is neither believed nor written nor removed', async () => {
    const {host, machine} = await newHost(({security}) => {
      security[FOLDER.toLowerCase()] = 'O:S-1-5-21-1-2-3-1001D:PAI(A;OICI;FA;;;S-1-5-21-1-2-3-1001)(A;OICI;FA;;;BA)'
    })
    host.put(String.raw`ProgramData\k8s-win\launcher.json`, JSON.stringify({...RECORD, restarts: 0}))
    expect(await readLauncherRecord(machine)).toBeUndefined()
    expect(await writeRecord(machine, RECORD)).toBe(false)
    await removeRecord(machine)
    expect(host.has(String.raw`ProgramData\k8s-win\launcher.json`)).toBe(true)
  })

  it.each([
    ['no JSON', '{'],
    ['another schema', JSON.stringify({...RECORD, schemaVersion: 2})],
    ['an unknown launcher', JSON.stringify({...RECORD, launcher: 'somebody'})],
    ['a negative count', JSON.stringify({...RECORD, attempts: -1})],
    ['a count that is no number', JSON.stringify({...RECORD, restarts: '1'})],
    ['a list', '[]'],
    ['a time that is none', JSON.stringify({...RECORD, at: 'now'})],
  ])('with %s is none', async (_, text) => {
    const {host, machine} = await newHost()
    await writeRecord(machine, RECORD)
    host.put(String.raw`ProgramData\k8s-win\launcher.json`, text)
    expect(await readLauncherRecord(await openSimulator({dir: host.dir, profile: 'ws2019'}))).toBeUndefined()
  })

  it('that cannot be written says so', async () => {
    const {machine} = await newHost()
    const full = faultyMachine(machine, [
      {at: ({what}) => what === 'write', does: new FileError('write', FILE, 'ENOSPC'), when: 'before'},
    ])
    expect(await writeRecord(full, RECORD)).toBe(false)
  })
})

it('the same run is known by its command and folder, in any case', () => {
  expect(isSameRun(RECORD, {baseDir: 'c:\\K', command: 'setup'})).toBe(true)
  expect(isSameRun(RECORD, {baseDir: 'c:\\K', command: 'upgrade'})).toBe(false)
  expect(isSameRun(RECORD, {baseDir: 'd:\\k', command: 'setup'})).toBe(false)
})
